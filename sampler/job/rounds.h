// SPDX-License-Identifier: BSD-3-Clause
//
// Rank 0's part of a campaign of a job: cells in shuffled rounds, so that what drifts does so for
// all of them, until the budget is spent. All are in each round, or as many as have taken less than
// their share of the time.
#pragma once

#include <functional>
#include <random>
#include <vector>

#include "sampler/job/executor.h"
#include "sampler/observer.h"
#include "sampler/report.h"

namespace nmt {

struct JobCell {
  Order order;
  std::vector<Sample> samples;  // one for each number that the order gives
  double warm_up_ns = 0;        // the last that came before its samples
  double usual_ns = 0;
  std::uint32_t visits = 0;
  double taken_ns = 0;  // by all visits
};

class JobRounds {
 public:
  JobRounds(const control::MpiJob& job, const JobShape& shape, JobExecutor& executor,
            const Rail& rail, double budget_ns, std::uint64_t seed, Observer& observer);

  // All ranks do it; what it gives. One repetition usually takes so long, if that is known.
  std::vector<double> run_on_all(Order order, double usual_ns = 0);

  // Measures the cells. The others hear of the end, however it comes; what `prepare` does first is
  // part of that. Cells that the budget has no time for may be left out by `leave_out`, the largest
  // size first; it says whether there was one. Those that are worth adding by what was measured so
  // far, with what they may usually take, are added while the budget has time for them: of several
  // choices the first that it has time for. `after_round` may give cells up for good.
  //
  // Where cells share the time evenly, those of large messages, which differ less by chance, wait
  // for the others to have taken as long; each is visited some times at least, and none when it has
  // been often enough.
  using Choice = std::vector<JobCell>;
  struct Hooks {
    std::function<std::vector<JobCell>()> prepare;
    std::function<bool(std::vector<JobCell>&)> leave_out = {};
    std::function<std::vector<Choice>(const std::vector<JobCell>&)> more = {};
    std::function<void(std::vector<JobCell>&)> after_round = {};
    bool even_time = false;
  };
  CampaignReport run(const Hooks& hooks);

 private:
  CampaignReport measure(const Hooks& hooks);
  void compare_clocks();
  void warm_up(JobCell& cell, bool even_time);
  void add_cells(const Hooks& hooks, std::uint32_t round, double end_ns);
  std::vector<JobCell*> due_cells(bool even_time);
  void visit(JobCell& cell, std::uint32_t round);
  void report_progress(double start_ns, std::uint32_t round);
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
  double clock_ns_ = 0;        // when clocks were compared last,
  double clock_usual_ns_ = 0;  // and how long that took; 0: never done
};

// A sample of what an MPI does, of messages or alltoalls.
Sample mpi_sample(const control::MpiJob& job, std::string_view benchmark, int ranks,
                  std::uint64_t size_bytes);

}  // namespace nmt
