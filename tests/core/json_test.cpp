// SPDX-License-Identifier: BSD-3-Clause
#include "core/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

#include "core/error.h"

namespace nmt::json {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string repeat(std::string_view text, std::size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kFailed);
    return error.what();
  }
  return "accepted";
}

std::string refusal_of(std::string_view text) {
  return refusal([&] { parse(text, "doc"); });
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "nmadtune-json-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::string operator/(std::string_view name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

TEST(JsonParse, KeepsOrderTypesAndText) {
  const Value value = parse(R"({"b":[1,-2,0.5,true,null],"a":{"text":"\u00e9\n"}})", "doc");
  Value expected = Value::object();
  expected.set("b", Value::Array{1, -2, 0.5, true, nullptr});
  expected.set("a", Value::object().set("text", "\xC3\xA9\n"));
  EXPECT_EQ(value, expected);
  EXPECT_EQ(value.dump(-1), R"({"b":[1,-2,0.5,true,null],"a":{"text":"é\n"}})");
}

TEST(JsonParse, ReadsTheExtremesOfIntegers) {
  const Value value = parse("[9223372036854775807,-9223372036854775808,18446744073709551615]", "d");
  const Reader reader(value, "d");
  EXPECT_EQ(reader[0].unsigned_integer(), 9223372036854775807u);
  EXPECT_EQ(reader[1].integer(INT64_MIN, 0), INT64_MIN);
  EXPECT_EQ(reader[2].unsigned_integer(), UINT64_MAX);
  EXPECT_EQ(parse(value.dump(), "d"), value);
}

TEST(JsonParse, TakesSixtyFourLevelsAndNoMore) {
  EXPECT_NO_THROW(parse(repeat("[", 64) + repeat("]", 64), "doc").dump());
  EXPECT_EQ(refusal_of(repeat("[", 65) + repeat("]", 65)), "doc: line 1: more than 64 levels");
}

TEST(JsonParse, RefusesAMillionLevelsOfEveryKind) {
  EXPECT_THAT(refusal_of(repeat("[", 1'000'000)), HasSubstr("64 levels"));
  EXPECT_THAT(refusal_of(repeat("{\"a\":", 1'000'000)), HasSubstr("64 levels"));
  EXPECT_THAT(refusal_of(repeat("[{\"a\":", 1'000'000)), HasSubstr("64 levels"));
}

TEST(JsonParse, RefusesMoreValuesThanMemoryIsSetAsideFor) {
  EXPECT_THAT(refusal_of("[" + repeat("0,", kValuesMax) + "0]"), HasSubstr("values"));
}

TEST(JsonParse, TakesAsManyValuesAsItsCallerAllows) {
  const auto parse_with_most = [](std::size_t values_max) {
    return parse("[1,2,3]", "doc", kSizeBytesMax, values_max);
  };
  EXPECT_NO_THROW(parse_with_most(4));  // the list is one too
  EXPECT_THROW(parse_with_most(3), Error);
}

TEST(JsonParse, RefusesDuplicateKeysWithTheirLine) {
  EXPECT_EQ(refusal_of("{\"a\":1,\n\"b\":2,\n\"a\":3}"),
            "doc: line 3: key 'a' is twice in the object that ends here");
  EXPECT_EQ(refusal_of(R"({"a":{"a":1},"b":{"a":2}})"), "accepted");
}

TEST(JsonParse, FindsDuplicatesAmongManyKeysInTime) {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) text += "\"k" + std::to_string(i) + "\":0,";
  EXPECT_THAT(refusal_of(text + "\"k77\":0}"), HasSubstr("key 'k77' is twice in the object"));
}

TEST(JsonParse, NamesTheLineOfASyntaxError) {
  EXPECT_THAT(refusal_of("{\n\"a\": 1,\n\"b\": nope\n}"), StartsWith("doc: line 3: "));
  EXPECT_THAT(refusal_of("[1,\n2"), StartsWith("doc: line 2: "));
}

TEST(JsonParse, RefusesWhatIsNotJson) {
  for (const std::string_view text : {"",
                                      " ",
                                      "NaN",
                                      "[Infinity]",
                                      "[-Infinity]",
                                      "[1e400]",
                                      "[-1e999]",
                                      "[01]",
                                      "[.5]",
                                      "[+1]",
                                      "{\"a\" 1}",
                                      "[1,]",
                                      "{\"a\":1,}",
                                      "[1] [2]",
                                      "// x\n1",
                                      "'a'",
                                      "\"\\ud800\"",
                                      "\"\n\"",
                                      "\"\x80\"",
                                      "\"\xC0\xAF\"",
                                      "\"\xED\xA0\x80\"",
                                      "\"\xF5\x80\x80\x80\"",
                                      "\"\xE2\x82\""}) {
    EXPECT_THAT(refusal_of(text), StartsWith("doc: line 1: ")) << text;
  }
  EXPECT_THAT(refusal_of(std::string_view("1\0garbage", 9)), HasSubstr("byte 1 is 0"));
}

TEST(JsonParse, KeepsHostileTextOutOfItsMessages) {
  const std::string message = refusal_of("[\"\x1B[2J" + std::string(100'000, 'x'));
  EXPECT_EQ(message.find('\x1B'), std::string::npos);
  EXPECT_LT(message.size(), 300u);
}

TEST(JsonParse, RefusesMoreThanTheGivenSize) {
  EXPECT_EQ(refusal([] { parse("[1, 2]", "doc", 5); }), "doc: larger than 5 bytes");
}

TEST(JsonParse, NeverCrashesOnDamagedText) {
  const std::string good =
      R"({"seed":1,"rails":[{"name":"é","points":[[1,2.5e3],[-0.0,1e-300]]}]})";
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = good;
    for (auto flips = random() % 3 + 1; flips > 0; --flips) {
      text[random() % text.size()] = static_cast<char>(random());
    }
    try {
      const Value value = parse(text, "doc");
      EXPECT_EQ(parse(value.dump(), "again"), value);
    } catch (const Error&) {
    }
  }
}

TEST(JsonParseFile, RefusesDirectoriesFifosDevicesAndLargeFilesWithoutBlocking) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
  std::ofstream(folder / "huge").close();
  std::filesystem::resize_file(folder / "huge", std::uintmax_t{2} << 30);
  const auto refusal_of_file = [](const std::string& file) {
    return refusal([&] { parse_file(file); });
  };
  EXPECT_THAT(refusal_of_file(folder / ""), HasSubstr("a directory"));
  EXPECT_THAT(refusal_of_file(folder / "fifo"), HasSubstr("FIFO"));
  EXPECT_THAT(refusal_of_file("/dev/zero"), HasSubstr("device"));
  EXPECT_THAT(refusal_of_file(folder / "huge"), HasSubstr("larger than"));
  EXPECT_THAT(refusal_of_file(folder / "absent"), HasSubstr("No such file"));
}

TEST(JsonParseFile, ReadsAFile) {
  const TemporaryFolder folder;
  std::ofstream(folder / "a.json") << "\xEF\xBB\xBF[1]\n";  // with a byte order mark
  EXPECT_EQ(parse_file(folder / "a.json"), Value(Value::Array{1}));
}

TEST(JsonDump, RoundTripsDoublesBitForBit) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100'000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    const Value back = parse(Value(value).dump(), "doc");
    ASSERT_NE(back.get_if<double>(), nullptr) << value;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*back.get_if<double>()),
              std::bit_cast<std::uint64_t>(value));
  }
  EXPECT_EQ(Value(2.0).dump(), "2.0");
  EXPECT_EQ(Value(-0.0).dump(), "-0.0");
  EXPECT_EQ(Value(std::nan("")).dump(), "null");
}

TEST(JsonDump, ReplacesInvalidUtf8AndEscapesControls) {
  EXPECT_EQ(Value("a\xFF\x01\"\\\x7F").dump(), "\"a\xEF\xBF\xBD\\u0001\\\"\\\\\\u007f\"");
}

TEST(JsonDump, KeepsPlainListsOnOneLine) {
  Value value = Value::object();
  value.set("a", Value::Array{1, 2})
      .set("b", Value::object())
      .set("c", Value::Array{Value::array()});
  EXPECT_EQ(value.dump(), "{\n  \"a\": [1, 2],\n  \"b\": {},\n  \"c\": [\n    []\n  ]\n}");
}

TEST(JsonValue, SetReplacesAndKeepsOrder) {
  Value value = Value::object();
  value.set("x", 1).set("y", 2).set("x", 3);
  EXPECT_EQ(value.dump(-1), R"({"x":3,"y":2})");
  EXPECT_EQ(value.find("z"), nullptr);
}

TEST(JsonReader, NamesThePlaceOfWhatIsWrong) {
  const Value document = parse(
      R"({"rails":[{},{},{"methods":{"copy":[[-5,1.5],["x"]]},"name":1}],"big":4294967297})", "d");
  const Reader reader(document, "rails.json");
  const Reader rail = reader["rails"][2];
  const auto refused = [](auto read) { return refusal([&] { read(); }); };
  EXPECT_EQ(refused([&] { rail["methods"]["copy"][0][0].unsigned_integer(); }),
            "rails.json: rails[2].methods.copy[0][0]: -5 is negative");
  EXPECT_EQ(refused([&] { rail["methods"]["copy"][0][0].number(0); }),
            "rails.json: rails[2].methods.copy[0][0]: -5 is negative");
  EXPECT_EQ(refused([&] { rail["methods"]["copy"][0][1].unsigned_integer(); }),
            "rails.json: rails[2].methods.copy[0][1]: 1.5 is not a whole number");
  EXPECT_EQ(refused([&] { rail["methods"]["copy"][1][0].number(); }),
            "rails.json: rails[2].methods.copy[1][0]: expected a number, found text");
  EXPECT_EQ(refused([&] { rail["methods"]["copy"][0][2]; }),
            "rails.json: rails[2].methods.copy[0]: expected at least 3 entries, found 2");
  EXPECT_EQ(refused([&] { rail["name"].text(); }),
            "rails.json: rails[2].name: expected text, found a number");
  EXPECT_EQ(refused([&] { rail["seed"]; }), "rails.json: rails[2]: 'seed' is missing");
  EXPECT_EQ(refused([&] { reader["big"].integer(0, INT32_MAX); }),
            "rails.json: big: 4294967297 is above 2147483647");
  EXPECT_EQ(refused([&] { reader[0]; }), "rails.json: expected a list, found an object");
  EXPECT_EQ(refused([&] { reader.only({"rails"}); }),
            "rails.json: 'big' is not known here; known are rails");
}

TEST(JsonReader, ChecksTheRangeOfEveryNumber) {
  const Value document = parse("[9223372036854775808,1e300,1e6,-1.0,64.0,9007199254740994.0]", "d");
  const Reader reader(document, "d");
  EXPECT_THROW(reader[0].integer(INT64_MIN, INT64_MAX), Error);
  EXPECT_THROW(reader[1].unsigned_integer(), Error);
  EXPECT_THROW(reader[1].integer(INT64_MIN, INT64_MAX), Error);
  EXPECT_EQ(reader[2].unsigned_integer(), 1'000'000u);
  EXPECT_THROW(reader[3].unsigned_integer(), Error);
  EXPECT_EQ(reader[3].integer(-1, 1), -1);
  EXPECT_THROW(reader[4].unsigned_integer(63), Error);
  EXPECT_THROW(reader[5].unsigned_integer(), Error);
  EXPECT_THROW(reader[4].number(0, 63.5), Error);
  EXPECT_EQ(reader[0].number(), 0x1p63);
}

TEST(JsonReader, ReadsAListOfTexts) {
  const std::vector<std::string> texts = {"tcp:r0", "", "a -> b"};
  const Value list = Value::array(texts);
  EXPECT_EQ(list.dump(-1), R"(["tcp:r0","","a -> b"])");
  EXPECT_EQ(Reader(list, "d").texts(), texts);
  const Value numbers = parse(R"(["a",1])", "d");
  EXPECT_EQ(refusal([&] { Reader(numbers, "d").texts(); }),
            "d: [1]: expected text, found a number");
}

}  // namespace
}  // namespace nmt::json
