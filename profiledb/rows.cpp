// SPDX-License-Identifier: BSD-3-Clause
#include "profiledb/rows.h"

#include <array>
#include <type_traits>

namespace nmt::profiledb {

ConditionRow row_of(const Condition& condition) {
  std::array<Digest, 2> halves;
  halves[1].add("second half");
  ConditionRow row{{}, condition};
  for (std::size_t half = 0; half < halves.size(); ++half) {
    for_each_field(row.condition, [&](std::string_view, const auto& value) {
      if constexpr (std::is_same_v<decltype(value), const std::string&>) {
        halves[half].add(value);
      } else {
        halves[half].add(static_cast<std::uint64_t>(value));
      }
    });
    for (std::size_t i = 0; i < 8; ++i) {
      row.id.bytes[8 * half + i] = static_cast<std::uint8_t>(halves[half].value() >> (8 * i));
    }
  }
  return row;
}

}  // namespace nmt::profiledb
