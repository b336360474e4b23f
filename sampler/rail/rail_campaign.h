// SPDX-License-Identifier: BSD-3-Clause
//
// One rail's part of a campaign, alone or beside busy rails: rounds of shuffled blocks until no
// request is left, or its time is up.
//
// A round visits shuffled blocks (sampler/rail/schedule.h). A disturbed block stays, marked, and is
// tried once more at the end of the round. This class knows no rail and no process: a Benchmark
// measures, hooks store.
#pragma once

#include <functional>
#include <random>
#include <vector>

#include "sampler/rail/benchmark.h"
#include "sampler/rail/campaign.h"
#include "sampler/rail/evidence.h"
#include "sampler/rail/journal.h"
#include "sampler/rail/measurement_space.h"
#include "sampler/rail/pacing.h"
#include "sampler/rail/schedule.h"

namespace nmt::sampler {

class RailCampaign {
 public:
  struct Hooks {
    std::function<void(std::span<const Sample>)> measured;  // current state of cells
    std::function<void(std::string_view phase)> progress;
    std::function<bool()> interrupted;
  };
  struct Setting {
    MeasurementSpace space;
    Sample prototype;             // shared by all samples of the rail
    std::vector<Sample> earlier;  // of previous sessions
    std::vector<Sample> session;  // of this one: measured of the rail already
    // A machine with its own states and noise, not a description of one: sentinels watch each
    // block, and repetitions are longer than the machine's shortest noise.
    bool real = true;
  };

  RailCampaign(Benchmark& benchmark, const SamplingOptions& options, Setting setting, Hooks hooks,
               double budget_ns);

  RailReport run();

 private:
  void warm_up();
  void measure_landmarks();
  bool landmarks_known() const;
  void measure_all(const std::vector<Block>& first);
  void probe_all();
  void probe(const std::vector<Experiment>& experiments);
  void run_round(std::vector<Block> blocks);
  std::vector<Block> run_blocks(const std::vector<Block>& blocks);  // returns the disturbed ones
  void run_block(const Block& block);
  void wait_for_quiet();
  SentinelTimes sentinel_times(const BlockResult& result, std::span<const Step> steps) const;
  double now_ns() const { return static_cast<double>(benchmark_.clock().now_ns()); }
  bool over() const { return out_of_time_ || hooks_.interrupted(); }
  RailReport report() const;

  Benchmark& benchmark_;
  SamplingOptions options_;
  MeasurementSpace space_;
  bool real_;
  Hooks hooks_;
  double start_ns_;
  double deadline_ns_;
  Evidence evidence_;
  Journal journal_;
  Pacing pacing_;
  std::mt19937_64 random_;
  Schedule schedule_;
  std::uint32_t round_;
  std::vector<Experiment> sentinels_;
  std::size_t watch_repetitions_ = 0;
  double verifying_ns_ = 0;  // spent on held-out sizes so far
  double waited_ns_ = 0;     // for other work to end
  bool patient_ = true;      // no wait was in vain yet
  bool out_of_time_ = false;
};

}  // namespace nmt::sampler
