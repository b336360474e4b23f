// SPDX-License-Identifier: BSD-3-Clause
//
// What a node says of itself to its peer: the tool that it runs, its host and platform, and the
// ports from which rails may lead to the peer.
//
// The writer keeps to the limits of the reader: what one end sends, the other takes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/rail.h"
#include "drivers/drivers.h"

namespace nmt {

inline constexpr std::size_t kPortsMax = 256;

struct PeerDescription {
  Platform platform;
  Node node;
  std::vector<Port> ports;
};

// JSON of at most control::kMessageBytesMax; Error(kFailed) where there are more than kPortsMax
// ports, or the text is longer.
std::string peer_description_text(const PeerDescription& own, const std::string& tool);

// Error(kPeer) where `text` is nothing of the kind, or the peer does not run `tool`.
PeerDescription peer_description_from(const std::string& text, const std::string& tool);

}  // namespace nmt
