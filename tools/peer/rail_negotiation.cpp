// SPDX-License-Identifier: BSD-3-Clause
#include "tools/peer/rail_negotiation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"
#include "core/units.h"
#include "tools/command/options.h"
#include "tools/command/this_machine.h"
#include "tools/peer/peer_description.h"

namespace nmt::tools {
namespace {

using json::Reader;
using json::Value;

enum Kind : std::uint16_t { kPeerDescription = 32, kRailPairs, kConfig, kRefused };

constexpr std::chrono::seconds kAnswerTimeout{10};
constexpr std::size_t kPairsMax = 256;  // each is a rail, also measured beside each other one

struct OwnPort {
  drivers::Driver* driver = nullptr;
  drivers::Port port;
};

// Two ports that meet, by their indices in the two descriptions.
struct Pair {
  std::size_t near = 0;
  std::size_t far = 0;
  bool near_meets_several = false;
  bool far_meets_several = false;
};

std::vector<OwnPort> own_ports(const std::vector<std::unique_ptr<drivers::Driver>>& drivers) {
  std::vector<OwnPort> ports;
  for (const auto& driver : drivers) {
    for (drivers::Port& port : driver->ports()) ports.push_back({driver.get(), std::move(port)});
  }
  return ports;
}

std::string peer_description_text(const std::string& tool, const std::vector<OwnPort>& ports) {
  PeerDescription own{.platform = this_platform(), .node = this_node()};
  for (const OwnPort& each : ports) own.ports.push_back(each.port);
  return peer_description_text(own, tool);
}

std::string expect(control::Connection& peer, Kind kind) {
  control::Message message = peer.receive(kAnswerTimeout);
  if (message.kind == kRefused) {
    throw Error(Fault::kPeer, "the peer reports: " + json::printable(message.text, 500));
  }
  if (message.kind != kind) {
    throw Error(
        Fault::kPeer,
        peer.peer() +
            ": unexpected message from the peer; run the same version of nmadtune on both nodes");
  }
  return std::move(message.text);
}

std::vector<Pair> pairs_that_meet(const std::vector<OwnPort>& own, const PeerDescription& far) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < own.size(); ++i) {
    for (std::size_t j = 0; j < far.ports.size(); ++j) {
      const bool same_driver = own[i].port.rail.driver == far.ports[j].rail.driver;
      if (!same_driver || !own[i].driver->meet(own[i].port.address, far.ports[j].address)) continue;
      pairs.push_back({i, j});
    }
  }
  for (Pair& pair : pairs) {
    pair.near_meets_several = std::ranges::count(pairs, pair.near, &Pair::near) > 1;
    pair.far_meets_several = std::ranges::count(pairs, pair.far, &Pair::far) > 1;
  }
  return pairs;
}

Rail named(const Rail& rail, bool meets_several, const Rail& other) {
  Rail result = rail;
  if (meets_several) result.name += "/" + other.name;
  return result;
}

[[noreturn]] void refuse_no_rail(const std::vector<OwnPort>& own, const PeerDescription& far) {
  const auto list = [](const auto& ports, auto port_of) {
    std::vector<std::string> words;
    for (const auto& each : ports) {
      words.push_back(fmt::format("{} {}", port_of(each).rail.full_name(), port_of(each).address));
    }
    return words.empty() ? std::string("none") : fmt::format("{}", fmt::join(words, ", "));
  };
  throw Error(
      Fault::kNoRail,
      fmt::format(
          "no rail to {}: no interface of this node ({}) is in the subnet of an interface of the "
          "peer ({}); give both nodes an address in one subnet",
          far.node.host, list(own, [](const OwnPort& o) { return o.port; }),
          json::printable(list(far.ports, [](const drivers::Port& p) { return p; }), 500)));
}

std::string rail_pairs_text(const std::vector<Pair>& pairs) {
  Value list = Value::array();
  for (const Pair& pair : pairs) {
    list.push_back(Value::array()
                       .push_back(pair.near)
                       .push_back(pair.far)
                       .push_back(pair.near_meets_several)
                       .push_back(pair.far_meets_several));
  }
  return Value::object().set("pairs", std::move(list)).dump(-1);
}

std::vector<Pair> rail_pairs_from(const std::string& text, std::size_t near_ports,
                                  std::size_t far_ports) {
  return read_theirs(text, "agreement", [&](const Reader& reader) {
    std::vector<Pair> pairs;
    for (const Reader& pair : reader["pairs"].items()) {
      if (pairs.size() == kPairsMax) pair.fail("too many pairs");
      const std::size_t near = pair[0].unsigned_integer(kPortsMax);
      const std::size_t far = pair[1].unsigned_integer(kPortsMax);
      if (near >= near_ports || far >= far_ports) pair.fail("no such port");
      pairs.push_back({near, far, pair[2].boolean(), pair[3].boolean()});
    }
    if (pairs.empty()) reader["pairs"].fail("no pair");
    return pairs;
  });
}

// The indices in `known` that `wanted` names: rails or drivers, separated by commas; empty: all.
std::vector<std::size_t> chosen_of(const std::vector<std::string>& known,
                                   const std::string& wanted) {
  const auto means = [](const std::string& name, const std::string& rail) {
    return rail == name || rail.starts_with(name + ':');
  };
  const std::vector<std::string> names = split_list(wanted);
  for (const std::string& name : names) {
    if (std::ranges::any_of(known, [&](const auto& rail) { return means(name, rail); })) continue;
    throw Error(Fault::kUsage,
                fmt::format("--rails: no rail '{}' to the peer{}", name, suggestion(name, known)));
  }
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const bool named =
        std::ranges::any_of(names, [&](const auto& name) { return means(name, known[i]); });
    if (names.empty() || named) chosen.push_back(i);
  }
  return chosen;
}

void send_refusal(control::Connection& peer, const std::string& refusal) {
  try {
    peer.send(kRefused, refusal);
  } catch (const Error&) {  // the peer is gone, so it cannot be notified
  }
}

std::vector<Pair> choose(const std::vector<OwnPort>& own, const PeerDescription& far,
                         const std::string& wanted) {
  const std::vector<Pair> pairs = pairs_that_meet(own, far);
  if (pairs.empty()) refuse_no_rail(own, far);
  std::vector<std::string> names;
  for (const Pair& pair : pairs) {
    const Rail& rail = own[pair.near].port.rail;
    names.push_back(named(rail, pair.near_meets_several, far.ports[pair.far].rail).full_name());
  }
  std::vector<Pair> chosen;
  for (const std::size_t i : chosen_of(names, wanted)) chosen.push_back(pairs[i]);
  if (chosen.size() > kPairsMax) {
    throw Error(
        Fault::kUsage,
        fmt::format(
            "{} rails lead to the peer, and at most {} can be used; choose some with --rails",
            chosen.size(), kPairsMax));
  }
  return chosen;
}

SharedRail shared(const OwnPort& own, bool own_meets_several, const drivers::Port& theirs,
                  bool theirs_meets_several) {
  const Rail& rail = own.port.rail;
  return {.driver = own.driver,
          .rail = named(rail, own_meets_several, theirs.rail),
          .theirs = named(theirs.rail, theirs_meets_several, rail)};
}

}  // namespace

std::string name_from(const Reader& reader) {
  const std::string name = json::printable(reader.text());
  if (name.empty()) reader.fail("no name");
  return name;
}

RailNegotiation negotiate_as_near(control::Connection& peer, const std::string& tool,
                                  const std::string& rails) {
  RailNegotiation negotiation{.drivers = drivers::make_drivers()};
  const std::vector<OwnPort> own = own_ports(negotiation.drivers);
  peer.send(kPeerDescription, peer_description_text(tool, own));
  const PeerDescription far = peer_description_from(expect(peer, kPeerDescription), tool);
  negotiation.platform = far.platform;
  negotiation.node = far.node;
  try {
    const std::vector<Pair> pairs = choose(own, far, rails);
    for (const Pair& pair : pairs) {
      negotiation.rails.push_back(shared(own[pair.near], pair.near_meets_several,
                                         far.ports[pair.far], pair.far_meets_several));
    }
    peer.send(kRailPairs, rail_pairs_text(pairs));
  } catch (const Error& error) {
    send_refusal(peer, error.what());
    throw;
  }
  return negotiation;
}

RailNegotiation negotiate_as_far(control::Connection& peer, const std::string& tool) {
  RailNegotiation negotiation{.drivers = drivers::make_drivers()};
  const std::vector<OwnPort> own = own_ports(negotiation.drivers);
  const std::string introduction = expect(peer, kPeerDescription);
  peer.send(kPeerDescription, peer_description_text(tool, own));
  const PeerDescription near = peer_description_from(introduction, tool);
  negotiation.platform = near.platform;
  negotiation.node = near.node;
  for (const Pair& pair :
       rail_pairs_from(expect(peer, kRailPairs), near.ports.size(), own.size())) {
    negotiation.rails.push_back(shared(own[pair.far], pair.far_meets_several, near.ports[pair.near],
                                       pair.near_meets_several));
  }
  return negotiation;
}

void send_config(control::Connection& peer, const Value& config) {
  peer.send(kConfig, config.dump(-1));
}

std::string receive_config(control::Connection& peer) { return expect(peer, kConfig); }

}  // namespace nmt::tools
