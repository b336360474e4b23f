// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/tcp/driver.h"

#include "core/error.h"
#include "drivers/tcp/connect.h"
#include "drivers/tcp/endpoint.h"
#include "drivers/tcp/interfaces.h"
#include "drivers/tcp/subnet.h"
#include "node/node.h"

namespace nmt::drivers {
namespace {

class TcpDriver final : public Driver {
 public:
  std::string_view name() const override { return "tcp"; }

  Detection detect() override {
    Detection detection;
    std::vector<TcpInterface> interfaces;
    try {
      interfaces = tcp_interfaces();
    } catch (const Error& error) {
      detection.refusals.push_back({"tcp", error.what(), ""});
    }
    for (const TcpInterface& interface : interfaces) {
      const Rail rail{"tcp", interface.name, tcp_fingerprint(interface.name)};
      if (!interface.problem.empty()) {
        detection.refusals.push_back({rail.full_name(), interface.problem, interface.remedy});
      } else if (!interface.loopback) {
        detection.refusals.push_back({rail.full_name(),
                                      "needs a peer: within this node, traffic "
                                      "to its address goes through loopback",
                                      "--peer HOST"});
      } else {
        detection.rails.push_back(rail);
      }
    }
    return detection;
  }

  std::vector<Port> ports() override {
    std::vector<Port> ports;
    for (const TcpInterface& interface : tcp_interfaces()) {
      if (interface.loopback || !interface.problem.empty()) continue;
      ports.push_back(
          {{"tcp", interface.name, tcp_fingerprint(interface.name)}, subnet_text(interface)});
    }
    return ports;
  }

  bool meet(std::string_view own, std::string_view theirs) const override {
    return same_subnet(own, theirs);
  }

  std::vector<Method> methods(const Rail&) const override {
    return {kMethods.begin(), kMethods.end()};
  }

  std::map<std::string, std::uint64_t> link_errors(const Rail& rail) override {
    return node::interface_errors(interface_of(rail));
  }

  std::unique_ptr<Endpoint> open(const Rail& rail, Side side, Exchange& exchange) override {
    const std::string name = rail.full_name();
    const control::Address own = address_of(rail);
    return std::make_unique<TcpEndpoint>(name, side == Side::kNear
                                                   ? tcp_listen(name, own, exchange)
                                                   : tcp_connect(name, own, exchange));
  }

 private:
  // "r0/PEERINTERFACE"
  static std::string interface_of(const Rail& rail) {
    return rail.name.substr(0, rail.name.find('/'));
  }

  static control::Address address_of(const Rail& rail) {
    const std::string own = interface_of(rail);
    for (const TcpInterface& interface : tcp_interfaces()) {
      if (interface.name != own) continue;
      if (interface.problem.empty()) return *interface.address;
      throw Error(Fault::kFailed,
                  rail.full_name() + ": " + interface.problem + "; " + interface.remedy);
    }
    throw Error(
        Fault::kFailed,
        rail.full_name() +
            ": this node has no such interface any more; nmad-sample --list prints the rails");
  }
};

}  // namespace

std::unique_ptr<Driver> make_tcp_driver() { return std::make_unique<TcpDriver>(); }

}  // namespace nmt::drivers
