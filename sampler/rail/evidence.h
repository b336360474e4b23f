// SPDX-License-Identifier: BSD-3-Clause
//
// What a campaign knows of one rail so far: every repetition of this session, what earlier sessions
// of the same campaign measured, and estimates from both with drift between rounds removed.
//
// Estimates are for deciding what to measure next; what is stored are the samples as measured.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/sample.h"
#include "sampler/rail/benchmark.h"
#include "sampler/rail/stopping.h"

namespace nmt {

struct Estimate {
  double duration_ns = 0;          // of one operation
  double relative_half_width = 1;  // relative half-width of its 95 % interval
  std::size_t rounds = 0;          // that it was measured in
  bool disturbed = false;          // never measured undisturbed
  StoppingRule::State state = StoppingRule::State::kNeedsMore;
};

class Evidence {
 public:
  // `prototype` carries what all samples of the rail share: placement, origin, and the rails that
  // are busy where an experiment is beside them. `earlier` are the rail's of other sessions,
  // `session` those of this one so far; what was measured beside other rails takes no part.
  Evidence(Sample prototype, double precision, std::vector<Sample> earlier,
           const std::vector<Sample>& session = {}, Variants variants = {});

  Condition condition(const Experiment& experiment) const;
  std::uint32_t next_round() const { return next_round_; }  // above all that earlier sessions used

  // Adds repetitions to the session's sample of this cell and returns it.
  const Sample& add(const Experiment& experiment, bool held_out,
                    const std::vector<Repetition>& repetitions, double run_delay_ns);

  // Says of some of a cell's repetitions whether they were disturbed; true where that is news.
  bool mark(const Experiment& experiment, bool held_out, std::size_t first, std::size_t count,
            bool disturbed);
  const Sample& sample(const Experiment& experiment, bool held_out) const;  // must be there

  // Estimates anew, from everything there is; call after a round.
  void refresh();
  // Null where never measured. Held-out cells are known apart.
  const Estimate* find(const Experiment& experiment, bool held_out = false) const;

  // Sizes at which a transfer was measured (and not held out), ascending.
  const std::vector<std::uint64_t>& sizes_bytes(Regime regime, bool contended = false) const {
    return sizes_bytes_[contended][static_cast<std::size_t>(regime)];
  }
  const std::map<Experiment, Estimate>& estimates() const { return estimates_; }

  // What one operation will take at most, for planning: an estimate, else the last duration noted
  // at this or the next larger size, else that of the next smaller one, scaled; 0 where there is
  // none.
  double guess_ns(const Experiment& experiment) const;
  void note_guess(const Experiment& experiment, double duration_ns);

  const std::vector<Sample>& session_samples() const { return session_; }
  double drift() const { return drift_; }  // largest departure of a round from the usual speed

 private:
  Sample prototype_;
  double precision_;
  Variants variants_;
  std::vector<Sample> earlier_;
  std::vector<Sample> session_;
  std::map<std::pair<Experiment, bool>, std::size_t> index_;  // into session_; bool: held out
  std::map<Experiment, Estimate> estimates_;
  std::map<Experiment, Estimate> held_out_estimates_;
  std::vector<std::uint64_t> sizes_bytes_[2][2];  // beside or not, by regime
  std::map<Experiment, double> guesses_ns_;
  std::uint32_t next_round_ = 0;
  double drift_ = 0;
};

}  // namespace nmt
