// SPDX-License-Identifier: BSD-3-Clause
//
// Rank 0's part of a campaign of a job: measures cells in shuffled rounds, so that all of them
// drift alike, until the budget is spent. A round visits all cells, or those that have used less
// than their share of the time.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "sampler/job/executor.h"
#include "sampler/observer.h"
#include "sampler/report.h"

namespace nmt::sampler {

struct JobCell {
  Order order;
  std::vector<Sample> samples;  // one per number that the order returns
  double warm_up_ns = 0;        // duration of the last run before its samples
  double usual_ns = 0;
  std::uint32_t visits = 0;
  double taken_ns = 0;  // time of all visits
};

class JobRounds {
 public:
  JobRounds(const control::MpiJob& job, const JobShape& shape, JobExecutor& executor,
            const Rail& rail, double budget_ns, std::uint64_t seed, Observer& observer);

  // Runs an order on all ranks and returns its result. `usual_ns`: usual duration of one
  // repetition, if known.
  std::vector<double> run_on_all(Order order, double usual_ns = 0);

  // Measures the cells. The other ranks get kEnd, however it ends. First `prepare` makes the cells,
  // also within the budget. `leave_out` may drop cells that the budget has no time for, the largest
  // size first; it returns whether it dropped one. `more` returns cells worth adding after what was
  // measured so far, with their expected durations; of several choices, the first that the budget
  // has time for is added. `after_round` may give up cells for good.
  //
  // With `even_time`, cells share the time evenly: cells of large messages, which vary less, wait
  // until the others have taken as long. Each is visited a minimum number of times, and no more
  // once it has enough visits.
  using Choice = std::vector<JobCell>;
  struct Hooks {
    std::function<std::vector<JobCell>()> prepare;
    std::function<bool(std::vector<JobCell>&)> leave_out = {};
    std::function<std::vector<Choice>(const std::vector<JobCell>&)> more = {};
    std::function<void(std::vector<JobCell>&)> after_round = {};
    bool even_time = false;
    std::string subject = {};  // of progress: "2x4"; empty: only the round is named
  };
  CampaignReport run(const Hooks& hooks);

 private:
  CampaignReport measure(const Hooks& hooks);
  void compare_clocks();
  void warm_up(JobCell& cell, bool even_time);
  void add_cells(const Hooks& hooks, std::uint32_t round, double end_ns);
  std::vector<JobCell*> due_cells(bool even_time);
  void visit(JobCell& cell, std::uint32_t round);
  void report_progress(double start_ns, const std::string& subject, std::uint32_t round);
  RailReport rail_report(const CampaignReport& campaign) const;

  const control::MpiJob& job_;
  const JobShape& shape_;
  JobExecutor& executor_;
  const Rail& rail_;
  double budget_ns_;
  Observer& observer_;
  std::mt19937_64 random_;
  std::vector<JobCell> cells_;
  std::size_t partners_ = 0;
  double clock_ns_ = 0;        // when clocks were last compared,
  double clock_usual_ns_ = 0;  // and how long that took; 0: never compared
};

// A sample of an MPI's messages or collectives.
Sample mpi_sample(const control::MpiJob& job, std::string_view benchmark, int ranks,
                  std::uint64_t size_bytes);

}  // namespace nmt::sampler
