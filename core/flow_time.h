// SPDX-License-Identifier: BSD-3-Clause
//
// How long one message took from one node to another while other messages were under way.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nmt {

struct FlowTime {
  std::uint32_t round = 0;  // flows of one round are under way together; one flow: it was alone
  std::size_t from = 0;     // nodes, by index
  std::size_t to = 0;
  double duration_ns = 0;  // from the round's start to the message's arrival
  bool operator==(const FlowTime&) const = default;
};

}  // namespace nmt
