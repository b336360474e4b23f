// SPDX-License-Identifier: BSD-3-Clause
#include "tools/peer/peer_description.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/plan_json.h"
#include "tools/peer/rail_negotiation.h"

namespace nmt::tools {

using json::Reader;
using json::Value;

std::string peer_description_text(const PeerDescription& own, const std::string& tool) {
  if (own.ports.size() > kPortsMax) {
    throw Error(
        Fault::kFailed,
        fmt::format(
            "this host has {} interfaces that may lead to the peer, and nmadtune compares at most "
            "{}; take down the interfaces that do not lead there",
            own.ports.size(), kPortsMax));
  }
  Value list = Value::array();
  for (const drivers::Port& port : own.ports) {
    list.push_back(Value::object()
                       .set("driver", port.rail.driver)
                       .set("name", port.rail.name)
                       .set("fingerprint", to_json(port.rail.fingerprint))
                       .set("address", port.address));
  }
  std::string text = Value::object()
                         .set("tool", tool)
                         .set("host", own.node.host)
                         .set("platform", own.platform.name)
                         .set("fingerprint", to_json(own.platform.fingerprint))
                         .set("ports", std::move(list))
                         .dump(-1);
  if (text.size() > control::kMessageBytesMax) {
    throw Error(
        Fault::kFailed,
        fmt::format(
            "the description of this host and its {} interfaces has {} bytes, and the peer accepts "
            "at most {}; take down interfaces",
            own.ports.size(), text.size(), control::kMessageBytesMax));
  }
  return text;
}

PeerDescription peer_description_from(const std::string& text, const std::string& tool) {
  return read_theirs(text, "introduction", [&](const Reader& reader) {
    if (const std::string theirs = name_from(reader["tool"]); theirs != tool) {
      reader["tool"].fail(fmt::format(
          "the peer runs {}, and this is {}; run the same command on both nodes", theirs, tool));
    }
    PeerDescription introduction{
        .platform = {.id = Id::random(),
                     .name = name_from(reader["platform"]),
                     .fingerprint = fields_from_json(reader["fingerprint"])},
        .node = {.id = Id::random(), .host = name_from(reader["host"])}};
    for (const Reader& port : reader["ports"].items()) {
      if (introduction.ports.size() == kPortsMax) port.fail("too many ports");
      introduction.ports.push_back({.rail = {.driver = name_from(port["driver"]),
                                             .name = name_from(port["name"]),
                                             .fingerprint = fields_from_json(port["fingerprint"])},
                                    .address = port["address"].text()});
    }
    return introduction;
  });
}

}  // namespace nmt::tools
