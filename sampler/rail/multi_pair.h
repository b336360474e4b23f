// SPDX-License-Identifier: BSD-3-Clause
//
// Several pairs of ranks that use one rail at the same time, as jobs with many ranks per node do.
//
// One rank of the near node leads: its campaign decides what is measured and stores it. Each of its
// companions, the other near ranks, repeats every block with a far rank of its own. Before the
// repetitions of each step (but not of probes, which only plan) all near ranks wait for each other,
// so that all send the same at once; within a step each goes at its own pace, with as much to do as
// the others. The times of all ranks are repetitions of the leader's cells.
//
// They talk over control connections, by the kinds of sampler/rail/remote.h:
//
//   leader                               companion
//   kOpen     the rail's name       ->       opens it to its own far rank
//                                   <-   kReady
//   kBlock    steps                 ->
//             before the timed part <-   kLineUp
//             of each step          ->   kLineUp
//                                   <-   kDone   its times and interference
//   kClose                          ->   kClosed, in any case
//   kEnd      the report            ->       passes it on to its far rank
//
// A companion may send kFailure with the cause instead of anything.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "control/control.h"
#include "sampler/rail/benchmark.h"
#include "sampler/rail/campaign.h"

namespace nmt::sampler {

// ---- of the leader ----

void open_companions(Companions companions, const std::string& rail);  // does not wait for them
void line_up(Companions companions);
// Error(kPeer) if one of them is lost; the others are closed first.
void close_companions(Companions companions);

// The leader's own pair, which calls line_up(), and its companions', which have been told to open.
class MultiPair final : public Benchmark {
 public:
  MultiPair(Benchmark& own, Companions companions);  // waits until all are open
  BlockResult run(std::span<const Step> block) override;
  const Clock& clock() const override { return own_.clock(); }

 private:
  Benchmark& own_;
  Companions companions_;
};

// Ends the companions' part of a campaign, also if the leader's ends by an error.
class CompanionsEnd {
 public:
  explicit CompanionsEnd(Companions companions);
  ~CompanionsEnd();
  CompanionsEnd(const CompanionsEnd&) = delete;
  void report(std::string text) { report_ = std::move(text); }  // remote::to_text() of it

 private:
  Companions companions_;
  std::string report_;
};

// ---- of a companion ----

struct CompanionPair {
  // Opens the rail of this name; the benchmark calls `line_up` before the repetitions of each step.
  std::function<std::unique_ptr<Benchmark>(const std::string& rail, std::function<void()> line_up)>
      open;
  std::function<void()> close;  // after the benchmark is destroyed
  std::function<void(const std::string& report)> end;
};
// Obeys the leader until it ends the campaign. Error(kPeer) if the leader or the far rank is lost.
void follow_leader(control::Connection& leader, const CompanionPair& pair,
                   std::uint64_t size_bytes_max);

// The same over real rails, whose peer is this companion's own far rank.
void accompany_campaign(std::span<const RailToSample> rails, const SamplingOptions& options,
                        control::Connection& leader);

}  // namespace nmt::sampler
