// SPDX-License-Identifier: BSD-3-Clause
//
// From sends to units: which messages go at once, which ask first, and what of these goes ahead of
// the answer.
#include <algorithm>
#include <array>

#include "engine/gate.h"

namespace nmt::engine {
namespace {

// What goes ahead of a grant keeps rails busy for this many times the recent time from request to
// grant, because the next grant may take longer.
constexpr double kHandshakesAhead = 4;

// An eager message is sent in chunks if it would take this many times as long as a whole.
constexpr double kEagerGain = 1.1;

// Messages of one size in a row that go whole because the first of them does.
constexpr unsigned kToldWhole = 16;

}  // namespace

bool Gate::has_room(std::uint64_t size_bytes, std::uint64_t room_bytes) const {
  return taken_bytes_ - released_bytes_ + kEnvelopeBytes + size_bytes <= room_bytes;
}

// An eager message may use half of the peer's memory; the other half is for requests, which need
// little.
bool Gate::is_eager(const Send& send) {
  if (send.size_bytes > context_.options.eager_bytes_max) return false;
  if (!has_room(send.size_bytes, context_.options.unexpected_bytes_max / 2)) return false;
  if (lanes_.empty()) return true;
  const int path = lanes_[first_to_end(send.size_bytes)].path;
  return !context_.advice.is_rendezvous(path, send.size_bytes);
}

// Moves sends into the window, in order, as long as the peer has memory for them.
void Gate::admit() {
  while (!waiting_.empty()) {
    const std::shared_ptr<Send> send = waiting_.front();
    const bool eager = is_eager(*send);
    if (!eager && !has_room(0, context_.options.unexpected_bytes_max)) break;
    send->admitted_ns = round_ns_;
    send->ahead_bytes = eager ? 0 : bytes_ahead(*send);
    taken_bytes_ += room_of(eager ? Kind::kEager : Kind::kRequest, send->size_bytes,
                            send->ahead_bytes > 0, context_.options.eager_bytes_max);
    waiting_.pop_front();
    ++(eager ? state_.eager_sends : state_.asked_sends);
    if (eager) {
      add_pieces(send, Kind::kEager, 0, send->size_bytes,
                 is_split(*send) ? window_.large : window_.small);
      continue;
    }
    requests_.emplace(send->sequence, send);
    if (send->ahead_bytes > 0) {
      ++state_.ahead_sends;
      add_pieces(send, Kind::kAhead, 0, send->ahead_bytes, window_.large);
      window_.large.front().asks = true;
    } else {
      window_.small.push_back(request_of(*send));
    }
  }
  credit_blocked_ = !waiting_.empty();
}

// Whether chunks might all end by then; to find the exact split takes longer than many a small
// message. If every rail needs longer for its share, so does one of them in any other division,
// because one rail then carries more than its share. So a "no" is certain. Shares are by bandwidth,
// which makes a wrong "perhaps" rare. A rail that was slow counts as the profile says, so that it
// is tried again.
bool Gate::can_split_by(double end_ns, std::uint64_t size_bytes) const {
  const auto curve_ns = [&](const Lane& lane, std::uint64_t bytes) {
    return advice().duration_ns(lane.path, bytes).value_or(0);
  };
  const auto is_in_time = [&](const Lane& lane, std::uint64_t bytes, double duration_ns) {
    const double pace = std::min(1.0, lane.paces->factor(SentAs::kChunk, bytes));
    return lane.takes_large && lane.release_ns + pace * duration_ns <= end_ns;
  };
  const auto is_free_in_time = [&](const Lane& lane) {
    return is_in_time(lane, 0, links_[lane.link]->empty_ns);
  };
  if (std::ranges::none_of(lanes_, is_free_in_time)) return false;
  std::array<double, NMT_SPLIT_RAILS_MAX> speeds;  // messages per ns, without the start-up
  const std::size_t count = std::min(lanes_.size(), speeds.size());
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double bytes_ns = curve_ns(lanes_[i], size_bytes) - links_[lanes_[i].link]->empty_ns;
    speeds[i] = lanes_[i].takes_large ? 1 / std::max(1e-3, bytes_ns) : 0;
    sum += speeds[i];
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto share_bytes =
        static_cast<std::uint64_t>(speeds[i] / sum * static_cast<double>(size_bytes));
    if (is_in_time(lanes_[i], share_bytes, curve_ns(lanes_[i], share_bytes))) return true;
  }
  return false;
}

// Whether the curves of the rails say that an eager message arrives so much sooner in chunks that
// it is worth the processor time of another driver message. Such a message waits with the large
// ones, because they are planned over all rails. To ask the curves may take longer than the
// message. So where a message goes whole over idle rails, so do the next ones of its size.
bool Gate::is_split(const Send& send) {
  if (!context_.strategy.splits_eager || send.segments.size() != 1 || lanes_.size() < 2)
    return false;
  // With helpers, what is asked is also whether one is idle.
  const bool idle =
      !context_.strategy.has_helpers && std::ranges::all_of(lanes_, [](const Lane& lane) {
        return lane.takes_large && lane.release_ns == 0;
      });
  const bool told = idle && whole_.size_bytes == send.size_bytes && whole_.left > 0;
  if (told) {
    --whole_.left;
  } else {
    whole_ = {.size_bytes = send.size_bytes, .left = idle ? kToldWhole : 0};
    if (pays_to_split(send.size_bytes, whole_.chunks_bytes)) {
      whole_.left = 0;
      return true;
    }
  }
  for (std::size_t i = 0; i < std::min(lanes_.size(), whole_.chunks_bytes.size()); ++i) {
    if (whole_.chunks_bytes[i] > 0) pass_over(i, SentAs::kChunk, whole_.chunks_bytes[i]);
  }
  return false;
}

// `chunks_bytes` receives the chunks by lane, if there is a split.
bool Gate::pays_to_split(std::uint64_t size_bytes, BytesByLane& chunks_bytes) {
  chunks_bytes = {};
  const double whole_ns = end_ns(advice(), lanes_[first_to_end(size_bytes)], size_bytes);
  if (!can_split_by(whole_ns / kEagerGain, size_bytes)) return false;
  std::array<nmt_share, NMT_SPLIT_RAILS_MAX> shares;
  std::array<std::size_t, NMT_SPLIT_RAILS_MAX> indexes;
  std::uint32_t rails = 0;
  for (std::size_t i = 0; i < std::min(lanes_.size(), chunks_bytes.size()); ++i) {
    const Lane& lane = lanes_[i];
    if (!lane.takes_large) continue;
    shares[rails] = share_of(lane, lane.release_ns);
    indexes[rails++] = i;
  }
  nmt_split_result result;
  if (rails < 2 || !advice().split(size_bytes, std::span(shares).first(rails), result) ||
      result.chunks < 2) {
    return false;
  }
  double pace = 0;  // of the slowest chunk, by what transfers have shown
  for (std::uint32_t i = 0; i < rails; ++i) {
    if (shares[i].bytes == 0) continue;
    chunks_bytes[indexes[i]] = shares[i].bytes;
    pace = std::max(pace, lanes_[indexes[i]].paces->factor(SentAs::kChunk, shares[i].bytes));
  }
  const double split_ns = pace * result.end_ns;
  if (kEagerGain * split_ns >= whole_ns) return false;
  if (!context_.strategy.has_helpers) return true;
  // Curves of each rail alone do not tell whether one core can submit two chunks at a time.
  if ((result.flags & NMT_ADVICE_SIMULTANEOUS) == 0) return false;
  const auto elsewhere = chunks_elsewhere(*this, size_bytes);
  return !elsewhere || split_ns <= elsewhere->end_ns;
}

// What free rails can carry until the grant arrives, or all of a message that could have been
// eager. If no rail is free, the grant arrives before one is, so nothing goes ahead. A rail also
// waits if the grant takes less time than two parts would add to the message.
std::uint64_t Gate::bytes_ahead(const Send& send) {
  if (!context_.strategy.goes_ahead || !window_.large.empty() || lanes_.empty()) return 0;
  const std::uint64_t eager_bytes_max = context_.options.eager_bytes_max;
  if (!has_room(eager_bytes_max, context_.options.unexpected_bytes_max / 2)) return 0;
  double handshake_ns = handshake_ns_;
  if (handshake_ns == 0) {
    handshake_ns = 2 * end_ns(advice(), lanes_[first_to_end(0)], 0);
  }
  std::uint64_t sum_bytes = 0;
  for (const Lane& lane : lanes_) {
    if (!lane.takes_large || lane.release_ns > 0) continue;
    if (send.size_bytes <= eager_bytes_max) return send.size_bytes;
    const std::uint64_t ahead_bytes =
        advice().bytes_within(lane.path, kHandshakesAhead * handshake_ns, eager_bytes_max + 1);
    const auto duration_ns = [&](std::uint64_t size_bytes) {
      return advice().duration_ns(lane.path, size_bytes).value_or(0);
    };
    const double apart_ns = duration_ns(ahead_bytes) + duration_ns(send.size_bytes - ahead_bytes);
    if (apart_ns - duration_ns(send.size_bytes) < handshake_ns) sum_bytes += ahead_bytes;
  }
  return std::min(sum_bytes, eager_bytes_max);
}

// Adds a part of a message to a queue: one unit per segment. A message without bytes is one unit.
void Gate::add_pieces(const std::shared_ptr<Send>& send, Kind kind, std::uint64_t from_bytes,
                      std::uint64_t to_bytes, Units& queue) {
  const auto add = [&](std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    queue.push_back({.label = {.kind = kind,
                               .body_bytes = static_cast<std::uint32_t>(size_bytes),
                               .sequence = send->sequence,
                               .tag = send->tag,
                               .total_bytes = send->size_bytes,
                               .offset_bytes = offset_bytes},
                     .send = send});
  };
  if (send->size_bytes == 0) add(0, 0);
  std::uint64_t segment_bytes = 0;  // offset of the segment in the message
  for (const drivers::ConstBytes segment : send->segments) {
    const std::uint64_t end_bytes = std::min(to_bytes, segment_bytes + segment.size());
    std::uint64_t at = std::max(from_bytes, segment_bytes);
    for (std::uint64_t piece_bytes; at < end_bytes; at += piece_bytes) {
      piece_bytes = std::min(kPieceBytesMax, end_bytes - at);
      add(at, piece_bytes);
    }
    segment_bytes += segment.size();
  }
}

}  // namespace nmt::engine
