// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/job.h"

#include <exception>

#include "core/error.h"
#include "tools/sample/job_campaign.h"

namespace nmt {
std::string mpi_of(const SampleOptions& options) {
  return !options.mpi.empty() ? options.mpi : control::launching_mpi().value_or("");
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

}  // namespace nmt
