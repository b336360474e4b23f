// SPDX-License-Identifier: BSD-3-Clause
//
// One rail's share of a campaign: rounds of shuffled blocks until nothing is wanted any more, or
// its time is up.
//
// A block is one size under one regime, all its experiments interleaved, so that what is compared
// was measured within milliseconds. A round visits the anchor sizes and whatever is wanted most;
// blocks that were disturbed stay, marked, and are tried once more at its end. Rounds of held-out
// sizes alternate with the others, so that truth is measured in the same states of the machine as
// what it verifies. Knows no rail and no process: a Benchmark measures, hooks store.
#pragma once

#include <functional>
#include <random>
#include <vector>

#include "sampler/benchmark.h"
#include "sampler/evidence.h"
#include "sampler/journal.h"
#include "sampler/offer.h"
#include "sampler/pacing.h"
#include "sampler/refine.h"
#include "sampler/sampler.h"

namespace nmt {

class RailCampaign {
 public:
  struct Hooks {
    std::function<void(std::span<const Sample>)> measured;  // cells, as they are now
    std::function<void(std::string_view phase)> progress;
    std::function<bool()> interrupted;
  };
  struct Setting {
    Offer offer;
    Sample prototype;             // what all samples of the rail share
    std::vector<Sample> earlier;  // of previous sessions
    // A machine, with states and noise of its own, against a description of one: watched by
    // sentinels in each block, and measured in repetitions that outlast its shortest noise.
    bool real = true;
  };

  RailCampaign(Benchmark& benchmark, const SamplingOptions& options, Setting setting, Hooks hooks,
               double budget_ns);

  RailReport run();

 private:
  struct Block {
    Regime regime = Regime::kHot;
    std::uint64_t size_bytes = 0;
    bool held_out = false;
    bool anchor = false;  // only there to tie the round to the others: one pass over the transfers
  };

  void warm_up();
  void scout();
  std::vector<std::uint64_t> choose_held_out();
  std::vector<Block> first_round() const;
  std::vector<Block> next_round();
  std::vector<Block> sampling_round();
  std::vector<Block> verifying_round();
  void add_anchors(std::vector<Block>* blocks) const;
  void run_round(std::vector<Block> blocks);
  std::vector<Block> run_blocks(const std::vector<Block>& blocks);  // returns the disturbed ones
  void run_block(const Block& block);
  Signature signature_of(const BlockResult& result, std::span<const Step> steps) const;
  std::vector<Experiment> experiments(const Block& block) const;
  double held_out_score(std::uint64_t size_bytes) const;
  std::uint32_t passes(const Block& block) const { return block.anchor ? 1 : kPasses; }
  double cost_ns(const Block& block) const {
    return pacing_.cost_ns(experiments(block), passes(block));
  }
  double now_ns() const { return static_cast<double>(benchmark_.clock().now_ns()); }
  bool over() const { return out_of_time_ || hooks_.interrupted(); }
  RailReport report() const;

  Benchmark& benchmark_;
  SamplingOptions options_;
  Offer offer_;
  bool real_;
  Hooks hooks_;
  double start_ns_;
  double deadline_ns_;
  Evidence evidence_;
  Journal journal_;
  Pacing pacing_;
  std::mt19937_64 random_;
  std::uint32_t round_;
  std::vector<Experiment> sentinels_;
  std::vector<std::uint64_t> held_out_;
  std::size_t watch_repetitions_ = 0;
  double verifying_ns_ = 0;  // spent on held-out sizes so far
  bool out_of_time_ = false;
  bool satisfied_ = false;  // nothing is wanted any more
};

}  // namespace nmt
