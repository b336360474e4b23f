// SPDX-License-Identifier: BSD-3-Clause
//
// Two nodes agree on the rails between them. Each describes itself and its ports; the near end
// chooses the rails whose ports meet. Then it sends its configuration for the work that follows.
//
//   near                                                 far
//   kPeerDescription  tool, host, platform, ports   ->
//                                                   <-   kPeerDescription
//   kRailPairs        pairs of ports                ->
//   kConfig           the tool's configuration      ->
//
// After that the tool defines the messages. A rail has its own name at each end; if its port meets
// several of the other node, the name is "RAIL/PEERRAIL". Nothing from the other end is trusted
// with memory: texts are JSON of at most 1 MiB, and numbers are limited.
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

namespace nmt::tools {

// A rail between the two nodes, with the names of both ends.
struct SharedRail {
  drivers::Driver* driver = nullptr;
  Rail rail;
  Rail theirs;
};

struct RailNegotiation {
  std::vector<std::unique_ptr<drivers::Driver>> drivers;  // own what `rails` points to
  std::vector<SharedRail> rails;                          // in the same order at both ends
  Platform platform;                                      // of the peer
  Node node;
};

// Both throw Error(kPeer) if the other end is lost, breaks the protocol or runs another tool. The
// near end chooses the rails named in `rails` (separated by commas; empty: all). It throws
// Error(kNoRail) if none meet and Error(kUsage) for unknown ones, and reports that to the far end.
RailNegotiation negotiate_as_near(control::Connection& peer, const std::string& tool,
                                  const std::string& rails);
RailNegotiation negotiate_as_far(control::Connection& peer, const std::string& tool);

void send_config(control::Connection& peer, const json::Value& config);
std::string receive_config(control::Connection& peer);

// Parses a text of the other end, and returns the result of `read`. A refusal by `read` becomes
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

// Printable text that is not empty.
std::string name_from(const json::Reader& reader);

}  // namespace nmt::tools
