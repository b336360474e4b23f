// SPDX-License-Identifier: BSD-3-Clause
//
// Decisions about collectives.
#include <cmath>

#include "core/alltoall.h"
#include "runtime/profile.h"

namespace nmt {
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

}  // namespace
}  // namespace nmt

int64_t nmt_segment_bytes(const nmt_profile* profile, const char* operation, uint64_t size_bytes,
                          uint32_t nodes, uint32_t ranks_per_node) {
  if (profile == nullptr || operation == nullptr || size_bytes > nmt::kSizeBytesMax || nodes == 0 ||
      ranks_per_node == 0) {
    return NMT_INVALID;
  }
  const nmt::View& view = profile->view;
  for (const nmt::SegmentRecord& segment : view.segments) {
    const bool same = segment.nodes == nodes && segment.ranks_per_node == ranks_per_node &&
                      std::strcmp(view.text_at(segment.operation), operation) == 0;
    if (same && size_bytes >= segment.from_bytes && size_bytes < segment.to_bytes) {
      return static_cast<int64_t>(segment.segment_bytes);
    }
  }
  return NMT_NO_ADVICE;
}

int nmt_describe_collective(const nmt_profile* profile, uint32_t index, nmt_collective_rule* rule) {
  if (profile == nullptr || !nmt::is_writable(rule)) return NMT_INVALID;
  const nmt::View& view = profile->view;
  if (index >= view.segments.size()) return NMT_UNKNOWN;
  const nmt::SegmentRecord& segment = view.segments[index];
  nmt::put(rule, {.struct_bytes = 0,
                  .nodes = segment.nodes,
                  .ranks_per_node = segment.ranks_per_node,
                  .leaders = segment.leaders,
                  .operation = view.text_at(segment.operation),
                  .algorithm = view.text_at(segment.algorithm),
                  .from_bytes = segment.from_bytes,
                  .to_bytes = segment.to_bytes,
                  .segment_bytes = segment.segment_bytes});
  return NMT_OK;
}

int nmt_alltoall(const nmt_profile* profile, const nmt_exchange* exchange,
                 nmt_prediction* prediction) {
  nmt_exchange asked;
  if (profile == nullptr || !nmt::get(exchange, asked) || !nmt::is_writable(prediction)) {
    return NMT_INVALID;
  }
  if (asked.ranks == 0 || asked.ranks_per_node == 0 || asked.size_bytes > nmt::kSizeBytesMax) {
    return NMT_INVALID;
  }
  const nmt::Signature* signature = nmt::find_signature(*profile, asked);
  // Within one node no message crosses the network of the signature.
  if (signature == nullptr || asked.ranks <= asked.ranks_per_node) return NMT_NO_ADVICE;
  const nmt::Alltoall equal = nmt::equal_alltoall(*signature, asked.ranks, asked.size_bytes);
  const nmt::AlltoallDuration time = nmt::time_of(*signature, equal);
  const double half = time.half_interval.value_or(0);
  if (half > nmt::kGuess) return NMT_NO_ADVICE;
  std::uint32_t flags = profile->advice_flags;
  if (!nmt::is_inside(*signature, asked)) flags |= NMT_ADVICE_EXTRAPOLATED;
  if (!signature->saturated) flags |= NMT_ADVICE_UNSATURATED;
  nmt::put(prediction, {.struct_bytes = 0,
                        .flags = flags,
                        .method = NMT_ANY_METHOD,
                        .reserved = 0,
                        .duration_ns = time.duration_ns,
                        .low_ns = time.duration_ns * std::exp(-half),
                        .high_ns = time.duration_ns * std::exp(half),
                        .variant = signature->algorithm.c_str()});
  return NMT_OK;
}
