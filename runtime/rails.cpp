// SPDX-License-Identifier: BSD-3-Clause
//
// When rails will be idle. A rail serves its transfers one after the other, in the order of
// posting.
//
// One atomic stores the predicted end of everything posted; readers load only that. A completion
// moves it by the difference between the real and the predicted duration. A transfer begins when it
// is posted or when the transfer before it completes, whichever is later; a second atomic stores
// the time of the last completion. A transfer that is posted after the predicted end of all others
// begins then by prediction, though one of these may be late; a third atomic stores the time of the
// last such posting, because the delay up to it is in the prediction already. So the prediction is
// exact again after every completion.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <new>

#include "runtime/profile.h"

namespace {

struct alignas(64) Rail {
  std::atomic<std::uint64_t> release_ns{0};
  std::atomic<std::uint64_t> completed_ns{0};  // time of the last completion
  std::atomic<std::uint64_t> resumed_ns{0};    // the last posting to a rail that was predicted idle
};

constexpr std::uint32_t kRailsMax = 1 << 16;
constexpr double kDurationMax = 1e18;

// The difference as a signed duration.
std::int64_t difference(std::uint64_t later, std::uint64_t earlier) {
  return static_cast<std::int64_t>(later - earlier);
}

}  // namespace

struct nmt_rails {
  std::unique_ptr<Rail[]> rails;
  std::uint32_t count = 0;
};

int nmt_rails_new(uint32_t rails, nmt_rails** tracker) {
  if (tracker == nullptr || rails == 0 || rails > kRailsMax) return NMT_INVALID;
  *tracker = nullptr;
  std::unique_ptr<nmt_rails> made(new (std::nothrow) nmt_rails);
  if (!made) return NMT_NO_MEMORY;
  made->rails.reset(new (std::nothrow) Rail[rails]);
  if (!made->rails) return NMT_NO_MEMORY;
  made->count = rails;
  *tracker = made.release();
  return NMT_OK;
}

void nmt_rails_free(nmt_rails* tracker) { delete tracker; }

int nmt_rails_posted(nmt_rails* tracker, uint32_t rail, uint64_t now_ns, double duration_ns,
                     nmt_transfer* transfer) {
  if (tracker == nullptr || transfer == nullptr || transfer->struct_bytes < sizeof *transfer) {
    return NMT_INVALID;
  }
  if (rail >= tracker->count) return NMT_UNKNOWN;
  if (!(duration_ns >= 0 && duration_ns <= kDurationMax)) return NMT_INVALID;
  const auto duration = static_cast<std::uint64_t>(duration_ns);
  std::atomic<std::uint64_t>& release = tracker->rails[rail].release_ns;
  std::uint64_t before = release.load(std::memory_order_relaxed);
  std::uint64_t after;
  bool idle;
  do {
    idle = difference(before, now_ns) < 0;
    after = (idle ? now_ns : before) + duration;
  } while (!release.compare_exchange_weak(before, after, std::memory_order_relaxed));
  if (idle) tracker->rails[rail].resumed_ns.store(now_ns, std::memory_order_relaxed);
  transfer->rail = rail;
  transfer->posted_ns = now_ns;
  transfer->duration_ns = duration;
  return NMT_OK;
}

int nmt_rails_completed(nmt_rails* tracker, uint64_t now_ns, const nmt_transfer* transfer) {
  if (tracker == nullptr || transfer == nullptr || transfer->struct_bytes < sizeof *transfer) {
    return NMT_INVALID;
  }
  if (transfer->rail >= tracker->count) return NMT_UNKNOWN;
  Rail& rail = tracker->rails[transfer->rail];
  const std::uint64_t previous_ns = rail.completed_ns.exchange(now_ns, std::memory_order_relaxed);
  const bool queued = difference(previous_ns, transfer->posted_ns) > 0;
  const std::uint64_t begun_ns = queued ? previous_ns : transfer->posted_ns;
  std::uint64_t counted_ns = begun_ns + transfer->duration_ns;  // in the prediction, up to here
  const std::uint64_t resumed_ns = rail.resumed_ns.load(std::memory_order_relaxed);
  if (difference(resumed_ns, transfer->posted_ns) > 0 && difference(resumed_ns, counted_ns) > 0) {
    counted_ns = resumed_ns;
  }
  rail.release_ns.fetch_add(now_ns - counted_ns, std::memory_order_relaxed);  // modulo 2^64
  return NMT_OK;
}

double nmt_rails_release_ns(const nmt_rails* tracker, uint32_t rail, uint64_t now_ns) {
  if (tracker == nullptr) return NMT_INVALID;
  if (rail >= tracker->count) return NMT_UNKNOWN;
  const std::uint64_t release_ns = tracker->rails[rail].release_ns.load(std::memory_order_relaxed);
  return static_cast<double>(std::max<std::int64_t>(0, difference(release_ns, now_ns)));
}
