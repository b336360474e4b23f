// SPDX-License-Identifier: BSD-3-Clause
//
// What waits to be sent to one peer while its rails are busy.
//
// A Unit is one packet: a label, and the part of a message that it carries. Control packets go
// first and are the gate's business; strategies choose among the small ones, which go in the order
// of their sends, and the large ones, whose place the receiver has already told.
#pragma once

#include <deque>
#include <memory>

#include "engine/operation.h"
#include "engine/wire.h"

namespace nmt::engine {

struct Unit {
  Label label;
  std::shared_ptr<Send> send;  // none of a control packet
  bool settled = false;        // its bytes are no longer counted as the application's
  bool asks = false;           // the request of its message goes with it

  ConstBytes body() const {
    return send ? send->at(label.offset_bytes, label.body_bytes) : ConstBytes{};
  }
};

struct Window {
  std::deque<Unit> control;
  std::deque<Unit> small;  // eager pieces and requests
  std::deque<Unit> large;  // data that was granted

  bool empty() const { return control.empty() && small.empty() && large.empty(); }
};

}  // namespace nmt::engine
