// SPDX-License-Identifier: BSD-3-Clause
//
// A campaign about another stack in the profile: its rails, what each launch timed under which
// settings, on disk before the next launch.
//
// What a transport does is kept under the settings that concern it, so that one launch may try
// settings of several transports at once. docs/exports.md, "What is stored".
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "profiledb/profiledb.h"
#include "sampler/sampler.h"
#include "tools/command/command.h"

namespace nmt {

// What one launch was made under.
struct StackVariant {
  Fields settings;
  std::string method;     // copy, rendezvous where that was forced
  std::string interface;  // the only one in use, else empty
};

class StackRecorder {
 public:
  // Begins a campaign on this machine; `options` are its own, the stack's are added. `first` tells
  // the hosts and the library.
  StackRecorder(ProfileDb& db, const StackJob& job, const LaunchedRound& first, Fields options,
                const Invocation& invocation);

  // What a launch timed, in a round; rounds count over the whole campaign.
  void add(const LaunchedRound& launched, const StackVariant& variant, std::uint32_t round);
  // Of another kind, as samples of rail "STACK/KIND": collectives, programs. Their repetitions are
  // added to those of the same cells.
  void add(const std::string& kind, const std::vector<Sample>& samples);

  void finish(bool complete, const std::string& remark);

  std::vector<StackSamples> samples() const;  // of this campaign, so far

  const Campaign& campaign() const { return campaign_; }
  const Platform& platform() const { return platform_; }
  std::size_t cells() const { return samples_.size(); }
  std::size_t repetitions() const { return repetitions_; }

 private:
  using Cell = std::tuple<Id, Condition, std::uint64_t>;

  Id path_of(const std::string& transport, const std::string& interface, bool same_node);

  ProfileDb& db_;
  std::string stack_;
  Platform platform_;
  Node here_, there_;
  Campaign campaign_;
  Session session_;
  std::map<std::string, Id> paths_;
  std::map<Cell, Sample> samples_;
  std::size_t repetitions_ = 0;
};

// Of settings, those that concern a transport.
Fields settings_for(Transport transport, const Fields& settings);
Transport transport_of(const StackSamples& samples);

// What complete campaigns about a stack measured on a platform, the newest first.
std::vector<StackSamples> read_stack_samples(const ProfileDb& db, const Id& platform,
                                             std::string_view stack);

}  // namespace nmt
