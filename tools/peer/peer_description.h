// SPDX-License-Identifier: BSD-3-Clause
//
// What a node sends its peer about itself: the tool that it runs, its host and platform, and the
// ports from which rails may lead to the peer.
//
// The writer obeys the reader's limits: what one end sends, the other accepts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/rail.h"
#include "drivers/drivers.h"

namespace nmt::tools {

inline constexpr std::size_t kPortsMax = 256;

struct PeerDescription {
  Platform platform;
  Node node;
  std::vector<drivers::Port> ports;
};

// JSON of at most control::kMessageBytesMax. Error(kFailed) if there are more than kPortsMax ports,
// or if the text is longer.
std::string peer_description_text(const PeerDescription& own, const std::string& tool);

// Error(kPeer) if `text` is not such a description, or if the peer does not run `tool`.
PeerDescription peer_description_from(const std::string& text, const std::string& tool);

}  // namespace nmt::tools
