// SPDX-License-Identifier: BSD-3-Clause
#include "core/id.h"

#include <gtest/gtest.h>

#include <set>

#include "core/error.h"

namespace nmt {
namespace {

TEST(Id, ReadsBackWhatItWrites) {
  for (int i = 0; i < 100; ++i) {
    const Id id = Id::random();
    EXPECT_EQ(id.hex().size(), 32u);
    EXPECT_EQ(Id::parse(id.hex()), id);
  }
}

TEST(Id, IsNeverDrawnTwice) {
  std::set<Id> seen;
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(seen.insert(Id::random()).second);
}

TEST(Id, RefusesWhatIsNotThirtyTwoHexDigits) {
  const std::string good = Id::random().hex();
  for (const std::string& text : {std::string(), good.substr(1), good + "0", "g" + good.substr(1),
                                  std::string(100000, 'a')}) {
    EXPECT_THROW(Id::parse(text), Error);
  }
}

// The published start value of FNV-1a, 64 bits.
TEST(Digest, OfNothingIsTheOffsetBasis) { EXPECT_EQ(Digest().hex(), "cbf29ce484222325"); }

TEST(Digest, ChangesWithEveryFlippedBit) {
  const std::string text = "what was measured";
  const std::uint64_t whole = Digest().add(text).value();
  for (std::size_t byte = 0; byte < text.size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = text;
      flipped[byte] = static_cast<char>(flipped[byte] ^ (1 << bit));
      EXPECT_NE(Digest().add(flipped).value(), whole);
    }
  }
}

TEST(Digest, SeesAByteThatMovesToTheNextField) {
  EXPECT_NE(Digest().add("ab").add("c").value(), Digest().add("a").add("bc").value());
}

}  // namespace
}  // namespace nmt
