// SPDX-License-Identifier: BSD-3-Clause
//
// Decisions about collectives.
#include <algorithm>
#include <cmath>

#include "core/alltoall.h"
#include "runtime/profile.h"

namespace nmt::runtime {
namespace {

const Signature* find_signature(const nmt_profile& profile, const nmt_exchange& exchange) {
  for (const Signature& signature : profile.signatures) {
    const bool named = exchange.algorithm == nullptr || signature.algorithm == exchange.algorithm;
    if (named && signature.ranks_per_node == exchange.ranks_per_node) return &signature;
  }
  return nullptr;
}

// Whether the exchange is within the range of the fit.
bool is_inside(const Signature& signature, const nmt_exchange& exchange) {
  return exchange.ranks >= signature.ranks_min && exchange.ranks <= signature.ranks_max &&
         exchange.size_bytes >= least_bytes_of(signature) &&
         exchange.size_bytes <= signature.size_bytes_max;
}

bool is_same(const View& view, TextOffset text, const char* requested) {
  return std::strcmp(view.text_at(text), requested) == 0;
}

const LibraryRuleRecord* find_library_rule(const View& view, const nmt_collective_call& call) {
  const char* mpi = call.mpi;
  for (const LibraryRuleRecord& rule : view.library_rules) {
    if (!is_same(view, rule.operation, call.operation)) continue;
    if (mpi == nullptr) mpi = view.text_at(rule.mpi);
    const bool same_shape =
        rule.ranks == call.ranks &&
        (call.ranks_per_node == 0 || rule.ranks_per_node == call.ranks_per_node);
    if (!same_shape || !is_same(view, rule.mpi, mpi)) continue;
    if (call.size_bytes >= rule.from_bytes && call.size_bytes < rule.to_bytes) return &rule;
  }
  return nullptr;
}

void put_rule(const View& view, const SegmentRecord& segment, nmt_collective_rule* rule) {
  put(rule, {.struct_bytes = 0,
             .nodes = segment.nodes,
             .ranks_per_node = segment.ranks_per_node,
             .leaders = segment.leaders,
             .operation = view.text_at(segment.operation),
             .algorithm = view.text_at(segment.algorithm),
             .from_bytes = segment.from_bytes,
             .to_bytes = segment.to_bytes,
             .segment_bytes = segment.segment_bytes,
             .mpi = view.text_at(segment.mpi),
             .gain = segment.gain,
             .nodes_max = std::max(segment.nodes, segment.nodes_max),
             .ranks_per_node_max = std::max(segment.ranks_per_node, segment.ranks_per_node_max),
             .predicted = segment.nodes_max > 0,
             .reserved = 0});
}

void put_rule(const View& view, const LibraryRuleRecord& record, nmt_library_rule* rule) {
  put(rule, {.struct_bytes = 0,
             .ranks = record.ranks,
             .ranks_per_node = record.ranks_per_node,
             .reserved = 0,
             .mpi = view.text_at(record.mpi),
             .operation = view.text_at(record.operation),
             .algorithm = view.text_at(record.algorithm),
             .from_bytes = record.from_bytes,
             .to_bytes = record.to_bytes,
             .segment_bytes = record.segment_bytes,
             .gain = record.gain,
             .gain_low = record.low,
             .gain_high = record.high});
}

int check_call(const nmt_profile* profile, const nmt_collective_call* call,
               nmt_collective_call& asked) {
  const bool valid = profile != nullptr && get(call, asked) && asked.operation != nullptr &&
                     asked.size_bytes <= kSizeBytesMax;
  return valid ? NMT_OK : NMT_INVALID;
}

}  // namespace
}  // namespace nmt::runtime

int64_t nmt_segment_bytes(const nmt_profile* profile, const char* operation, uint64_t size_bytes,
                          uint32_t nodes, uint32_t ranks_per_node) {
  if (profile == nullptr || operation == nullptr || size_bytes > nmt::runtime::kSizeBytesMax ||
      nodes == 0 || ranks_per_node == 0) {
    return NMT_INVALID;
  }
  const nmt::runtime::SegmentRecord* rule =
      profile->collective_rules.find(profile->view, {.struct_bytes = 0,
                                                     .nodes = nodes,
                                                     .ranks_per_node = ranks_per_node,
                                                     .ranks = 0,
                                                     .mpi = nullptr,
                                                     .operation = operation,
                                                     .size_bytes = size_bytes});
  return rule == nullptr ? int64_t{NMT_NO_ADVICE} : static_cast<int64_t>(rule->segment_bytes);
}

int nmt_describe_collective(const nmt_profile* profile, uint32_t index, nmt_collective_rule* rule) {
  if (profile == nullptr || !nmt::runtime::is_writable(rule)) return NMT_INVALID;
  if (index >= profile->view.segments.size()) return NMT_UNKNOWN;
  nmt::runtime::put_rule(profile->view, profile->view.segments[index], rule);
  return NMT_OK;
}

int nmt_collective_rule_for(const nmt_profile* profile, const nmt_collective_call* call,
                            nmt_collective_rule* rule) {
  nmt_collective_call asked;
  if (const int wrong = nmt::runtime::check_call(profile, call, asked)) return wrong;
  if (!nmt::runtime::is_writable(rule) || asked.nodes == 0 || asked.ranks_per_node == 0)
    return NMT_INVALID;
  const nmt::runtime::SegmentRecord* found = profile->collective_rules.find(profile->view, asked);
  if (found == nullptr) return NMT_NO_ADVICE;
  nmt::runtime::put_rule(profile->view, *found, rule);
  return NMT_OK;
}

int nmt_describe_library_rule(const nmt_profile* profile, uint32_t index, nmt_library_rule* rule) {
  if (profile == nullptr || !nmt::runtime::is_writable(rule)) return NMT_INVALID;
  if (index >= profile->view.library_rules.size()) return NMT_UNKNOWN;
  nmt::runtime::put_rule(profile->view, profile->view.library_rules[index], rule);
  return NMT_OK;
}

int nmt_library_rule_for(const nmt_profile* profile, const nmt_collective_call* call,
                         nmt_library_rule* rule) {
  nmt_collective_call asked;
  if (const int wrong = nmt::runtime::check_call(profile, call, asked)) return wrong;
  if (!nmt::runtime::is_writable(rule) || asked.ranks == 0) return NMT_INVALID;
  const nmt::runtime::LibraryRuleRecord* found =
      nmt::runtime::find_library_rule(profile->view, asked);
  if (found == nullptr) return NMT_NO_ADVICE;
  nmt::runtime::put_rule(profile->view, *found, rule);
  return NMT_OK;
}

int nmt_alltoall(const nmt_profile* profile, const nmt_exchange* exchange,
                 nmt_prediction* prediction) {
  nmt_exchange asked;
  if (profile == nullptr || !nmt::runtime::get(exchange, asked) ||
      !nmt::runtime::is_writable(prediction)) {
    return NMT_INVALID;
  }
  if (asked.ranks == 0 || asked.ranks_per_node == 0 ||
      asked.size_bytes > nmt::runtime::kSizeBytesMax) {
    return NMT_INVALID;
  }
  const nmt::Signature* signature = nmt::runtime::find_signature(*profile, asked);
  // Within one node no message crosses the network of the signature.
  if (signature == nullptr || asked.ranks <= asked.ranks_per_node) return NMT_NO_ADVICE;
  const nmt::Alltoall equal = nmt::equal_alltoall(*signature, asked.ranks, asked.size_bytes);
  const nmt::AlltoallDuration time = nmt::time_of(*signature, equal);
  const double half = time.half_interval.value_or(0);
  if (half > nmt::kGuess) return NMT_NO_ADVICE;
  std::uint32_t flags = profile->advice_flags;
  if (!nmt::runtime::is_inside(*signature, asked)) flags |= NMT_ADVICE_EXTRAPOLATED;
  if (!signature->saturated) flags |= NMT_ADVICE_UNSATURATED;
  nmt::runtime::put(prediction, {.struct_bytes = 0,
                                 .flags = flags,
                                 .method = NMT_ANY_METHOD,
                                 .reserved = 0,
                                 .duration_ns = time.duration_ns,
                                 .low_ns = time.duration_ns * std::exp(-half),
                                 .high_ns = time.duration_ns * std::exp(half),
                                 .variant = signature->algorithm.c_str()});
  return NMT_OK;
}
