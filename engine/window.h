// SPDX-License-Identifier: BSD-3-Clause
//
// Units that wait to be sent to one peer while its rails are busy.
//
// A Unit is one packet: a label, and the part of a message that it carries. Control packets go
// first; the gate sends them. Strategies choose among the small units, which go in the order of
// their sends, and the large units, whose place the receiver has already sent.
#pragma once

#include <deque>
#include <memory>
#include <memory_resource>

#include "engine/operation.h"
#include "engine/wire.h"

namespace nmt::engine {

struct Unit {
  Label label;
  std::shared_ptr<Send> send;  // null for a control packet
  bool settled = false;        // the application may reuse its bytes
  bool asks = false;           // the request of its message goes with it
  bool cut = false;            // a part of it has gone

  drivers::ConstBytes body() const {
    return send ? send->at(label.offset_bytes, label.body_bytes) : drivers::ConstBytes{};
  }
};

// Asks the peer where the message belongs.
inline Unit request_of(const Send& send) {
  return {.label = {.kind = Kind::kRequest,
                    .sequence = send.sequence,
                    .tag = send.tag,
                    .total_bytes = send.size_bytes,
                    .offset_bytes = send.ahead_bytes},
          .send = nullptr};
}

using Units = std::pmr::deque<Unit>;

struct Window {
  explicit Window(std::pmr::memory_resource* memory)
      : control(memory), small(memory), large(memory) {}

  Units control;
  Units small;  // eager pieces and requests
  Units large;  // granted data

  bool empty() const { return control.empty() && small.empty() && large.empty(); }
};

}  // namespace nmt::engine
