// SPDX-License-Identifier: BSD-3-Clause
//
// Texts of thousands of ranks, in virtual jobs that count messages and memory.
#include "control/gather.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <string>

#include "core/error.h"
#include "tests/control/virtual_job.h"

namespace nmt::testing {
namespace {

constexpr std::size_t kFewBytes = 16 << 10;  // messages' own memory, and what malloc rounds up

std::string text_of(int rank) { return "rank " + std::to_string(rank); }

std::vector<std::string> texts_of(int ranks) {
  std::vector<std::string> texts;
  for (int rank = 0; rank < ranks; ++rank) texts.push_back(text_of(rank));
  return texts;
}

std::vector<int> all_ranks(int ranks) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::size_t depth_of(int ranks) {
  return static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(ranks - 1)));
}

TEST(Gather, BringsTheTextOfEveryRankInTheirOrder) {
  for (const int ranks : {1, 2, 3, 6, 7, 8, 100}) {
    std::vector<std::string> texts;
    std::atomic<int> others = 0, all = 0;
    run_virtual_job(ranks, [&](const control::MpiJob& job) {
      std::vector<std::string> gathered = job.gather(text_of(job.rank()));
      if (!job.leads()) others += static_cast<int>(gathered.size());
      if (job.leads()) texts = std::move(gathered);
      if (job.to_all(text_of(job.rank())) == texts_of(ranks)) ++all;
    });
    EXPECT_EQ(texts, texts_of(ranks));
    EXPECT_EQ(others, 0) << ranks;
    EXPECT_EQ(all, ranks);
  }
}

TEST(Gather, TakesTheMessagesOfATreeFromEachRank) {
  for (const int ranks : {8, 16, 32, 64, 128, 1024, 4096}) {
    const std::vector<RankCost> costs = run_virtual_job(
        ranks, [&](const control::MpiJob& job) { job.gather(text_of(job.rank())); });
    for (const RankCost& cost : costs) {
      EXPECT_LE(cost.messages, 2 * depth_of(ranks)) << ranks;  // a size and a text for each level
    }
    std::size_t text_bytes = 0;
    for (const std::string& text : texts_of(ranks)) text_bytes += text.size();
    // Texts with their sizes, twice while they are appended, then as strings.
    EXPECT_LE(costs[0].memory_bytes_max, 12 * text_bytes + kFewBytes) << ranks;
  }
}

TEST(Gather, OneLongTextCostsNoMoreThanItself) {
  constexpr int kRanks = 1024;
  const std::string long_text(1 << 20, 'x');
  const RankCost leader = run_virtual_job(kRanks, [&](const control::MpiJob& job) {
                            job.gather(job.rank() == 5 ? long_text : text_of(job.rank()));
                          }).front();
  EXPECT_LE(leader.memory_bytes_max, 4 * long_text.size());
}

TEST(Collect, RankZeroHoldsOneTextAtATimeHoweverManyRanksThereAre) {
  const std::string usual(64 << 10, 'u'), longest(1 << 20, 'l');
  for (const int ranks : {8, 128, 1024}) {
    std::size_t taken_bytes = 0;
    std::vector<int> order;
    const std::vector<RankCost> costs = run_virtual_job(ranks, [&](const control::MpiJob& job) {
      const std::string& own = job.rank() == 3 ? longest : usual;
      job.collect(all_ranks(ranks), own, [&](int rank, std::string text) {
        order.push_back(rank);
        taken_bytes += text.size();
      });
    });
    EXPECT_EQ(order, all_ranks(ranks));
    EXPECT_EQ(taken_bytes, static_cast<std::size_t>(ranks - 1) * usual.size() + longest.size());
    const std::size_t lists_bytes = static_cast<std::size_t>(ranks) * 4 * sizeof(int);
    EXPECT_LE(costs[0].memory_bytes_max, longest.size() + lists_bytes + kFewBytes) << ranks;
    for (int rank = 1; rank < ranks; ++rank) {
      EXPECT_EQ(costs[static_cast<std::size_t>(rank)].messages, 3u);
    }
  }
}

TEST(Collect, OnlyRanksWithAWordTakePart) {
  std::string heard;
  const std::vector<int> speakers = {9, 0, 4};
  const std::vector<RankCost> costs = run_virtual_job(12, [&](const control::MpiJob& job) {
    if (job.leads() || std::ranges::count(speakers, job.rank()) > 0) {
      job.collect(speakers, text_of(job.rank()),
                  [&](int, const std::string& text) { heard += text + ";"; });
    }
  });
  EXPECT_EQ(heard, "rank 9;rank 0;rank 4;");
  EXPECT_EQ(costs[5].messages, 0u);
}

TEST(Collect, ATextThatIsRefusedKeepsNoRankWaiting) {
  std::string error;
  int taken = 0;
  run_virtual_job(40, [&](const control::MpiJob& job) {
    try {
      job.collect(all_ranks(40), text_of(job.rank()), [&](int rank, const std::string&) {
        ++taken;
        if (rank == 2) throw Error(Fault::kFailed, "disk full");
      });
    } catch (const Error& refused) {
      error = refused.what();
    }
  });
  EXPECT_EQ(taken, 3);
  EXPECT_EQ(error, "disk full");
}

}  // namespace
}  // namespace nmt::testing
