// SPDX-License-Identifier: BSD-3-Clause
#include "tools/bench/terms.h"

#include <algorithm>

#include "tools/peer/meeting.h"

namespace nmt::bench {
namespace {

using json::Reader;
using json::Value;

constexpr std::size_t kContendersMax = 64;
constexpr std::size_t kSizesMax = 1024;

std::uint32_t count_from(const Reader& reader, std::uint32_t high) {
  const std::uint64_t count = reader.unsigned_integer(high);
  if (count == 0) reader.fail("is 0");
  return static_cast<std::uint32_t>(count);
}

Value to_json(const std::vector<std::uint64_t>& numbers) {
  Value list = Value::array();
  for (const std::uint64_t number : numbers) list.push_back(number);
  return list;
}

std::vector<std::uint64_t> numbers_from(const Reader& reader, std::uint64_t high) {
  std::vector<std::uint64_t> numbers;
  for (const Reader& each : reader.items()) numbers.push_back(each.unsigned_integer(high));
  return numbers;
}

}  // namespace

Account& Account::operator+=(const Account& other) {
  const auto add = [](std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& from) {
    to.resize(std::max(to.size(), from.size()));
    for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
  };
  processor_ns += other.processor_ns;
  add(rail_bytes, other.rail_bytes);
  add(rail_messages, other.rail_messages);
  return *this;
}

Value to_json(const Terms& terms) {
  Value contenders = Value::array();
  for (const Contender& each : terms.contenders) {
    contenders.push_back(Value::object()
                             .set("strategy", each.strategy)
                             .set("only", each.only ? Value(*each.only) : Value()));
  }
  return Value::object()
      .set("contenders", std::move(contenders))
      .set("size_bytes_max", terms.size_bytes_max)
      .set("at_once_max", terms.at_once_max)
      .set("no_profile", terms.no_profile);
}

Terms terms_from(const std::string& text, std::size_t rails) {
  return read_theirs(text, "terms", [&](const Reader& reader) {
    Terms terms{.size_bytes_max = reader["size_bytes_max"].unsigned_integer(kSizeBytesMax),
                .at_once_max = count_from(reader["at_once_max"], kAtOnceMax),
                .no_profile = reader["no_profile"].boolean()};
    for (const Reader& each : reader["contenders"].items()) {
      if (terms.contenders.size() == kContendersMax) each.fail("too many contenders");
      Contender contender{.strategy = name_from(each["strategy"])};
      if (const Reader only = each["only"]; !only.is_null()) {
        contender.only = only.unsigned_integer(rails);
        if (*contender.only == rails) only.fail("no such rail");
      }
      terms.contenders.push_back(std::move(contender));
    }
    return terms;
  });
}

Value to_json(const Cell& cell) {
  return Value::object()
      .set("contender", cell.contender)
      .set("pattern", kPatternNames[static_cast<std::size_t>(cell.pattern)])
      .set("sizes_bytes", to_json(cell.sizes_bytes))
      .set("segments", cell.segments)
      .set("at_once", cell.at_once)
      .set("count", cell.count);
}

Cell cell_from(const std::string& text, const Terms& terms) {
  return read_theirs(text, "cell", [&](const Reader& reader) {
    const std::string pattern = reader["pattern"].text();
    const auto known = std::ranges::find(kPatternNames, pattern);
    if (known == kPatternNames.end()) reader["pattern"].fail("no such pattern");
    Cell cell{.contender =
                  static_cast<std::uint32_t>(reader["contender"].unsigned_integer(kContendersMax)),
              .pattern = static_cast<Pattern>(known - kPatternNames.begin()),
              .sizes_bytes = numbers_from(reader["sizes_bytes"], terms.size_bytes_max),
              .segments = count_from(reader["segments"], kSegmentsMax),
              .at_once = count_from(reader["at_once"], terms.at_once_max),
              .count = count_from(reader["count"], kCountMax)};
    if (cell.contender >= terms.contenders.size()) reader["contender"].fail("no such contender");
    if (cell.sizes_bytes.empty() || cell.sizes_bytes.size() > kSizesMax) {
      reader["sizes_bytes"].fail("none, or too many");
    }
    return cell;
  });
}

Value to_json(const Account& account) {
  return Value::object()
      .set("processor_ns", account.processor_ns)
      .set("rail_bytes", to_json(account.rail_bytes))
      .set("rail_messages", to_json(account.rail_messages));
}

Account account_from(const std::string& text, std::size_t rails) {
  constexpr std::uint64_t kMax = std::uint64_t{1} << 62;
  return read_theirs(text, "account", [&](const Reader& reader) {
    Account account{.processor_ns = reader["processor_ns"].number(0),
                    .rail_bytes = numbers_from(reader["rail_bytes"], kMax),
                    .rail_messages = numbers_from(reader["rail_messages"], kMax)};
    if (account.rail_bytes.size() != rails || account.rail_messages.size() != rails) {
      reader.fail("of other rails");
    }
    return account;
  });
}

}  // namespace nmt::bench
