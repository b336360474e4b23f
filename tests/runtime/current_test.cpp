// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "tests/runtime/planted.h"

namespace nmt::runtime {
namespace {

// A profile whose only path takes `duration_ns` for everything.
Plan constant(double duration_ns) {
  return planted::plan({planted::plain_rail("r", {{0, duration_ns}, {1, duration_ns}})});
}

TEST(Current, HandsOverTheProfileInForce) {
  const planted::Profile first(constant(1)), second(constant(2));
  nmt_current* current = nullptr;
  ASSERT_EQ(nmt_current_new(first.get(), &current), NMT_OK);
  EXPECT_EQ(nmt_current_profile(current), first.get());
  EXPECT_EQ(nmt_current_replace(current, second.get()), first.get());
  EXPECT_EQ(nmt_current_profile(current), second.get());
  EXPECT_EQ(nmt_current_replace(current, nullptr), nullptr);
  EXPECT_EQ(nmt_current_profile(current), second.get());
  EXPECT_EQ(nmt_duration_ns(first.get(), 0, 5), 1);  // replaced, not closed
  nmt_current_free(current);
}

TEST(Current, RefusesNothing) {
  nmt_current* current = nullptr;
  EXPECT_EQ(nmt_current_new(nullptr, &current), NMT_INVALID);
  EXPECT_EQ(nmt_current_profile(nullptr), nullptr);
  EXPECT_EQ(nmt_current_replace(nullptr, nullptr), nullptr);
  nmt_current_free(nullptr);
}

// Readers pass a quiet point after each question: what a caller knows about its own threads.
struct alignas(64) Reader {
  std::atomic<std::uint64_t> questions = 0;
};

TEST(Current, IsReplacedTenThousandTimesUnderReadersThatNeverWait) {
  constexpr int kReplacements = 10000;
  planted::Folder folder;
  const std::string file = folder.file("profile.nmt");
  planted::write_file(file, compile(planted::provenance(), constant(7)).bytes());
  const nmt_open_options options = planted::open_options(file);
  const auto open = [&] {
    nmt_profile* profile = nullptr;
    EXPECT_EQ(nmt_open(&options, &profile), NMT_OK);
    return profile;
  };
  nmt_current* current = nullptr;
  ASSERT_EQ(nmt_current_new(open(), &current), NMT_OK);

  std::atomic<bool> done = false;
  std::array<Reader, 2> readers;
  std::vector<std::thread> threads;
  for (Reader& reader : readers) {
    threads.emplace_back([&] {
      while (!done) {
        EXPECT_EQ(nmt_duration_ns(nmt_current_profile(current), 0, 5), 7);
        reader.questions.fetch_add(1, std::memory_order_release);
      }
    });
  }
  // A replaced profile is closed once each reader has finished the question it was at.
  struct Replaced {
    nmt_profile* profile;
    std::array<std::uint64_t, 2> questions;
  };
  std::deque<Replaced> replaced;
  const auto close_unused = [&] {
    while (!replaced.empty()) {
      for (std::size_t i = 0; i < readers.size(); ++i) {
        const std::uint64_t now = readers[i].questions.load(std::memory_order_acquire);
        if (!done && now < replaced.front().questions[i] + 2) return;
      }
      nmt_close(replaced.front().profile);
      replaced.pop_front();
    }
  };
  for (int i = 0; i < kReplacements; ++i) {
    nmt_profile* old = nmt_current_replace(current, open());
    replaced.push_back({old, {readers[0].questions.load(), readers[1].questions.load()}});
    close_unused();
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  close_unused();
  for (const Reader& reader : readers) EXPECT_GT(reader.questions.load(), 0u);
  nmt_close(nmt_current_profile(current));
  nmt_current_free(current);
}

}  // namespace
}  // namespace nmt::runtime
