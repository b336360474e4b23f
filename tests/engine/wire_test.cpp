// SPDX-License-Identifier: BSD-3-Clause
#include "engine/wire.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "core/error.h"

namespace nmt::engine {
namespace {

std::vector<std::byte> headers(const Head& head, const std::vector<Label>& labels) {
  std::vector<std::byte> bytes(sizeof head + labels.size() * sizeof(Label));
  std::memcpy(bytes.data(), &head, sizeof head);
  std::ranges::copy(std::as_bytes(std::span(labels)), bytes.begin() + sizeof head);
  return bytes;
}

Label piece(std::uint32_t body_bytes, std::uint64_t offset_bytes, std::uint64_t total_bytes) {
  return {.kind = Kind::kEager,
          .body_bytes = body_bytes,
          .total_bytes = total_bytes,
          .offset_bytes = offset_bytes};
}

bool is_taken(const std::vector<Label>& labels, std::size_t body_bytes, Head head = {}) {
  Parsed parsed;
  try {
    parse(headers(head, labels), body_bytes, "rail", parsed);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kPeer);
    return false;
  }
  EXPECT_EQ(parsed.head, head);
  EXPECT_EQ(parsed.labels, labels);
  return true;
}

TEST(Wire, TakesWhatAddsUp) {
  EXPECT_TRUE(is_taken({piece(10, 0, 10)}, 10));
  EXPECT_TRUE(is_taken({piece(10, 5, 15), piece(20, 0, kTotalBytesMax)}, 30));
  EXPECT_TRUE(is_taken({piece(0, 0, 0)}, 0));
  EXPECT_TRUE(is_taken({Label{}}, 0, {.received = 7, .released_bytes = 1u << 31}));
  EXPECT_TRUE(is_taken(std::vector<Label>(drivers::kPacketsMax, Label{.kind = Kind::kGrant}), 0));
}

TEST(Wire, RefusesWhatDoesNotAddUp) {
  EXPECT_FALSE(is_taken({piece(10, 0, 10)}, 9));
  EXPECT_FALSE(is_taken({piece(10, 0, 10)}, 11));
  EXPECT_FALSE(is_taken({piece(10, 1, 10)}, 10));
  EXPECT_FALSE(is_taken({piece(10, ~0ull - 5, 10)}, 10));
  EXPECT_FALSE(is_taken({piece(10, 0, ~0ull)}, 10));
  EXPECT_FALSE(is_taken({piece(0, 0, 10)}, 0));
  EXPECT_FALSE(is_taken({{.kind = Kind::kRequest, .body_bytes = 3, .total_bytes = 3}}, 3));
  EXPECT_FALSE(is_taken({{.kind = static_cast<Kind>(0)}}, 0));
  EXPECT_FALSE(is_taken({{.kind = static_cast<Kind>(9)}}, 0));
  EXPECT_FALSE(is_taken({Label{}}, 0, {.version = Head::kVersion + 1}));
  EXPECT_FALSE(is_taken({}, 0));
}

TEST(Wire, SurvivesAnything) {
  std::mt19937_64 random(1);
  Parsed parsed;
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> bytes(random() % 200);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % 4 == 0 ? random() : 1);
    try {
      parse(bytes, random() % 300, "rail", parsed);
      for (const Label& label : parsed.labels) {
        EXPECT_LE(label.offset_bytes + label.body_bytes, label.total_bytes);
      }
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kPeer);
    }
  }
}

}  // namespace
}  // namespace nmt::engine
