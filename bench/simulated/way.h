// SPDX-License-Identifier: BSD-3-Clause
//
// One way to run a collective, as text: OPERATION:SIZE:ALGORITHM:SEGMENT, in bytes. A segment of 0
// is the whole message.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace nmt::bench {

struct Way {
  std::string_view text;
  std::string_view operation;
  std::string_view algorithm;
  std::uint64_t size_bytes = 0;
  std::uint64_t segment_bytes = 0;
};

inline std::string_view next_field(std::string_view* rest, char end = ':') {
  const std::string_view field = rest->substr(0, rest->find(end));
  rest->remove_prefix(std::min(field.size() + 1, rest->size()));
  return field;
}

inline std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Its parts are those of the text.
inline Way parse_way(std::string_view text) {
  Way way{.text = text};
  way.operation = next_field(&text);
  way.size_bytes = number(next_field(&text));
  way.algorithm = next_field(&text);
  way.segment_bytes = number(text);
  return way;
}

}  // namespace nmt::bench
