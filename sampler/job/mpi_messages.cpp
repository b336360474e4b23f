// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/job/mpi_messages.h"

#include <algorithm>

#include "core/method.h"
#include "sampler/job/rounds.h"

namespace nmt::sampler {
namespace {

// Powers of two, and both sides of the size where the method changes.
std::vector<std::uint64_t> sizes_bytes(std::uint64_t most_bytes, std::uint64_t rendezvous_bytes) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size_bytes = 1; size_bytes <= most_bytes; size_bytes *= 2) {
    sizes.push_back(size_bytes);
  }
  if (rendezvous_bytes > 1 && rendezvous_bytes <= most_bytes) {
    sizes.push_back(rendezvous_bytes - 1);
    sizes.push_back(rendezvous_bytes);
  }
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

// The smallest size that waits for the receiver; above `most_bytes` if none does.
std::uint64_t find_rendezvous(JobRounds& rounds, int partner, std::uint64_t most_bytes) {
  std::uint64_t eager_bytes = 0, waits_bytes = most_bytes + 1;
  while (waits_bytes - eager_bytes > 1) {
    const std::uint64_t size_bytes = eager_bytes + (waits_bytes - eager_bytes) / 2;
    const Order order{
        .operation = JobOperation::kEarly, .subject = partner, .size_bytes = size_bytes};
    (rounds.run_on_all(order).front() > 0 ? eager_bytes : waits_bytes) = size_bytes;
  }
  return waits_bytes;
}

}  // namespace

CampaignReport run_mpi_messages(const control::MpiJob& job, const std::string& mpi_name,
                                const MpiMessageOptions& options, Observer* observer) {
  const JobShape shape = JobShape::of(job);
  JobExecutor executor(job, shape);
  if (!job.leads()) {
    executor.follow();
    return {};
  }
  const Rail rail = mpi_rail(mpi_name);
  JobRounds rounds(job, shape, executor, rail, options.budget_ns, options.seed, *observer);
  const auto prepare = [&] {
    const std::uint64_t rendezvous_bytes =
        find_rendezvous(rounds, shape.nodes[1].front(), options.size_bytes_max);
    std::vector<JobCell> cells;
    for (const std::uint64_t size_bytes : sizes_bytes(options.size_bytes_max, rendezvous_bytes)) {
      JobCell& cell = cells.emplace_back();
      cell.order = {.operation = JobOperation::kMessage, .size_bytes = size_bytes};
      cell.samples.push_back(mpi_sample(job, benchmark::kMessage, 2, size_bytes));
      cell.samples.back().condition.method =
          to_string(size_bytes < rendezvous_bytes ? Method::kCopy : Method::kRendezvous);
    }
    return cells;
  };
  return rounds.run({.prepare = prepare});
}

}  // namespace nmt::sampler
