// SPDX-License-Identifier: BSD-3-Clause
//
// Two nodes agree on the rails between them: each says what it is and which rails leave it, the
// near one chooses those that meet; then it sends its configuration: what the two are to do with
// them.
//
//   near                                                 far
//   kPeerDescription  tool, host, platform, ports   ->
//                                                   <-   kPeerDescription
//   kRailPairs        pairs of ports                ->
//   kConfig           what the tool makes of it     ->
//
// After that the two talk as their tool does. A rail is called by its own name at each end; where
// its port meets several of the other node, "RAIL/PEERRAIL". Nothing the other end says is trusted
// with memory: texts are JSON of at most 1 MiB, numbers are held to limits.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "control/control.h"
#include "core/error.h"
#include "core/json.h"
#include "core/rail.h"
#include "drivers/drivers.h"

namespace nmt {

// A rail between the two, by the names of both ends.
struct SharedRail {
  Driver* driver = nullptr;
  Rail rail;
  Rail theirs;
};

struct RailNegotiation {
  std::vector<std::unique_ptr<Driver>> drivers;  // own what `rails` points to
  std::vector<SharedRail> rails;                 // in the same order at both ends
  Platform platform;                             // of the peer
  Node node;
};

// Both throw Error(kPeer) where the other end is lost, breaks the rules or runs another tool. The
// near end chooses the rails that `rails` names (with commas; empty: all); it throws Error(kNoRail)
// where none meet, Error(kUsage) for those that are not there, and tells the far end.
RailNegotiation negotiate_as_near(control::Connection& peer, const std::string& tool,
                                  const std::string& rails);
RailNegotiation negotiate_as_far(control::Connection& peer, const std::string& tool);

void send_config(control::Connection& peer, const json::Value& config);
std::string receive_config(control::Connection& peer);

// What `read` makes of a reader of this text, which the other end said. What it refuses is
// Error(kPeer).
template <class Read>
auto read_theirs(const std::string& text, std::string_view what, Read read) {
  try {
    const json::Value document = json::parse(text, what, control::kMessageBytesMax);
    return read(json::Reader(document, what));
  } catch (const Error& error) {
    throw Error(Fault::kPeer, fmt::format("malformed message from the peer: {}", error.what()));
  }
}

// Text that is not empty and can be printed.
std::string name_from(const json::Reader& reader);

}  // namespace nmt
