// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/hierarchy/failure_notifier.h"

#include <numeric>

#include "collectives/mpi/hierarchy/node_hierarchy.h"

namespace nmt::collectives {
namespace {

constexpr int kTag = 0;

}  // namespace

void FailureNotifier::start() {
  int rank = 0;
  check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank));
  check(PMPI_Comm_split(MPI_COMM_WORLD, 0, rank, &job_));  // a duplicate would copy attributes
  check(PMPI_Comm_set_errhandler(job_, MPI_ERRORS_RETURN));
}

void FailureNotifier::send(const FailureReport& report, MPI_Comm to) noexcept {
  MPI_Group group = MPI_GROUP_NULL, job = MPI_GROUP_NULL;
  int size = 0, self = 0;
  try {
    check(PMPI_Comm_size(to, &size));
    check(PMPI_Comm_rank(job_, &self));
    check(PMPI_Comm_group(to, &group));
    check(PMPI_Comm_group(job_, &job));
    std::vector<int> ranks(static_cast<std::size_t>(size)), in_job(ranks.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    check(PMPI_Group_translate_ranks(group, size, ranks.data(), job, in_job.data()));
    for (MPI_Group* each : {&group, &job}) check(PMPI_Group_free(each));
    const std::lock_guard lock(mutex_);
    const FailureReport& sent = sent_.emplace_back(report);
    for (const int rank : in_job) {
      MPI_Request request = MPI_REQUEST_NULL;
      if (rank == self) continue;
      check(PMPI_Isend(&sent, sizeof sent, MPI_BYTE, rank, kTag, job_, &request));
      check(PMPI_Request_free(&request));
    }
  } catch (...) {  // the others wait, as they would without a report
  }
}

void FailureNotifier::receive_all() {
  for (int there = 1; there != 0;) {
    MPI_Message message = MPI_MESSAGE_NULL;
    check(PMPI_Improbe(MPI_ANY_SOURCE, kTag, job_, &there, &message, MPI_STATUS_IGNORE));
    if (there == 0) break;
    FailureReport report;
    check(PMPI_Mrecv(&report, sizeof report, MPI_BYTE, &message, MPI_STATUS_IGNORE));
    received_.push_back(report);
  }
}

void FailureNotifier::forget_all() noexcept {
  try {
    const std::lock_guard lock(mutex_);
    receive_all();
    received_.clear();
  } catch (...) {  // no memory: UCX warns
  }
}

std::vector<FailureReport> FailureNotifier::received_for(std::uint64_t hierarchy) {
  std::vector<FailureReport> all;
  const std::lock_guard lock(mutex_);
  receive_all();
  for (const FailureReport& each : received_) {
    if (each.hierarchy == hierarchy) all.push_back(each);
  }
  std::erase_if(received_, [&](const FailureReport& each) { return each.hierarchy == hierarchy; });
  return all;
}

// A report of an absence concerns this rank if that rank takes no part in this rank's current call,
// or in an earlier one.
bool FailureWatch::concerns_this_rank(const FailureReport& report) const {
  return report.has_failed != 0 || (report.absences > absences_ && report.calls < calls_);
}

void FailureWatch::begin_call() {
  ++calls_;
  check();
}

void FailureWatch::check() {
  if (notifier_ == nullptr) return;
  for (const FailureReport& each : notifier_->received_for(hierarchy_)) later_.push_back(each);
  for (const FailureReport& each : later_) {
    if (!concerns_this_rank(each)) continue;
    failed_ = each.error_class;
    all_know_ = all_know_ || each.has_failed != 0;
  }
  if (failed_ != MPI_SUCCESS) throw FailedElsewhere{failed_};
}

FailureReport FailureWatch::report(int error_code) const {
  FailureReport report{.hierarchy = hierarchy_, .calls = calls_, .absences = absences_};
  int error_class = MPI_ERR_OTHER;
  PMPI_Error_class(error_code, &error_class);
  report.error_class = error_class;
  return report;
}

void FailureWatch::report_absence(int error_code) noexcept {
  ++absences_;
  if (notifier_ != nullptr) notifier_->send(report(error_code), comm_);
}

void FailureWatch::report_failure(int error_code) noexcept {
  if (all_know_) return;
  all_know_ = true;
  FailureReport failure = report(error_code);
  failure.has_failed = 1;
  failed_ = failure.error_class;
  if (notifier_ != nullptr) notifier_->send(failure, comm_);
}

}  // namespace nmt::collectives
