// SPDX-License-Identifier: BSD-3-Clause
//
// One rail's share of a campaign: rounds of shuffled blocks until nothing is wanted any more, or
// its time is up.
//
// A block is one size under one regime, all its experiments interleaved in shuffled passes, so that
// what is compared was measured within milliseconds. A round visits the anchor sizes and whatever
// is wanted most; a block that something disturbed stays, marked, and is tried once more at the
// round's end. Knows no rail and no process: a Benchmark measures, a Sink stores.
#pragma once

#include <functional>
#include <random>
#include <vector>

#include "sampler/benchmark.h"
#include "sampler/evidence.h"
#include "sampler/offer.h"
#include "sampler/refine.h"
#include "sampler/sampler.h"

namespace nmt {

// Both ends together waited for a core, or the hypervisor took one away, for more than this share
// of the block.
bool is_disturbed(const Interference& interference, std::uint64_t elapsed_ns);

class RailCampaign {
 public:
  struct Hooks {
    std::function<void(std::span<const Sample>)> measured;  // cells of a block, as they are now
    std::function<void(std::string_view phase)> progress;
    std::function<bool()> interrupted;
  };

  RailCampaign(Benchmark& benchmark, const Offer& offer, const SamplingOptions& options,
               Sample prototype, std::vector<Sample> earlier, Hooks hooks);

  // Measures for at most `budget_ns` of the benchmark's clock, held-out sizes included.
  RailReport run(double budget_ns);

 private:
  struct Block {
    Regime regime = Regime::kHot;
    std::uint64_t size_bytes = 0;
    bool held_out = false;
  };

  void warm_up();
  void scout(double deadline_ns);
  void sample(double deadline_ns);
  void verify(double deadline_ns);
  std::vector<std::uint64_t> choose_held_out();
  std::vector<Block> first_round() const;
  std::vector<Block> next_round(double time_ns);
  bool run_round(std::vector<Block> blocks, double deadline_ns, std::string_view phase);
  bool run_block(const Block& block);  // false: disturbed
  std::vector<Experiment> experiments(const Block& block) const;
  std::uint32_t batch_of(const Experiment& experiment) const;
  std::uint32_t repetitions_of(const Experiment& experiment) const;
  std::uint32_t warm_ups_of(const Experiment& experiment) const;
  double cost_ns(const Block& block) const;
  double now_ns() const { return static_cast<double>(benchmark_.clock().now_ns()); }
  RailReport report() const;

  Benchmark& benchmark_;
  Offer offer_;
  SamplingOptions options_;
  Evidence evidence_;
  Hooks hooks_;
  std::mt19937_64 random_;
  double visit_ns_max_ = 0;  // what one experiment may take in one block
  std::uint32_t round_ = 0;
  std::vector<std::uint64_t> held_out_;
  std::size_t repetitions_ = 0;
  std::size_t disturbed_ = 0;
  bool satisfied_ = false;  // ended because nothing was wanted any more
};

}  // namespace nmt
