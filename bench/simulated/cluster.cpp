// SPDX-License-Identifier: BSD-3-Clause
//
// The paper's clusters (HierKNEM, 4) for smpirun -platform: nodes of 24 cores, n0, n1 ..., on one
// switch that is never the limit. The paper has 32 of them, here are more. NETWORK=ethernet is
// Stremi's Gigabit Ethernet, infiniband Parapluie's of 20 Gbit/s, 16 of them data.
//
// A card carries one message after the other, each way: messages of one connection come in the
// order in which they were sent, not all at the same time. Copies within a node share its memory,
// and none is faster than one core copies. The paper tells neither speed; 2.5 GB/s a core and
// 10 GB/s a node are assumed (Opterons 6164 HE with eight channels of DDR3).
#include <cstdlib>
#include <simgrid/s4u.hpp>
#include <string>
#include <string_view>

namespace {

constexpr int kNodes = 128, kCores = 24;
constexpr double kCopyBytesPerS = 2.5e9, kMemoryBytesPerS = 10e9, kMemoryS = 0.5e-6;
constexpr double kCoreFlops = 1e9;  // nothing is computed

struct Cable {  // from a card to the switch: SimGrid doubles what a small message takes on two
  double bytes_per_s;
  double latency_s;
};
constexpr Cable kEthernet = {125e6, 10e-6}, kInfiniband = {2e9, 0.5e-6};

}  // namespace

extern "C" __attribute__((visibility("default"))) void load_platform(
    const simgrid::s4u::Engine& /*engine*/) {
  using simgrid::s4u::Link;
  using simgrid::s4u::LinkInRoute;
  const char* network = std::getenv("NETWORK");
  const bool fast = network != nullptr && std::string_view(network) == "infiniband";
  const Cable cable = fast ? kInfiniband : kEthernet;
  simgrid::s4u::NetZone* zone = simgrid::s4u::create_star_zone("cluster");
  const auto link = [zone](const std::string& name, double bytes_per_s, double latency_s) {
    return zone->create_link(name, bytes_per_s)->set_latency(latency_s);
  };
  for (int i = 0; i < kNodes; ++i) {
    const std::string name = "n" + std::to_string(i);
    const simgrid::s4u::Host* node =
        zone->create_host(name, kCoreFlops)->set_core_count(kCores)->seal();
    Link* const up = link(name + "-up", cable.bytes_per_s, cable.latency_s);
    Link* const down = link(name + "-down", cable.bytes_per_s, cable.latency_s);
    for (Link* way : {up, down}) way->set_concurrency_limit(1)->seal();
    Link* const memory = link(name + "-memory", kMemoryBytesPerS, kMemoryS);
    memory->seal();
    Link* const core = link(name + "-core", kCopyBytesPerS, 0);  // not shared: a limit of each
    core->set_sharing_policy(Link::SharingPolicy::FATPIPE)->seal();
    simgrid::kernel::routing::NetPoint* const point = node->get_netpoint();
    zone->add_route(point, nullptr, nullptr, nullptr, {LinkInRoute(up)}, false);
    zone->add_route(nullptr, point, nullptr, nullptr, {LinkInRoute(down)}, false);
    zone->add_route(point, point, nullptr, nullptr, {LinkInRoute(memory), LinkInRoute(core)},
                    false);
  }
  zone->seal();
}
