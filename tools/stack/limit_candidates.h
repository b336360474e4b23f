// SPDX-License-Identifier: BSD-3-Clause
//
// Which limits of eager messages a campaign about another stack tries, from what it has measured.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sampler/sampler.h"
#include "stacks/stacks.h"

namespace nmt::tools {

// The transports whose limit has an effect, as the first launch found.
std::vector<stacks::Transport> transports_of(const sampler::LaunchedRound& first);

// The largest message that is sent eagerly by force. It is larger than any that the stack itself
// sends eagerly.
std::uint64_t forced_bytes_max(const sampler::LaunchedRound& first, stacks::Transport transport);

// `stack` and `first` must outlive it.
class LimitCandidates {
 public:
  LimitCandidates(const stacks::Stack& stack, const sampler::LaunchedRound& first,
                  std::vector<stacks::StackSamples> samples)
      : stack_(stack), first_(first), samples_(std::move(samples)) {}

  // Messages that were sent by this method by force; empty if that was not measured.
  stacks::StackTimes forced(stacks::Transport transport, std::string_view method) const;

  // The limit that is best for each transport by forced messages. Where several share a setting,
  // also the one of least combined regret, because what is best for one may be too bad for another;
  // `notice` gets a line about it.
  std::vector<Fields> best(const std::function<void(const std::string&)>& notice) const;

  // For each setting whose tried limits all lost: the best limit between the stack's own and one of
  // these, by the sizes that launches with and without it sent both ways. None where one of the two
  // ends is best.
  std::vector<Fields> nearer(const std::vector<Fields>& tried) const;

 private:
  std::uint64_t header(stacks::Transport transport) const;
  std::string setting_of(stacks::Transport transport) const;
  stacks::StackProtocols both_ways(stacks::Transport transport) const;
  // Of the sizes between the stack's own limit and another one, which the one sends eagerly and the
  // other by rendezvous.
  struct Trial {
    stacks::StackTimes own, tried;
    bool is_raised = false;
  };
  Trial trial_of(stacks::Transport transport, const Fields& limit) const;
  std::optional<std::pair<double, Fields>> nearer(const Fields& tried) const;
  Fields eager_up_to(stacks::Transport transport, std::uint64_t bytes) const;

  const stacks::Stack& stack_;
  const sampler::LaunchedRound& first_;
  std::vector<stacks::StackSamples> samples_;
};

}  // namespace nmt::tools
