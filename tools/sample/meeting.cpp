// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/meeting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"
#include "core/plan_json.h"
#include "tools/profile/this_machine.h"
#include "tools/sample/campaign.h"

namespace nmt {
namespace {

using json::Reader;
using json::Value;

enum Kind : std::uint16_t { kIntroduction = 32, kAgreement, kRefused };

constexpr std::chrono::seconds kAnswerTimeout{10};
constexpr std::size_t kPortsMax = 256;
constexpr std::uint64_t kSizeBytesMax = std::uint64_t{64} << 20;
constexpr std::uint64_t kSeedMax = std::uint64_t{1} << 53;

struct OwnPort {
  Driver* driver = nullptr;
  Port port;
};

// What a node says of itself.
struct Introduction {
  Platform platform;
  Node node;
  std::vector<Port> ports;
};

// Two ports that meet, by their places in the two introductions.
struct Pair {
  std::size_t near = 0;
  std::size_t far = 0;
  bool near_meets_several = false;
  bool far_meets_several = false;
};

std::vector<OwnPort> own_ports(const std::vector<std::unique_ptr<Driver>>& drivers) {
  std::vector<OwnPort> ports;
  for (const auto& driver : drivers) {
    for (Port& port : driver->ports()) ports.push_back({driver.get(), std::move(port)});
  }
  return ports;
}

std::string introduction_text(const std::vector<OwnPort>& ports) {
  const Platform platform = this_platform();
  Value list = Value::array();
  for (const OwnPort& own : ports) {
    list.push_back(Value::object()
                       .set("driver", own.port.rail.driver)
                       .set("name", own.port.rail.name)
                       .set("fingerprint", to_json(own.port.rail.fingerprint))
                       .set("address", own.port.address));
  }
  return Value::object()
      .set("host", this_node().host)
      .set("platform", platform.name)
      .set("fingerprint", to_json(platform.fingerprint))
      .set("ports", std::move(list))
      .dump(-1);
}

template <class Read>
auto parsed(const std::string& text, std::string_view what, Read read) {
  try {
    const Value document = json::parse(text, what, control::kMessageBytesMax);
    return read(Reader(document, what));
  } catch (const Error& error) {
    throw Error(Fault::kPeer, fmt::format("the other end says nonsense: {}", error.what()));
  }
}

std::string name_from(const Reader& reader) {
  const std::string name = json::printable(reader.text());
  if (name.empty()) reader.fail("no name");
  return name;
}

Introduction introduction_from(const std::string& text) {
  return parsed(text, "introduction", [](const Reader& reader) {
    Introduction introduction{.platform = {.id = Id::random(),
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

std::string expect(control::Connection& peer, Kind kind) {
  control::Message message = peer.receive(kAnswerTimeout);
  if (message.kind == kRefused) {
    throw Error(Fault::kPeer, "the other end says: " + json::printable(message.text, 500));
  }
  if (message.kind != kind) {
    throw Error(Fault::kPeer, peer.peer() + ": the other end does not keep to the protocol");
  }
  return std::move(message.text);
}

std::vector<Pair> pairs_that_meet(const std::vector<OwnPort>& own, const Introduction& far) {
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

[[noreturn]] void refuse_no_rail(const std::vector<OwnPort>& own, const Introduction& far) {
  const auto list = [](const auto& ports, auto port_of) {
    std::vector<std::string> words;
    for (const auto& each : ports) {
      words.push_back(fmt::format("{} {}", port_of(each).rail.full_name(), port_of(each).address));
    }
    return words.empty() ? std::string("none") : fmt::format("{}", fmt::join(words, ", "));
  };
  throw Error(Fault::kNoRail,
              fmt::format("no rail to {}: no interface here ({}) is in a subnet of one there ({})",
                          far.node.host, list(own, [](const OwnPort& o) { return o.port; }),
                          json::printable(list(far.ports, [](const Port& p) { return p; }), 500)));
}

std::string agreement_text(const std::vector<Pair>& pairs, const Meeting& meeting) {
  Value list = Value::array();
  for (const Pair& pair : pairs) {
    list.push_back(Value::array()
                       .push_back(pair.near)
                       .push_back(pair.far)
                       .push_back(pair.near_meets_several)
                       .push_back(pair.far_meets_several));
  }
  const SamplingOptions& sampling = meeting.options.sampling;
  return Value::object()
      .set("pairs", std::move(list))
      .set("budget_ns", sampling.budget_ns)
      .set("precision", sampling.precision)
      .set("max_size_bytes", sampling.size_bytes_max)
      .set("max_unexpected_bytes", sampling.max_unexpected_bytes)
      .set("verify", sampling.verify)
      .set("rails_together", sampling.pairs)
      .set("seed", meeting.session.seed)
      .set("clock", meeting.session.clock)
      .set("clock_cost_ns", meeting.session.clock_cost_ns)
      .set("clock_resolution_ns", meeting.session.clock_resolution_ns)
      .dump(-1);
}

struct Agreement {
  std::vector<Pair> pairs;
  SamplingOptions sampling;
  Session session;
};

Agreement agreement_from(const std::string& text, std::size_t near_ports, std::size_t far_ports) {
  return parsed(text, "agreement", [&](const Reader& reader) {
    Agreement agreement{
        .sampling = {.budget_ns = reader["budget_ns"].number(1),
                     .precision = reader["precision"].number(1e-6, 1),
                     .size_bytes_max = reader["max_size_bytes"].unsigned_integer(kSizeBytesMax),
                     .max_unexpected_bytes =
                         reader["max_unexpected_bytes"].unsigned_integer(kSizeBytesMax),
                     .verify = reader["verify"].boolean(),
                     .pairs = reader["rails_together"].boolean()},
        .session = {.clock = name_from(reader["clock"]),
                    .clock_cost_ns = reader["clock_cost_ns"].number(0),
                    .clock_resolution_ns = reader["clock_resolution_ns"].number(0),
                    .seed = reader["seed"].unsigned_integer(kSeedMax)}};
    if (agreement.sampling.size_bytes_max == 0) reader["max_size_bytes"].fail("is 0");
    for (const Reader& pair : reader["pairs"].items()) {
      const std::size_t near = pair[0].unsigned_integer(kPortsMax);
      const std::size_t far = pair[1].unsigned_integer(kPortsMax);
      if (near >= near_ports || far >= far_ports) pair.fail("no such port");
      agreement.pairs.push_back({near, far, pair[2].boolean(), pair[3].boolean()});
    }
    if (agreement.pairs.empty()) reader["pairs"].fail("no pair");
    return agreement;
  });
}

void tell(control::Connection& peer, const std::string& refusal) {
  try {
    peer.send(kRefused, refusal);
  } catch (const Error&) {  // who is gone needs no telling
  }
}

void add(Meeting* meeting, control::Connection& peer, const OwnPort& own, const Port& theirs,
         bool own_meets_several, bool theirs_meets_several) {
  const Rail& rail = own.port.rail;
  meeting->choice.rails.push_back({own.driver, named(rail, own_meets_several, theirs.rail), &peer});
  meeting->peer.rails.push_back(named(theirs.rail, theirs_meets_several, rail));
}

}  // namespace

Meeting meet_as_near(control::Connection& peer, const SampleOptions& options) {
  Meeting meeting{.options = options};
  meeting.choice.drivers = make_drivers();
  const std::vector<OwnPort> own = own_ports(meeting.choice.drivers);
  peer.send(kIntroduction, introduction_text(own));
  const Introduction far = introduction_from(expect(peer, kIntroduction));
  meeting.peer = {.platform = far.platform, .node = far.node};
  try {
    const std::vector<Pair> pairs = pairs_that_meet(own, far);
    if (pairs.empty()) refuse_no_rail(own, far);
    std::vector<std::string> names;
    for (const Pair& pair : pairs) {
      names.push_back(
          named(own[pair.near].port.rail, pair.near_meets_several, far.ports[pair.far].rail)
              .full_name());
    }
    std::vector<Pair> chosen;
    for (const std::size_t i : choose_names(options.rails, names)) {
      const Pair& pair = chosen.emplace_back(pairs[i]);
      add(&meeting, peer, own[pair.near], far.ports[pair.far], pair.near_meets_several,
          pair.far_meets_several);
    }
    meeting.session =
        describe_session(meeting.choice, options.seed ? *options.seed : random_seed());
    peer.send(kAgreement, agreement_text(chosen, meeting));
  } catch (const Error& error) {
    tell(peer, error.what());
    throw;
  }
  return meeting;
}

Meeting meet_as_far(control::Connection& peer, const SampleOptions& options) {
  Meeting meeting{.options = options};
  meeting.choice.drivers = make_drivers();
  const std::vector<OwnPort> own = own_ports(meeting.choice.drivers);
  const Introduction near = introduction_from(expect(peer, kIntroduction));
  peer.send(kIntroduction, introduction_text(own));
  meeting.peer = {.platform = near.platform, .node = near.node};
  Agreement agreement = agreement_from(expect(peer, kAgreement), near.ports.size(), own.size());
  for (const Pair& pair : agreement.pairs) {
    add(&meeting, peer, own[pair.far], near.ports[pair.near], pair.far_meets_several,
        pair.near_meets_several);
  }
  meeting.options.sampling = agreement.sampling;
  meeting.options.seed = agreement.session.seed;
  meeting.session = agreement.session;
  return meeting;
}

}  // namespace nmt
