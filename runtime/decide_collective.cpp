// SPDX-License-Identifier: BSD-3-Clause
//
// Decisions about operations of many ranks.
#include <algorithm>

#include "runtime/points.h"
#include "runtime/profile.h"

namespace nmt {
namespace {

const SignatureRecord* find_signature(const View& view, const nmt_exchange& exchange) {
  for (const SignatureRecord& signature : view.signatures) {
    const bool named = exchange.algorithm == nullptr ||
                       std::strcmp(view.text_at(signature.algorithm), exchange.algorithm) == 0;
    if (named && signature.ranks_per_node == exchange.ranks_per_node) return &signature;
  }
  return nullptr;
}

// core/signature.h: the lower bound, times gamma, plus delta for large messages.
double alltoall_ns(const View& view, const SignatureRecord& signature,
                   const nmt_exchange& exchange) {
  const auto points = view.points.subspan(signature.points_from, signature.points);
  const double ranks_per_node = exchange.ranks_per_node;
  const double messages = ranks_per_node * (exchange.ranks - ranks_per_node);
  const double message_ns =
      interpolate(points, static_cast<double>(exchange.size_bytes), &PointRecord::duration_ns);
  double duration_ns = messages * message_ns * signature.gamma;
  if (exchange.size_bytes >= signature.delta_from_bytes) {
    duration_ns += signature.delta_ns * (signature.delta_per_message != 0 ? messages : 1);
  }
  return duration_ns;
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

int nmt_alltoall(const nmt_profile* profile, const nmt_exchange* exchange,
                 nmt_prediction* prediction) {
  nmt_exchange asked;
  if (profile == nullptr || !nmt::get(exchange, asked) || !nmt::is_writable(prediction)) {
    return NMT_INVALID;
  }
  if (asked.ranks == 0 || asked.ranks_per_node == 0 || asked.size_bytes > nmt::kSizeBytesMax) {
    return NMT_INVALID;
  }
  const nmt::SignatureRecord* signature = nmt::find_signature(profile->view, asked);
  // Within one node no message crosses the network that the signature speaks of.
  if (signature == nullptr || asked.ranks <= asked.ranks_per_node) return NMT_NO_ADVICE;
  const double duration_ns = nmt::alltoall_ns(profile->view, *signature, asked);
  const bool inside = asked.ranks >= signature->ranks_min && asked.ranks <= signature->ranks_max &&
                      asked.size_bytes >= signature->size_bytes_min &&
                      asked.size_bytes <= signature->size_bytes_max;
  std::uint32_t flags = profile->advice_flags;
  if (!inside) flags |= NMT_ADVICE_EXTRAPOLATED;
  if (signature->saturated == 0) flags |= NMT_ADVICE_UNSATURATED;
  nmt::put(prediction, {.struct_bytes = 0,
                        .flags = flags,
                        .method = NMT_ANY_METHOD,
                        .reserved = 0,
                        .duration_ns = duration_ns,
                        .low_ns = duration_ns * std::max(0.0, 1 - signature->error),
                        .high_ns = duration_ns * (1 + signature->error),
                        .variant = profile->view.text_at(signature->algorithm)});
  return NMT_OK;
}
