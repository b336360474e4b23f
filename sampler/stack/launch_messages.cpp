// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/stack/launch_messages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "core/error.h"
#include "core/launcher.h"
#include "core/units.h"
#include "core/version.h"

namespace nmt::sampler {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMessagesMax = 1'000'000;  // that are timed as one

// The commands are in one folder, here and on the other hosts.
std::string nmad_sample() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path() / "nmad-sample";
}

bool in_path(const std::string& command) {
  const char* path = std::getenv("PATH");
  std::string rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::string folder = rest.substr(0, rest.find(':'));
    rest.erase(0, folder.size() + 1);
    if (::access((fs::path(folder) / command).c_str(), X_OK) == 0) return true;
  }
  return false;
}

// If two are installed, the one named after the stack is used.
std::vector<std::string> launchers_of(std::string_view stack) {
  if (stacks::find_stack(stack).mpi == "openmpi") return {"mpirun.openmpi", "mpirun"};
  return {"mpiexec.hydra", "mpirun.mpich", "mpirun"};
}

// Launchers print text before and after the document.
std::string_view document_in(std::string_view out) {
  const std::size_t begin = out.starts_with("{\n") ? 0 : out.find("\n{\n");
  const std::size_t end = out.rfind("\n}");
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return {};
  return out.substr(begin, end + 2 - begin);
}

stacks::Transport network_from(const json::Reader& reader) {
  const std::string name = reader["network"].text();
  const auto network = stacks::parse_transport(name);
  if (!network) reader.fail(fmt::format("no network '{}'", name));
  return *network;
}

}  // namespace

stacks::Transport LaunchedRound::transport_of(std::string_view placement) const {
  return placement == kSameNode ? stacks::Transport::kShm : network;
}

std::string LaunchedRound::version_of(std::string_view stack) const {
  if (stack == "ucx") return ucx_version;
  if (stack == "libfabric") return libfabric_version;
  return version_in(library);
}

void refuse_one_of_several() {
  const std::optional<JobLauncher> starter = starter_of_several();
  if (!starter) return;
  throw Error(Fault::kUsage,
              fmt::format("{} started {} processes of this command, and each of them would launch "
                          "jobs of its own and write into one profile; start it once: it launches "
                          "the ranks itself, by the command that --launcher names",
                          starter->name, starter->ranks));
}

StackJob stack_job(const stacks::Stack& stack, const std::string& launcher) {
  if (!launcher.empty()) return {stack, launcher};
  for (const std::string& command : launchers_of(stack.name)) {
    if (in_path(command)) return {stack, command + " -n 2"};
  }
  throw Error(
      Fault::kFailed,
      fmt::format(
          "{} is not installed: {} is not in the path; name the command that launches its jobs "
          "with --launcher",
          stack.title, fmt::join(launchers_of(stack.name), ", no ")));
}

std::string to_text(const LaunchRoundOrder& order) {
  return fmt::format("sizes:{}/eager:{}/variables:{}", fmt::join(order.sizes_bytes, ","),
                     order.find_eager ? 1 : 0, fmt::join(order.variables, ","));
}

LaunchRoundOrder launch_round_order_from(const std::string& text) {
  LaunchRoundOrder order;
  for (std::string rest = text; !rest.empty();) {
    const std::string part = rest.substr(0, rest.find('/'));
    rest.erase(0, part.size() + 1);
    const std::string key = part.substr(0, part.find(':'));
    const std::string value = part.substr(std::min(part.size(), key.size() + 1));
    if (key == "sizes") {
      for (const std::string& size : split_list(value)) {
        order.sizes_bytes.push_back(parse_bytes(size));
      }
    } else if (key == "eager") {
      order.find_eager = value == "1";
    } else if (key == "variables") {
      order.variables = split_list(value);
    } else {
      throw Error(Fault::kUsage, fmt::format("--turn: no '{}' in an order", key));
    }
  }
  return order;
}

json::Value to_json(const LaunchRound& timings) {
  json::Value cells = json::Value::array(), eager = json::Value::array();
  json::Value variables = json::Value::object(), exchanges_ns = json::Value::array();
  for (const double each_ns : timings.core_exchanges_ns) exchanges_ns.push_back(each_ns);
  for (const LaunchRoundCell& cell : timings.cells) {
    json::Value totals_ns = json::Value::array();
    for (const std::uint64_t total_ns : cell.totals_ns) totals_ns.push_back(total_ns);
    cells.push_back(json::Value::object()
                        .set("placement", cell.placement)
                        .set("size_bytes", cell.size_bytes)
                        .set("batch", cell.batch)
                        .set("totals_ns", std::move(totals_ns)));
  }
  for (const LaunchRound::Eager& each : timings.eager) {
    eager.push_back(
        json::Value::object().set("placement", each.placement).set("bytes_max", each.bytes_max));
  }
  for (const auto& [name, value] : timings.variables) variables.set(name, value);
  return json::Value::object()
      .set("cells", std::move(cells))
      .set("eager", std::move(eager))
      .set("core_exchanges_ns", std::move(exchanges_ns))
      .set("variables", std::move(variables));
}

LaunchRound launch_round_from(const json::Reader& reader) {
  LaunchRound timings;
  for (const json::Reader& item : reader["cells"].items()) {
    LaunchRoundCell cell{
        .placement = item["placement"].text(),
        .size_bytes = item["size_bytes"].unsigned_integer(),
        .batch = static_cast<std::uint32_t>(item["batch"].unsigned_integer(kMessagesMax))};
    for (const json::Reader& total : item["totals_ns"].items()) {
      cell.totals_ns.push_back(total.unsigned_integer());
    }
    timings.cells.push_back(std::move(cell));
  }
  for (const json::Reader& item : reader["eager"].items()) {
    timings.eager.push_back({item["placement"].text(), item["bytes_max"].unsigned_integer()});
  }
  if (reader.has("core_exchanges_ns")) {
    for (const json::Reader& each : reader["core_exchanges_ns"].items()) {
      timings.core_exchanges_ns.push_back(each.number(1));
    }
  }
  for (const auto& [name, value] : reader["variables"].members()) {
    timings.variables.emplace_back(name, value.text());
  }
  return timings;
}

Fields environment_of(const stacks::Stack& stack, const Fields& settings) {
  Fields environment;
  std::string names;
  for (const auto& [name, value] : stacks::as_spelled(settings)) {
    environment[std::string(stack.environment_prefix) + name] = value;
    names += (names.empty() ? "" : ";") + name;
  }
  // Under Open MPI, UCX has to be chosen, allowed on all devices, and given these settings.
  if (stack.name == "ucx") {
    environment["OMPI_MCA_pml"] = "ucx";
    environment["OMPI_MCA_opal_common_ucx_tls"] = "any";
    environment["OMPI_MCA_opal_common_ucx_devices"] = "any";
  } else if (stack.name == "libfabric") {
    environment["OMPI_MCA_pml"] = "cm";
    environment["OMPI_MCA_mtl"] = "ofi";
    // Called so before 5.0 and from 5.0 on; each version takes no notice of the other's.
    for (const std::string_view framework : {"mtl_ofi", "opal_common_ofi"}) {
      environment[fmt::format("OMPI_MCA_{}_provider_include", framework)] = "tcp;ofi_rxm";
    }
  } else {
    return environment;
  }
  if (!names.empty()) environment["OMPI_MCA_mca_base_env_list"] = names;
  return environment;
}

namespace {

void refuse_another_mpi(const StackJob& job, const std::string& library) {
  // Others are built from MPICH and take its programs, but have settings of their own.
  const std::string_view mpi = library.starts_with("Open MPI") ? "openmpi"
                               : library.starts_with("MPICH")  ? "mpich"
                                                               : "";
  if (job.stack.mpi.empty() || job.stack.mpi == mpi) return;
  const std::string installed = job.installed ? job.installed() : "";
  throw Error(
      Fault::kUsage,
      fmt::format("--launcher '{}' starts ranks of {}, and --stack {} samples {}{}; give the "
                  "launcher of {}{}",
                  job.launcher, library, job.stack.name, job.stack.title,
                  installed.empty() ? "" : fmt::format(" (installed: {})", installed),
                  job.stack.mpi == "openmpi" ? "Open MPI" : "MPICH",
                  mpi.empty() ? "" : fmt::format(", or --stack {}", mpi)));
}

}  // namespace

double launch_ranks(const StackJob& job, const Fields& settings, const std::string& order,
                    double timeout_ns, const std::function<void(const json::Reader&)>& read) {
  const std::string stack(job.stack.name);
  const Launched launched =
      launch({.launcher = job.launcher,
              .program = {nmad_sample(), "--stack", stack, "--turn", order, "--json", "--quiet"},
              .environment = environment_of(job.stack, settings),
              .timeout_ns = timeout_ns,
              .interrupted = job.interrupted});
  const std::string what = fmt::format("output of --launcher '{}'", job.launcher);
  const std::string_view text = document_in(launched.out);
  if (text.empty()) {
    throw Error(Fault::kFailed,
                fmt::format("{}: not a document of nmad-sample: '{}'; did it launch a job of {}?",
                            what, json::printable(launched.out), job.stack.title));
  }
  const json::Value document = json::parse(text, what);
  const json::Reader reader(document, what);
  refuse_another_mpi(job, reader["library"].text());
  read(reader);
  return launched.elapsed_ns;
}

LaunchedRound launch_round(const StackJob& job, const Fields& settings,
                           const LaunchRoundOrder& order) {
  constexpr double kTimeoutNs = 300e9;
  LaunchedRound timings;
  timings.elapsed_ns =
      launch_ranks(job, settings, to_text(order), kTimeoutNs, [&](const json::Reader& reader) {
        timings.library = reader["library"].text();
        timings.library_file = reader.has("library_file") ? reader["library_file"].text() : "";
        timings.ranks = reader["ranks"].integer(1, 1 << 30);
        timings.cores =
            reader.has("cores") ? static_cast<std::size_t>(reader["cores"].integer(1, 1 << 30)) : 0;
        timings.hosts = reader["hosts"].texts();
        timings.interfaces = reader["interfaces"].texts();
        timings.network = network_from(reader);
        timings.messages_by = reader["messages_by"].text();
        timings.has_variables =
            !reader.has("control_variables") || reader["control_variables"].boolean();
        timings.ucx_version = reader.has("ucx_version") ? reader["ucx_version"].text() : "";
        timings.libfabric_version =
            reader.has("libfabric_version") ? reader["libfabric_version"].text() : "";
        timings.timings = launch_round_from(reader["turn"]);
      });
  return timings;
}

}  // namespace nmt::sampler
