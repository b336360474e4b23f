// SPDX-License-Identifier: BSD-3-Clause
//
// Snapshots of older versions, as the programs of their time wrote them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/error.h"
#include "runtime/older_version.h"
#include "runtime/snapshot.h"
#include "tests/runtime/ask_everything.h"
#include "tests/runtime/planted.h"

namespace nmt::runtime {
namespace {

TEST(SnapshotOfVersion3, AnswersAsItDid) {
  const std::string file = NMT_VERSION_3;
  nmt_open_options options = planted::open_options(file);
  nmt_profile* profile = nullptr;
  ASSERT_EQ(nmt_open(&options, &profile), NMT_OK);
  const int path = nmt_find_path(profile, "tcp:r0", nullptr);
  ASSERT_GE(path, 0);
  EXPECT_EQ(nmt_method_for(profile, path, 64), NMT_COPY);
  EXPECT_EQ(nmt_method_for(profile, path, 1 << 20), NMT_IOVEC);
  EXPECT_EQ(nmt_duration_ns(profile, path, 1 << 20), 9238468);  // by the version before
  nmt_path_description description{};
  description.struct_bytes = sizeof description;
  ASSERT_EQ(nmt_describe_path(profile, path, &description), NMT_OK);
  EXPECT_STREQ(description.peer_host, "");
  EXPECT_STREQ(description.memory, "host");
  EXPECT_EQ(description.ranks_per_nic, 1u);
  EXPECT_EQ(description.devices, 0u);
  nmt_collective_rule rule{};
  rule.struct_bytes = sizeof rule;
  ASSERT_EQ(nmt_describe_collective(profile, 0, &rule), NMT_OK);
  EXPECT_STREQ(rule.algorithm, "chain");
  EXPECT_STREQ(rule.mpi, "");  // which it was compiled without
  EXPECT_EQ(nmt_segment_bytes(profile, "bcast", 8192, 2, 2), 0);
  planted::ask_everything(*profile);
  nmt_close(profile);
}

// Its signatures know no growth that saturates: beyond 8 ranks gamma is a power.
TEST(SnapshotOfVersion4, AnswersAsItDid) {
  const std::string file = NMT_VERSION_4;
  nmt_open_options options = planted::open_options(file);
  nmt_profile* profile = nullptr;
  ASSERT_EQ(nmt_open(&options, &profile), NMT_OK);
  nmt_exchange asked{};
  asked.struct_bytes = sizeof asked;
  asked.ranks = 16;
  asked.ranks_per_node = 1;
  asked.size_bytes = 1 << 20;
  nmt_prediction prediction{};
  prediction.struct_bytes = sizeof prediction;
  ASSERT_EQ(nmt_alltoall(profile, &asked, &prediction), NMT_OK);
  const double network_ns = 15 * (1 + 1048576.0) * std::pow(2.0, 0.2);
  EXPECT_NEAR(prediction.duration_ns, network_ns + 1000 * 16 * 15 / 2.0, 1);
  nmt_collective_rule rule{};
  rule.struct_bytes = sizeof rule;
  ASSERT_EQ(nmt_describe_collective(profile, 0, &rule), NMT_OK);
  EXPECT_STREQ(rule.mpi, "Open MPI v4.1.4");
  planted::ask_everything(*profile);
  nmt_close(profile);
}

TEST(SnapshotOfVersion3, DamagedOrCutIsRefused) {
  const Storage whole = Storage::read(NMT_VERSION_3);
  const auto refusal = [](Storage image) -> std::string {
    try {
      completed(std::move(image), "p.nmt");
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  Storage damaged = Storage::allocate(whole.bytes().size());
  std::ranges::copy(whole.bytes(), damaged.writable().begin());
  damaged.writable()[4000] ^= std::byte{1};
  EXPECT_THAT(refusal(std::move(damaged)), ::testing::HasSubstr("p.nmt: damaged"));
  Storage cut = Storage::allocate(whole.bytes().size() / 2);
  std::ranges::copy(whole.bytes().first(cut.bytes().size()), cut.writable().begin());
  EXPECT_THAT(refusal(std::move(cut)), ::testing::HasSubstr("bytes long instead of"));
}

}  // namespace
}  // namespace nmt::runtime
