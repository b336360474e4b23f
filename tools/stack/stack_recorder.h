// SPDX-License-Identifier: BSD-3-Clause
//
// A campaign about another stack in the profile: its rails, and the results of each launch with its
// settings, on disk before the next launch.
//
// Results of a transport are stored under the settings that affect it, so that one launch can try
// settings of several transports. docs/exports.md, "What is stored".
//
// Where the cores of a virtual machine were nearer or further apart than in most launches,
// messages between them count as disturbed.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "profiledb/profiledb.h"
#include "sampler/sampler.h"
#include "tools/command/command.h"

namespace nmt::tools {

// The settings of one launch.
struct StackVariant {
  Fields settings;
  std::string method;     // copy or rendezvous if it was forced
  std::string interface;  // the only interface in use, else empty
};

class StackRecorder {
 public:
  // Begins a campaign on this machine. `options` are its own; the stack's are added. `first` gives
  // the hosts and the library.
  StackRecorder(profiledb::ProfileDb& db, const sampler::StackJob& job,
                const sampler::LaunchedRound& first, Fields options, const Invocation& invocation);

  // Adds the results of a launch. Rounds are counted over the whole campaign.
  void add(const sampler::LaunchedRound& launched, const StackVariant& variant,
           std::uint32_t round);
  // Adds other kinds, collectives or programs, as samples of rail "STACK/KIND". Repetitions are
  // appended to those of the same cells.
  void add(const std::string& kind, const std::vector<Sample>& samples);

  void finish(bool complete, const std::string& remark);

  std::vector<stacks::StackSamples> samples() const;  // of this campaign so far

  // Rounds from `from` on that have a launch in which the cores were nearer or further apart than
  // usual.
  std::size_t moved_rounds(std::uint32_t from) const;
  // `rounds`, and one more for each of those from `from` on, up to twice as many in all.
  std::uint64_t rounds_in_all(std::uint32_t from, std::uint64_t rounds) const {
    return rounds + std::min<std::uint64_t>(moved_rounds(from), rounds);
  }
  // What was usual so far remains it. So limits are tried in the state in which they were found.
  void settle_state() { states_.settle(); }
  // The median of the time in which the larger block passed to the other core and back after the
  // messages of usual launches (sampler/stack/rank_messages.h); 0 if no launch tells.
  double core_exchange_ns() const;

  const Campaign& campaign() const { return campaign_; }
  const Platform& platform() const { return platform_; }
  std::size_t cells() const { return samples_.size(); }
  std::size_t repetitions() const { return repetitions_; }

 private:
  using Cell = std::tuple<Id, Condition, std::uint64_t>;
  // The repetitions of one launch within a node, as parts of those of their cells.
  struct Launch {
    struct Part {
      Cell cell;
      std::size_t first = 0, count = 0;
    };
    std::uint32_t round = 0;
    std::vector<Part> parts;
    double core_exchange_ns = 0;
    bool usual = true;
  };

  // Returns the cells of launches that have become usual, or no longer are.
  std::set<Cell> judge_states(const std::vector<double>& core_exchanges_ns, Launch launch);
  void store(const std::set<Cell>& cells);
  Id path_of(const std::string& transport, const std::string& interface, bool same_node);

  profiledb::ProfileDb& db_;
  std::string stack_;
  Platform platform_;
  Node here_, there_;
  Campaign campaign_;
  Session session_;
  std::map<std::string, Id> paths_;
  std::map<Cell, Sample> samples_;
  std::size_t repetitions_ = 0;
  sampler::StateWatch states_;    // of each of the launches
  std::vector<Launch> launches_;  // with two ranks on a node
};

stacks::Transport transport_of(const stacks::StackSamples& samples);

// Options of a campaign that measured collectives where coll/han is asked before coll/tuned, and
// where it is asked after it.
inline const std::string kHanChooses = "han_chooses";
inline const std::string kHanCompetes = "han_competes";

// What complete campaigns about a stack measured on a platform, the newest first.
std::vector<stacks::StackSamples> read_stack_samples(const profiledb::ProfileDb& db,
                                                     const Id& platform, std::string_view stack);

}  // namespace nmt::tools
