// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include "include/nmadtune.h"

namespace nmt::runtime {
namespace {

class Tracker {
 public:
  explicit Tracker(std::uint32_t rails) { EXPECT_EQ(nmt_rails_new(rails, &rails_), NMT_OK); }
  ~Tracker() { nmt_rails_free(rails_); }
  Tracker(const Tracker&) = delete;

  nmt_transfer post(std::uint64_t now, double duration, std::uint32_t rail = 0) {
    nmt_transfer transfer{};
    transfer.struct_bytes = sizeof transfer;
    EXPECT_EQ(nmt_rails_posted(rails_, rail, now, duration, &transfer), NMT_OK);
    return transfer;
  }
  void complete(std::uint64_t now, const nmt_transfer& transfer) {
    EXPECT_EQ(nmt_rails_completed(rails_, now, &transfer), NMT_OK);
  }
  double release(std::uint64_t now, std::uint32_t rail = 0) {
    return nmt_rails_release_ns(rails_, rail, now);
  }
  nmt_rails* get() { return rails_; }

 private:
  nmt_rails* rails_ = nullptr;
};

TEST(Rails, AreIdleAtFirst) { EXPECT_EQ(Tracker(2).release(12345, 1), 0); }

TEST(Rails, AreReleasedWhenWhatWasPostedEnds) {
  Tracker tracker(2);
  tracker.post(1000, 100);
  EXPECT_EQ(tracker.release(1000), 100);
  EXPECT_EQ(tracker.release(1060), 40);
  EXPECT_EQ(tracker.release(2000), 0);
  EXPECT_EQ(tracker.release(1000, 1), 0);
}

TEST(Rails, ServeTransfersOneAfterTheOther) {
  Tracker tracker(1);
  tracker.post(1000, 100);
  tracker.post(1010, 50);
  EXPECT_EQ(tracker.release(1010), 140);
}

TEST(Rails, LearnFromEachCompletion) {
  Tracker tracker(1);
  const nmt_transfer first = tracker.post(1000, 100);
  const nmt_transfer second = tracker.post(1000, 100);
  const nmt_transfer third = tracker.post(1000, 100);
  tracker.complete(1150, first);  // 50 late
  EXPECT_EQ(tracker.release(1150), 200);
  tracker.complete(1200, second);  // in half the time
  EXPECT_EQ(tracker.release(1200), 100);
  tracker.complete(1300, third);
  EXPECT_EQ(tracker.release(1300), 0);
}

TEST(Rails, CountADelayOnceThatTheNextPostingHasSeen) {
  Tracker tracker(1);
  const nmt_transfer late = tracker.post(1000, 100);
  const nmt_transfer next = tracker.post(1130, 50);  // the rail was predicted idle from 1100 on
  EXPECT_EQ(tracker.release(1130), 50);
  tracker.complete(1150, late);
  EXPECT_EQ(tracker.release(1150), 50);
  tracker.complete(1210, next);
  EXPECT_EQ(tracker.release(1210), 0);
  tracker.post(1210, 30);
  EXPECT_EQ(tracker.release(1210), 30);
}

TEST(Rails, AreIdleOnceEverythingCompleted) {
  Tracker tracker(1);
  for (const std::uint64_t end : {1001u, 1100u, 5000u}) {
    const nmt_transfer transfer = tracker.post(end - 1, 1e6);
    tracker.complete(end, transfer);
    EXPECT_EQ(tracker.release(end), 0);
  }
}

TEST(Rails, KeepTheirTimeOverAnIdleGap) {
  Tracker tracker(1);
  tracker.complete(1050, tracker.post(1000, 100));
  tracker.complete(9000, tracker.post(8000, 100));
  tracker.post(9500, 100);
  EXPECT_EQ(tracker.release(9500), 100);
}

TEST(Rails, RefuseWhatMakesNoSense) {
  Tracker tracker(1);
  nmt_transfer transfer{};
  EXPECT_EQ(nmt_rails_posted(tracker.get(), 0, 0, 1, &transfer), NMT_INVALID);
  transfer.struct_bytes = sizeof transfer;
  EXPECT_EQ(nmt_rails_posted(tracker.get(), 1, 0, 1, &transfer), NMT_UNKNOWN);
  EXPECT_EQ(nmt_rails_posted(tracker.get(), 0, 0, -1, &transfer), NMT_INVALID);
  EXPECT_EQ(nmt_rails_posted(tracker.get(), 0, 0, NAN, &transfer), NMT_INVALID);
  EXPECT_EQ(nmt_rails_posted(nullptr, 0, 0, 1, &transfer), NMT_INVALID);
  EXPECT_EQ(nmt_rails_posted(tracker.get(), 0, 0, 1, nullptr), NMT_INVALID);
  transfer.rail = 7;
  EXPECT_EQ(nmt_rails_completed(tracker.get(), 0, &transfer), NMT_UNKNOWN);
  EXPECT_EQ(nmt_rails_completed(nullptr, 0, &transfer), NMT_INVALID);
  EXPECT_EQ(nmt_rails_release_ns(nullptr, 0, 0), NMT_INVALID);
  EXPECT_EQ(nmt_rails_release_ns(tracker.get(), 1, 0), NMT_UNKNOWN);
  EXPECT_EQ(nmt_rails_new(0, nullptr), NMT_INVALID);
  nmt_rails* none = nullptr;
  EXPECT_EQ(nmt_rails_new(UINT32_MAX, &none), NMT_INVALID);
  nmt_rails_free(nullptr);
}

TEST(Rails, AddUpWhatSeveralThreadsPost) {
  Tracker tracker(1);
  constexpr int kThreads = 4, kTransfers = 5000;
  std::atomic<bool> done = false;
  std::thread reader([&] {
    while (!done) EXPECT_GE(tracker.release(1000), 0);
  });
  std::vector<std::thread> writers;
  std::vector<std::vector<nmt_transfer>> transfers(kThreads);
  for (auto& mine : transfers) {
    writers.emplace_back([&] {
      for (int i = 0; i < kTransfers; ++i) mine.push_back(tracker.post(1000, 10));
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(tracker.release(1000), 10.0 * kThreads * kTransfers);
  writers.clear();
  for (auto& mine : transfers) {  // all at once: the first took 100, the others nothing
    writers.emplace_back([&] {
      for (const nmt_transfer& transfer : mine) tracker.complete(1100, transfer);
    });
  }
  for (std::thread& writer : writers) writer.join();
  done = true;
  reader.join();
  EXPECT_EQ(tracker.release(1100), 0);
}

}  // namespace
}  // namespace nmt::runtime
