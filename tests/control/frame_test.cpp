// SPDX-License-Identifier: BSD-3-Clause
#include "control/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/error.h"

namespace nmt::control {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::array<std::uint8_t, kFrameBytes>& bytes) {
  try {
    decode(bytes, kMessageBytesMax, "peer");
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kPeer);
    return error.what();
  }
  return "";
}

TEST(Frame, IsReadAsItWasWritten) {
  const Frame frame{.kind = 0x1234, .length_bytes = 0xabcd};
  EXPECT_EQ(decode(encode(frame), kMessageBytesMax, "peer"), frame);
}

// Another version may change everything but where its magic and version stand.
TEST(Frame, BeginsWithMagicAndVersionMostSignificantByteFirst) {
  const auto bytes = encode({.version = 0x0102, .kind = 3, .length_bytes = 4});
  const std::array<std::uint8_t, kFrameBytes> expected = {'n', 'm', 't', 'c', 1, 2, 0, 3,
                                                          0,   0,   0,   0,   0, 0, 0, 4};
  EXPECT_EQ(bytes, expected);
}

TEST(Frame, OfAnotherVersionIsRefusedWithBothNumbers) {
  const std::string message = refusal(encode({.version = 7, .kind = 1}));
  EXPECT_THAT(message, HasSubstr("version 7"));
  EXPECT_THAT(message, HasSubstr("version 1"));
}

TEST(Frame, LongerThanAllowedIsRefusedWithBothSizes) {
  EXPECT_EQ(refusal(encode({.length_bytes = kMessageBytesMax})), "");
  for (const std::uint64_t length : {std::uint64_t{kMessageBytesMax} + 1, std::uint64_t{0xffffffff},
                                     std::uint64_t{1} << 60, ~std::uint64_t{0}}) {
    EXPECT_THAT(refusal(encode({.length_bytes = length})), HasSubstr(std::to_string(length)));
  }
}

TEST(Frame, OfRandomBytesIsRefusedUnlessItIsOne) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    auto bytes = encode({.kind = 1, .length_bytes = 10});
    for (int change = 0; change < 3; ++change) {
      bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    }
    try {
      const Frame frame = decode(bytes, kMessageBytesMax, "peer");
      ASSERT_EQ(encode(frame), bytes);
      ASSERT_LE(frame.length_bytes, kMessageBytesMax);
    } catch (const Error& error) {
      ASSERT_EQ(error.fault(), Fault::kPeer);
    }
  }
}

}  // namespace
}  // namespace nmt::control
