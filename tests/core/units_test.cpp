// SPDX-License-Identifier: BSD-3-Clause
#include "core/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace nmt {
namespace {

using testing::HasSubstr;

template <class Parse>
void expect_refused(Parse parse, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    try {
      parse(text);
      ADD_FAILURE() << "accepted '" << text << "'";
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kUsage);
      EXPECT_THAT(error.what(), HasSubstr("'" + text.substr(0, 40)));
    }
  }
}

TEST(ParseBytes, TakesPrefixesAsPowersOfTwo) {
  EXPECT_EQ(parse_bytes("0"), 0u);
  EXPECT_EQ(parse_bytes("4096"), 4096u);
  EXPECT_EQ(parse_bytes("17B"), 17u);
  for (const char* text : {"64K", "64k", "64KB", "64KiB", "64 Ki", "65536"}) {
    EXPECT_EQ(parse_bytes(text), 65536u) << text;
  }
  EXPECT_EQ(parse_bytes("1.5GiB"), std::uint64_t{3} << 29);
  EXPECT_EQ(parse_bytes("2T"), std::uint64_t{2} << 40);
}

TEST(ParseBytes, RefusesWhatIsNoSize) {
  expect_refused(parse_bytes,
                 {"", "K", "-1", "+1", "64Q", "64KK", "64Kx", "nan", "inf", "1e400", "0.3",
                  "1.0001K", "8192P", "9000000000T", "0x10", std::string(1000, '9')});
}

TEST(ParseDuration, TakesItsUnit) {
  EXPECT_EQ(parse_duration_ns("5ns"), 5);
  EXPECT_EQ(parse_duration_ns("1.5us"), 1500);
  EXPECT_EQ(parse_duration_ns("2 ms"), 2e6);
  EXPECT_EQ(parse_duration_ns("20s"), 20e9);
  EXPECT_EQ(parse_duration_ns("2min"), 120e9);
  EXPECT_EQ(parse_duration_ns("1h"), 3600e9);
}

TEST(ParseDuration, RefusesABareNumber) {
  expect_refused(parse_duration_ns, {"20", "", "s", "-1s", "20 parsecs", "nans"});
}

TEST(ParseFraction, TakesPercentAndPlainNumbers) {
  EXPECT_DOUBLE_EQ(parse_fraction("2%"), 0.02);
  EXPECT_DOUBLE_EQ(parse_fraction("0.02"), 0.02);
  expect_refused(parse_fraction, {"", "%", "-2%", "2 percent"});
}

TEST(FormatBytes, UsesTheUnitThatReadsBest) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(65536), "64 KiB");
  EXPECT_EQ(format_bytes(1536), "1.50 KiB");
  EXPECT_EQ(format_bytes(100 * 1024 + 512), "100.5 KiB");
}

TEST(FormatBytes, OfWholeMultiplesParsesBack) {
  for (std::uint64_t size = 1; size < std::uint64_t{1} << 50; size *= 2) {
    EXPECT_EQ(parse_bytes(format_bytes(size)), size);
  }
}

TEST(FormatDuration, KeepsThreeDigits) {
  EXPECT_EQ(format_duration(12.34), "12.3 ns");
  EXPECT_EQ(format_duration(999.4), "999 ns");
  EXPECT_EQ(format_duration(999.7), "1.00 us");
  EXPECT_EQ(format_duration(1.5e6), "1.50 ms");
  EXPECT_EQ(format_duration(60e9), "60.0 s");
  EXPECT_EQ(format_duration(123e3), "123 us");
}

TEST(FormatFraction, IsPercent) { EXPECT_EQ(format_fraction(0.02), "2.0 %"); }

TEST(FormatBandwidth, IsDecimal) {
  EXPECT_EQ(format_bandwidth(1.25e9), "1.25 GB/s");
  EXPECT_EQ(format_bandwidth(1170e6), "1.17 GB/s");
  EXPECT_EQ(format_bandwidth(837e6), "837.0 MB/s");
  EXPECT_EQ(format_bandwidth(500), "0.5 kB/s");
}

TEST(SplitList, DropsEmptyItems) {
  EXPECT_EQ(split_list(",a,,b c,"), (std::vector<std::string>{"a", "b c"}));
  EXPECT_TRUE(split_list("").empty());
}

}  // namespace
}  // namespace nmt
