// SPDX-License-Identifier: BSD-3-Clause
#include "core/launcher.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "core/deadline.h"
#include "core/descriptor.h"
#include "core/version.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

struct Variables {
  std::string_view launcher;
  const char* rank;
  const char* ranks;
};
constexpr Variables kVariables[] = {{kMpirun, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                    {kMpiexec, "PMI_RANK", "PMI_SIZE"}};

// The processes of a launcher by the names of their files, which need not be those that people
// type. On other nodes than the launcher's own it is a daemon, in the same folder.
struct Program {
  std::string_view launcher;
  std::string_view name;
  std::string_view asked;  // the file beside it that prints the version
};
constexpr Program kPrograms[] = {{kMpirun, "orterun", "orterun"},
                                 {kMpirun, "orted", "orterun"},
                                 {kMpirun, "prterun", "prterun"},
                                 {kMpirun, "prte", "prte"},
                                 {kMpirun, "prted", "prte"},
                                 {kMpiexec, "mpiexec.hydra", "mpiexec.hydra"},
                                 {kMpiexec, "hydra_pmi_proxy", "mpiexec.hydra"}};
constexpr int kAncestorsMax = 16;

constexpr std::chrono::seconds kAnswerTimeout{5};
constexpr std::size_t kAnswerBytesMax = 4096;

fs::path files_of(pid_t process) { return fs::path("/proc") / std::to_string(process); }

// 0 if that is unknown.
pid_t parent_of(pid_t process) {
  constexpr std::string_view kParent = "PPid:";
  std::ifstream status(files_of(process) / "status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(kParent)) return std::atoi(line.c_str() + kParent.size());
  }
  return 0;
}

// Of the nearest process of the launcher above this one; empty if there is none.
std::string program_to_ask(std::string_view launcher) {
  pid_t process = ::getppid();
  for (int i = 0; i < kAncestorsMax && process > 1; ++i, process = parent_of(process)) {
    std::error_code failed;
    const fs::path file = fs::read_symlink(files_of(process) / "exe", failed);
    if (failed) continue;  // of another user
    const std::string name = file.filename();
    for (const Program& each : kPrograms) {
      if (each.launcher == launcher && each.name == name) return file.parent_path() / each.asked;
    }
  }
  return {};
}

// Variables without which a program in a folder of its own does not find its libraries and texts.
// It gets no others: the job's own would make it part of the job.
std::vector<std::string> environment_to_ask_in() {
  std::vector<std::string> environment;
  for (const std::string of : {"OMPI", "PRTE"}) {  // else root gets a warning instead
    environment.push_back(of + "_ALLOW_RUN_AS_ROOT=1");
    environment.push_back(of + "_ALLOW_RUN_AS_ROOT_CONFIRM=1");
  }
  for (const char* name :
       {"PATH", "HOME", "LD_LIBRARY_PATH", "OPAL_PREFIX", "PRTE_PREFIX", "PMIX_PREFIX"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) environment.push_back(std::string(name) + "=" + value);
  }
  return environment;
}

std::vector<char*> as_vector(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

pid_t spawn(const std::string& program, int output) {
  std::vector<std::string> words = {program, "--version"}, environment = environment_to_ask_in();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = -1;
  const int failed = ::posix_spawn(&process, program.c_str(), &actions, nullptr,
                                   as_vector(words).data(), as_vector(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  return failed != 0 ? -1 : process;
}

// What the program prints for --version; empty if it cannot be run.
std::string answer_of(const std::string& program) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  const Descriptor output(ends[0]);
  Descriptor input(ends[1]);
  const pid_t process = spawn(program, input.get());
  input = Descriptor();
  if (process < 0) return {};
  const Deadline deadline(kAnswerTimeout);
  std::string text;
  while (!deadline.passed() && text.size() < kAnswerBytesMax) {
    pollfd ready{output.get(), POLLIN, 0};
    if (::poll(&ready, 1, deadline.left_ms()) <= 0) continue;
    std::array<char, 512> piece;
    const ssize_t n = ::read(output.get(), piece.data(), piece.size());
    if (n <= 0) break;
    text.append(piece.data(), static_cast<std::size_t>(n));
  }
  ::kill(process, SIGKILL);  // it has nothing more to say
  while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) continue;
  return text;
}

}  // namespace

std::optional<JobLauncher> launcher_of_several() {
  std::optional<JobLauncher> found;
  for (const Variables& each : kVariables) {
    const char* const ranks = std::getenv(each.ranks);
    if (ranks == nullptr) continue;
    const char* const rank = std::getenv(each.rank);
    found = {each.launcher, rank != nullptr ? std::atoi(rank) : 0, std::atoi(ranks)};
    if (found->ranks <= 1) return std::nullopt;
  }
  return found;
}

std::optional<JobLauncher> starter_of_several() {
  for (const Variables& each : kVariables) {
    if (std::getenv(each.ranks) != nullptr) return launcher_of_several();
  }
  const char* const task = std::getenv("SLURM_PROCID");
  const char* const tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  if (task == nullptr || tasks == nullptr || std::atoi(tasks) <= 1) return std::nullopt;
  return JobLauncher{kSrun, std::atoi(task), std::atoi(tasks)};
}

bool is_below(const JobLauncher& launcher) { return !program_to_ask(launcher.name).empty(); }

std::string with_version(const JobLauncher& launcher) {
  const std::string name(launcher.name);
  const char* const own = std::getenv("OMPI_VERSION");  // set by mpirun itself from 5.0 on
  if (launcher.name == kMpirun && own != nullptr) return name + " " + own;
  const std::string program = program_to_ask(launcher.name);
  const std::string answer = program.empty() ? "" : answer_of(program);
  const std::string version = version_in(answer);
  if (version.empty()) return name;
  const bool is_prrte = answer.find("PRRTE") != std::string::npos;
  return is_prrte ? name + " (PRRTE " + version + ")" : name + " " + version;
}

}  // namespace nmt
