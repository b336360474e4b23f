// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/verbs/driver.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/json.h"
#include "drivers/verbs/endpoint.h"
#include "drivers/verbs/port.h"
#include "node/node.h"

namespace nmt::drivers {
namespace {

constexpr std::uint64_t kVersion = 1;  // version of the data that crosses a rail

// What each end sends the other: its version and sizes, which must be equal, and its address.
std::string introduction(const VerbsAddress& own) {
  json::Value gid = json::Value::array();
  for (const std::uint8_t byte : own.gid) gid.push_back(byte);
  return json::Value::object()
      .set("verbs", kVersion)
      .set("cell_bytes", VerbsCells::kCellBytes)
      .set("credits", VerbsCells::kCredits)
      .set("queue", own.queue)
      .set("first_packet", own.first_packet)
      .set("lid", own.lid)
      .set("gid", gid)
      .set("mtu_bytes", own.mtu_bytes)
      .set("reads", own.reads)
      .dump(-1);
}

void require_same(const json::Reader& theirs, std::string_view name, std::uint64_t own) {
  if (const std::uint64_t its = theirs[name].unsigned_integer(); its != own) {
    throw Error(Fault::kPeer, fmt::format("{} is {} on the peer and {} on this node; run the same "
                                          "version of nmadtune on both nodes",
                                          name, its, own));
  }
}

VerbsAddress parse_introduction(std::string_view text) {
  constexpr std::size_t kBytesMax = 4096;
  const json::Value document = json::parse(text, "introduction of the peer", kBytesMax);
  const json::Reader theirs(document, "introduction of the peer");
  require_same(theirs, "verbs", kVersion);
  require_same(theirs, "cell_bytes", VerbsCells::kCellBytes);
  require_same(theirs, "credits", VerbsCells::kCredits);
  const auto number = [&](std::string_view name, std::uint64_t most) {
    return static_cast<std::uint32_t>(theirs[name].unsigned_integer(most));
  };
  VerbsAddress address{.queue = number("queue", 0xffffff),
                       .first_packet = number("first_packet", 0xffffff),
                       .lid = number("lid", 0xffff),
                       .mtu_bytes = number("mtu_bytes", 4096),
                       .reads = number("reads", 255)};
  const auto gid = theirs["gid"].items();
  if (gid.size() != address.gid.size()) theirs["gid"].fail("is not a GID");
  for (std::size_t i = 0; i < gid.size(); ++i) {
    address.gid[i] = static_cast<std::uint8_t>(gid[i].unsigned_integer(255));
  }
  return address;
}

class VerbsDriver final : public Driver {
 public:
  std::string_view name() const override { return "verbs"; }

  Detection detect() override {
    Detection detection;
    const VerbsSurvey survey = survey_verbs();
    detection.refusals = survey.refusals;
    for (const VerbsPort& port : survey.ports) {
      Rail rail{"verbs", port.name(), port.fingerprint};
      if (port.problem.empty()) {
        try {
          probe(rail, detection);
          detection.rails.push_back(std::move(rail));
        } catch (const Error& error) {
          detection.refusals.push_back({rail.full_name(), without_name(error, rail), ""});
        }
      } else {
        detection.refusals.push_back({rail.full_name(), port.problem, port.remedy});
      }
    }
    return detection;
  }

  std::vector<Port> ports() override {
    std::vector<Port> ports;
    const VerbsSurvey survey = survey_verbs();
    for (const Rail& rail : detect().rails) {
      for (const VerbsPort& port : survey.ports) {
        if (port.name() == rail.name && !port.subnet.empty()) ports.push_back({rail, port.subnet});
      }
    }
    return ports;
  }

  bool meet(std::string_view own, std::string_view theirs) const override {
    return same_fabric(own, theirs);
  }

  std::vector<Method> methods(const Rail&) const override {
    return {kMethods.begin(), kMethods.end()};
  }

  std::vector<std::string_view> variants(const Rail&, Method method) const override {
    if (method != Method::kRendezvous) return {};
    return {kVerbsRendezvous.begin(), kVerbsRendezvous.end()};
  }

  std::map<std::string, std::uint64_t> link_errors(const Rail& rail) override {
    const std::string port = port_of(rail);
    const std::size_t slash = port.find('/');
    return node::verbs_port_errors(port.substr(0, slash), port.substr(slash + 1));
  }

  std::unique_ptr<Endpoint> open(const Rail& rail, Side, Exchange& exchange) override {
    const std::string name = rail.full_name();
    auto endpoint = std::make_unique<VerbsEndpoint>(name, port_of(rail));
    const std::string theirs = exchange.swap(introduction(endpoint->connection().address()));
    VerbsAddress far;
    try {
      far = parse_introduction(theirs);
    } catch (const Error& error) {
      throw Error(Fault::kPeer, name + ": " + error.what());
    }
    endpoint->connect(far);
    exchange.swap("ready");  // a send to a queue that is not ready is lost
    return endpoint;
  }

 private:
  // "mlx5_0/1/PEERDEVICE/PEERPORT"
  static std::string port_of(const Rail& rail) {
    const std::size_t slash = rail.name.find('/');
    if (slash == std::string::npos) {
      throw Error(Fault::kUsage, rail.full_name() + " has no port; write verbs:DEVICE/PORT");
    }
    return rail.name.substr(0, rail.name.find('/', slash + 1));
  }

  // Opens everything that one end of the rail needs; Error if that fails.
  static void probe(Rail& rail, Detection& detection) {
    const VerbsEndpoint endpoint(rail.full_name(), port_of(rail));
    rail.fingerprint["inline_bytes"] = std::to_string(endpoint.connection().inline_bytes_max());
    rail.fingerprint["gather_pieces"] = std::to_string(endpoint.connection().pieces_max());
    rail.fingerprint["keeps_registrations"] = endpoint.keeps_registrations() ? "yes" : "no";
    if (!endpoint.keeps_registrations()) {
      detection.refusals.push_back(
          {rail.full_name() + " registration cache",
           "the kernel does not report which memory is unmapped: " + endpoint.why_not(),
           "allow userfaultfd"});
    }
  }

  static std::string without_name(const Error& error, const Rail& rail) {
    const std::string prefix = rail.full_name() + ": ";
    const std::string text = error.what();
    return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
  }
};

}  // namespace

std::unique_ptr<Driver> make_verbs_driver() { return std::make_unique<VerbsDriver>(); }

}  // namespace nmt::drivers
