// SPDX-License-Identifier: BSD-3-Clause
//
// What a campaign knows about one rail: every repetition of this session, the samples of earlier
// sessions of the same campaign, and estimates from both with the drift between rounds removed.
//
// Estimates only decide what to measure next; the samples are stored as measured.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/sample.h"
#include "sampler/rail/benchmark.h"
#include "sampler/rail/stopping.h"

namespace nmt::sampler {

struct Estimate {
  double duration_ns = 0;          // of one operation
  double relative_half_width = 1;  // relative half-width of its 95 % interval
  std::size_t rounds = 0;          // in which it was measured
  bool disturbed = false;          // never measured undisturbed
  StoppingRule::State state = StoppingRule::State::kNeedsMore;
};

class Evidence {
 public:
  // `prototype`: what all samples of the rail share: placement, origin, and the busy rails of
  // contended experiments. `earlier`: the rail's samples of other sessions; `session`: those of
  // this one so far. Samples measured beside other rails are ignored.
  Evidence(Sample prototype, double precision, std::vector<Sample> earlier,
           const std::vector<Sample>& session = {}, Variants variants = {});

  Condition condition(const Experiment& experiment) const;
  std::uint32_t next_round() const { return next_round_; }  // after all rounds of earlier sessions

  // Adds repetitions to the session's sample of this cell and returns it.
  const Sample& add(const Experiment& experiment, bool held_out,
                    const std::vector<Repetition>& repetitions, double run_delay_ns);

  // Marks some of a cell's repetitions as disturbed or not; true if a mark changed.
  bool mark(const Experiment& experiment, bool held_out, std::size_t first, std::size_t count,
            bool disturbed);
  const Sample& sample(const Experiment& experiment, bool held_out) const;  // must exist

  // Computes all estimates again; call it after a round.
  void refresh();
  // Null if never measured. Held-out cells are separate.
  const Estimate* find(const Experiment& experiment, bool held_out = false) const;

  // Sizes at which a transfer was measured (without held-out ones), ascending.
  const std::vector<std::uint64_t>& sizes_bytes(Regime regime, bool contended = false) const {
    return sizes_bytes_[contended][static_cast<std::size_t>(regime)];
  }
  const std::map<Experiment, Estimate>& estimates() const { return estimates_; }

  // Expected duration of one operation, for planning: its estimate; else the last duration noted at
  // this or the next larger size; else that of the next smaller size, scaled; 0 if there is none.
  double guess_ns(const Experiment& experiment) const;
  void note_guess(const Experiment& experiment, double duration_ns);

  const std::vector<Sample>& session_samples() const { return session_; }
  double drift() const { return drift_; }  // largest deviation of a round from the usual speed

 private:
  Sample prototype_;
  double precision_;
  Variants variants_;
  std::vector<Sample> earlier_;
  std::vector<Sample> session_;
  std::map<std::pair<Experiment, bool>, std::size_t> index_;  // index into session_; bool: held out
  std::map<Experiment, Estimate> estimates_;
  std::map<Experiment, Estimate> held_out_estimates_;
  std::vector<std::uint64_t> sizes_bytes_[2][2];  // [contended][regime]
  std::map<Experiment, double> guesses_ns_;
  std::uint32_t next_round_ = 0;
  double drift_ = 0;
};

}  // namespace nmt::sampler
