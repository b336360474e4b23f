// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/job.h"

#include <exception>

#include "core/error.h"
#include "tools/sample/job_campaign.h"

namespace nmt::tools {
std::string mpi_of(const SampleOptions& options) {
  if (!options.mpi.empty()) return options.mpi;
  if (control::is_task_without_mpi()) {
    throw Error(
        Fault::kUsage,
        "this process is one of several tasks of a Slurm step, and srun started them without "
        "an MPI protocol: each task would sample its node as if it were alone. Use srun "
        "--mpi=pmix (Open MPI) or srun --mpi=pmi2 (MPICH), or a single task: srun -n 1");
  }
  return control::launching_mpi().value_or("");
}

// An error also sends the last order to all ranks.
Report sample_in_job(const SampleOptions& options, const Invocation& invocation,
                     const std::string& mpi) {
  std::exception_ptr failure;
  Report report;
  {
    const control::MpiJob job(mpi);
    JobCampaign campaign(job, options, invocation, mpi);
    try {
      report = job.leads() ? campaign.lead() : campaign.follow();
    } catch (const Error&) {
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  return report;
}

}  // namespace nmt::tools
