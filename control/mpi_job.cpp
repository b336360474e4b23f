// SPDX-License-Identifier: BSD-3-Clause
#include "control/mpi_job.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>

#include "core/error.h"
#include "core/launcher.h"

namespace nmt::control {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kTextBytesMax = std::uint64_t{1} << 30;

// Where the module is when installed, and when built: relative to the folder of this program.
std::vector<fs::path> module_files(const std::string& name) {
  std::error_code ignored;
  const fs::path programs = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  std::vector<fs::path> files;
  for (const char* folder : {NMT_MODULES_FROM_PROGRAMS, "../lib/nmadtune"}) {
    files.push_back((programs / folder / name / "nmadtune-mpi.so").lexically_normal());
  }
  return files;
}

const nmt_mpi_table* load(const std::string& name) {
  if (name != kOpenMpi && name != kMpich) {
    throw Error(Fault::kUsage,
                fmt::format("--mpi: no MPI '{2}'; write {0} or {1}", kOpenMpi, kMpich, name));
  }
  std::string reason;
  for (const fs::path& file : module_files(name)) {
    // RTLD_GLOBAL, because an MPI looks for its own parts among the symbols of the whole process.
    void* module = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (module == nullptr) {
      if (reason.empty() || fs::exists(file)) reason = ::dlerror();
      continue;
    }
    const auto table =
        reinterpret_cast<decltype(&nmt_mpi_module)>(::dlsym(module, NMT_MPI_MODULE_SYMBOL));
    if (table != nullptr && table()->struct_bytes == sizeof(nmt_mpi_table)) return table();
    reason = file.string() + ": belongs to another version of nmadtune; install the same version";
  }
  throw Error(
      Fault::kFailed,
      fmt::format("{0} launched this job, but the module for it is missing ({1}); install {0}'s "
                  "development package ({2}) and build nmadtune again",
                  name, reason, name == kOpenMpi ? "libopenmpi-dev" : "libmpich-dev"));
}

volatile std::sig_atomic_t exit_code = 0;

extern "C" void leave_now(int) { ::_exit(exit_code); }

// The other ranks of a job wait in MPI_Init for one that was refused, since it belongs to another
// MPI. mpirun ends a job with the first rank that fails; mpiexec does so where a rank asks for it,
// by a line of PMI 1.
void end_job_of_mpiexec(int code) {
  const auto launcher = launcher_of_several();
  const char* descriptor = std::getenv("PMI_FD");
  if (!launcher || launcher->name != kMpiexec || descriptor == nullptr) return;
  if (!is_below(*launcher)) return;  // but below srun, which has a PMI_FD as well
  ::dprintf(std::atoi(descriptor), "cmd=abort exitcode=%d\n", code);
}

// The last action of this process, because MPI_Finalize may hang: MPICH over UCX's TCP waits for
// ever for an answer of a rank that has already finished. All output is written before.
void leave(int code, void* table) {
  constexpr unsigned kPatienceS = 10;
  std::fflush(nullptr);
  exit_code = code;
  ::signal(SIGALRM, leave_now);
  ::alarm(kPatienceS);
  const auto& mpi = *static_cast<const nmt_mpi_table*>(table);
  const bool alone = mpi.size() == 1;
  mpi.finish();
  ::alarm(0);
  if (alone && code != 0) end_job_of_mpiexec(code);
}

// Started by srun itself, not by a launcher of an MPI within the step. To be asked before the MPI
// starts, which may set such variables itself. `srun --mpi=pmi2` sets those of MPICH's mpiexec.
bool is_task_of_srun() {
  const std::optional<JobLauncher> starter = starter_of_several();
  if (!starter || starter->name == kSrun) return starter.has_value();
  return std::getenv("SLURM_STEP_NUM_TASKS") != nullptr && !is_below(*starter);
}

// Each process would run the whole command, all of them on one profile.
void refuse_ranks_apart(const nmt_mpi_table& table, bool of_srun) {
  if (table.size() > 1) return;
  if (of_srun) {
    throw Error(
        Fault::kUsage,
        fmt::format("srun started {} tasks, but for {}, which this process has loaded, each of "
                    "them is a job of its own; use srun --mpi=pmix for Open MPI, srun --mpi=pmi2 "
                    "for MPICH, or a single task: srun -n 1",
                    std::getenv("SLURM_STEP_NUM_TASKS"), table.library()));
  }
  const auto launcher = launcher_of_several();
  if (!launcher) return;
  throw Error(
      Fault::kUsage,
      fmt::format("{} launched {} ranks, but for {}, which this process has loaded, each of "
                  "them is a job of its own; launch it with the launcher of that MPI and "
                  "version, or name another with --mpi",
                  with_version(*launcher), launcher->ranks, table.library()));
}

}  // namespace

std::optional<std::string> launching_mpi() {
  const auto has = [](const char* variable) { return std::getenv(variable) != nullptr; };
  if (has("OMPI_COMM_WORLD_SIZE")) return std::string(kOpenMpi);
  if (has("PMI_RANK") || has("PMI_FD")) return std::string(kMpich);
  if (has("PMIX_RANK") && has("PMIX_NAMESPACE")) return std::string(kOpenMpi);
  return std::nullopt;
}

bool is_task_without_mpi() { return is_task_of_srun() && !launching_mpi(); }

MpiJob::MpiJob(const std::string& name) : table_(load(name)) {
  const bool of_srun = is_task_of_srun();
  table_->start();
  try {
    refuse_ranks_apart(*table_, of_srun);
    refuse_mixed_versions();
  } catch (...) {
    ::on_exit(leave, const_cast<nmt_mpi_table*>(table_));
    throw;
  }
}

// Ranks of two versions of an MPI, on two nodes, may understand each other. What they measure
// together belongs to neither.
void MpiJob::refuse_mixed_versions() const {
  if (size() == 1) return;
  const std::vector<std::string> libraries = gather(library());
  const auto other =
      std::ranges::find_if(libraries, [&](const auto& each) { return each != libraries.front(); });
  std::string both;
  if (other != libraries.end()) {
    both = fmt::format("rank 0 runs {}, and rank {} runs {}", libraries.front(),
                       other - libraries.begin(), *other);
  }
  broadcast(both);
  if (both.empty()) return;
  throw Error(
      Fault::kUsage,
      fmt::format("two versions of an MPI are mixed in this job: {}; let all nodes load the "
                  "same one (PATH and LD_LIBRARY_PATH on each of them)",
                  both));
}

// A failure of only one rank would keep the others waiting, so an exception aborts the job.
MpiJob::~MpiJob() {
  if (!leaves_) return;
  if (std::uncaught_exceptions() > 0) {
    table_->abort(1);
  } else {
    ::on_exit(leave, const_cast<nmt_mpi_table*>(table_));
  }
}

std::vector<int> MpiJob::nodes() const {
  std::vector<int> nodes(static_cast<std::size_t>(size()));
  table_->nodes(nodes.data());
  return nodes;
}

void MpiJob::broadcast(std::string& text) const {
  std::uint64_t size_bytes = text.size();
  table_->broadcast(&size_bytes, sizeof size_bytes);
  NMT_CHECK(size_bytes <= kTextBytesMax);
  text.resize(size_bytes);
  table_->broadcast(text.data(), size_bytes);
}

std::vector<std::string> MpiJob::gather(const std::string& text) const {
  return gather_along_tree(*table_, text);
}

std::vector<std::string> MpiJob::to_all(const std::string& text) const {
  return gather_for_all(*table_, text);
}

void MpiJob::collect(std::span<const int> ranks, const std::string& text,
                     const TakeText& take) const {
  collect_one_by_one(*table_, ranks, text, take);
}

JobPart::JobPart(const MpiJob& job, std::span<const int> ranks) : job_(job) {
  job_.mpi().narrow(ranks.data(), static_cast<int>(ranks.size()));
}

JobPart::~JobPart() { job_.mpi().widen(); }

}  // namespace nmt::control
