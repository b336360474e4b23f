// SPDX-License-Identifier: BSD-3-Clause
#include "tests/lab/lab.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <random>

#include "core/error.h"
#include "tests/tools/process.h"

namespace nmt::testing {
namespace {

bool can_make_namespaces() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(::unshare(CLONE_NEWNET) == 0 ? 0 : 1);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status == 0;
}

Result lab_script(const std::string& name, const std::vector<std::string>& arguments) {
  std::vector<std::string> all = {NMT_LAB_SCRIPT, "--lab", name};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run(all);
}

}  // namespace

std::string Lab::missing() {
  if (::geteuid() != 0) return "two hosts on one machine need root";
  if (run({"ip", "-V"}).exit_code != 0 || run({"tc", "-V"}).exit_code != 0) {
    return "ip or tc is missing; scripts/install-packages test brings them";
  }
  if (!can_make_namespaces()) return "the kernel refuses network namespaces here";
  return "";
}

Lab::Lab(const std::vector<unsigned>& rates_mbits_per_s) {
  std::vector<std::string> what = {"rails"};
  for (const unsigned rate : rates_mbits_per_s) what.push_back(std::to_string(rate));
  up(what);
}

Lab::Lab(const Cluster& cluster) {
  up({"cluster", "--hosts", std::to_string(cluster.hosts), "--rate", cluster.rate, "--queue",
      cluster.queue});
}

void Lab::up(const std::vector<std::string>& what) {
  std::random_device random;  // a number of a process comes back while its lab is being removed
  name_ = fmt::format("t{:08x}", random());
  std::vector<std::string> arguments = {"--owner", std::to_string(::getpid()), "up"};
  arguments.insert(arguments.end(), what.begin(), what.end());
  const Result result = lab_script(name_, arguments);
  if (result.exit_code != 0) throw Error(Fault::kFailed, "scripts/lab up: " + result.err);
}

Lab::~Lab() { lab_script(name_, {"down"}); }

void Lab::rate(const std::string& which, unsigned mbits_per_s) const {
  const Result result = lab_script(name_, {"rate", which, std::to_string(mbits_per_s)});
  if (result.exit_code != 0) throw Error(Fault::kFailed, "scripts/lab rate: " + result.err);
}

std::vector<std::string> Lab::in(const std::string& host,
                                 std::vector<std::string> arguments) const {
  std::vector<std::string> all = {NMT_LAB_SCRIPT, "--lab", name_, "run", host};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

std::vector<std::string> Lab::job(const std::string& mpi, std::vector<std::string> options,
                                  const std::vector<std::string>& command) const {
  std::vector<std::string> all = {NMT_LAB_SCRIPT, "--lab", name_, "mpi", mpi, "--wait", "sleep"};
  all.insert(all.end(), options.begin(), options.end());
  all.insert(all.end(), command.begin(), command.end());
  return all;
}

std::vector<std::string> Lab::slurm(const std::vector<std::string>& command) const {
  std::vector<std::string> all = {NMT_LAB_SCRIPT, "--lab", name_, "slurm"};
  all.insert(all.end(), command.begin(), command.end());
  return all;
}

std::string Lab::slurm_missing() {
  if (std::string reason = missing(); !reason.empty()) return reason;
  for (const char* command : {"slurmctld", "slurmd", "munged", "srun"}) {
    if (run({"sh", "-c", fmt::format("command -v {}", command)}).exit_code != 0) {
      return fmt::format("{} is missing", command);
    }
  }
  return {};
}

void Lab::enter(const std::string& host) const {
  const std::string file = fmt::format("/run/netns/nmtlab-{}-{}", name_, host);
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw system_error(Fault::kFailed, fmt::format("open({})", file), errno);
  const int status = ::setns(descriptor, CLONE_NEWNET);
  ::close(descriptor);
  if (status != 0) throw system_error(Fault::kFailed, fmt::format("setns({})", file), errno);
}

std::string Lab::address(const std::string& host, unsigned rail) const {
  return fmt::format("10.77.{}.{}", rail, host == "one" ? 1 : 2);
}

}  // namespace nmt::testing
