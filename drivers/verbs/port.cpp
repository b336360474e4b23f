// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/verbs/port.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>

#include "core/error.h"
#include "core/hex.h"
#include "core/units.h"
#include "node/node.h"

namespace nmt::drivers {
namespace {

constexpr std::array<std::uint8_t, 12> kMappedIpv4 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

bool is_ipv4(const VerbsGid& gid) {
  return std::equal(kMappedIpv4.begin(), kMappedIpv4.end(), gid.bytes.begin());
}

bool is_zero(const VerbsGid& gid) {
  return std::ranges::all_of(gid.bytes, [](std::uint8_t byte) { return byte == 0; });
}

// A greater value is better; 0: cannot be used.
int rank(const VerbsGid& gid, bool ethernet) {
  if (is_zero(gid)) return 0;
  if (!ethernet) return gid.kind == GidKind::kInfiniBand ? 1 : 0;
  if (gid.kind == GidKind::kRoceV2) return is_ipv4(gid) ? 3 : 2;
  return 1;
}

std::string_view gid_text(const VerbsGid& gid) {
  switch (gid.kind) {
    case GidKind::kRoceV2:
      return is_ipv4(gid) ? "RoCE v2, IPv4" : "RoCE v2, IPv6";
    case GidKind::kRoceV1:
      return "RoCE v1";
    case GidKind::kInfiniBand:
      break;
  }
  return "InfiniBand";
}

// Prefix length of an IPv4 address of this node.
unsigned prefix_bits(const std::uint8_t* ipv4) {
  unsigned bits = 32;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return bits;
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET) continue;
    const auto* address = reinterpret_cast<const sockaddr_in*>(each->ifa_addr);
    if (std::memcmp(&address->sin_addr, ipv4, 4) != 0 || each->ifa_netmask == nullptr) continue;
    const auto* mask = reinterpret_cast<const sockaddr_in*>(each->ifa_netmask);
    bits = static_cast<unsigned>(std::popcount(mask->sin_addr.s_addr));
  }
  ::freeifaddrs(all);
  return bits;
}

std::string subnet_of(const PortFacts& facts, const VerbsGid& gid) {
  if (facts.ethernet) {
    char text[INET6_ADDRSTRLEN];
    if (is_ipv4(gid)) {
      ::inet_ntop(AF_INET, gid.bytes.data() + kMappedIpv4.size(), text, sizeof text);
      return fmt::format("roce {}/{}", text, prefix_bits(gid.bytes.data() + kMappedIpv4.size()));
    }
    ::inet_ntop(AF_INET6, gid.bytes.data(), text, sizeof text);
    return fmt::format("roce {}/64", text);
  }
  return fmt::format("ib {} {}", to_hex(std::span(gid.bytes).first<8>()), facts.lid);
}

Fields fingerprint_of(const PortFacts& facts, const VerbsGid* gid, const std::string& root) {
  const std::string sys = root + "/sys/class/infiniband/" + facts.device;
  std::error_code ignored;
  const std::filesystem::path driver =
      std::filesystem::read_symlink(sys + "/device/driver", ignored);
  char interface[IF_NAMESIZE] = "";
  if (gid != nullptr && gid->interface != 0) ::if_indextoname(gid->interface, interface);
  Fields fields = {{"link_layer", facts.ethernet ? "Ethernet" : "InfiniBand"},
                   {"mtu_bytes", std::to_string(facts.mtu_bytes)},
                   {"link_width_code", std::to_string(facts.width_code)},
                   {"link_speed_code", std::to_string(facts.speed_code)}};
  const std::pair<const char*, std::string> optional_fields[] = {
      {"driver", driver.filename().string()},
      {"driver_version", node::read_line(sys + "/device/driver/module/version")},
      {"firmware", facts.firmware},
      {"board", node::read_line(sys + "/board_id")},
      {"link_rate", node::read_line(fmt::format("{}/ports/{}/rate", sys, facts.number))},
      {"numa_node", node::read_line(sys + "/device/numa_node")},
      {"pci", node::pci_address(sys)},
      {"pcie_width", node::read_line(sys + "/device/current_link_width")},
      {"pcie_speed", node::read_line(sys + "/device/current_link_speed")},
      {"gid", gid != nullptr ? std::string(gid_text(*gid)) : ""},
      {"interface", interface}};
  for (const auto& [name, value] : optional_fields) {
    if (!value.empty()) fields[name] = value;
  }
  return fields;
}

// An IPv4 or IPv6 address with the bits of its subnet; comes from another node and is not trusted.
struct Subnet {
  int family = AF_INET;
  std::array<std::uint8_t, 16> address{};
  unsigned bits = 0;

  static std::optional<Subnet> parse(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == text.npos) return std::nullopt;
    Subnet subnet;
    const std::string address(text.substr(0, slash));
    if (::inet_pton(AF_INET, address.c_str(), subnet.address.data()) != 1) {
      subnet.family = AF_INET6;
      if (::inet_pton(AF_INET6, address.c_str(), subnet.address.data()) != 1) return std::nullopt;
    }
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + slash + 1, end, subnet.bits);
    const unsigned most = subnet.family == AF_INET ? 32 : 128;
    if (error != std::errc() || rest != end || subnet.bits > most) return std::nullopt;
    return subnet;
  }

  bool holds(const Subnet& other) const {
    if (family != other.family || bits != other.bits) return false;
    for (unsigned bit = 0; bit < bits; ++bit) {
      if (((address[bit / 8] ^ other.address[bit / 8]) >> (7 - bit % 8) & 1) != 0) return false;
    }
    return true;
  }
};

}  // namespace

const VerbsGid* best_gid(const PortFacts& facts) {
  const VerbsGid* best = nullptr;
  for (const VerbsGid& gid : facts.gids) {
    const int worth = rank(gid, facts.ethernet);
    if (worth > 0 && (best == nullptr || worth > rank(*best, facts.ethernet))) best = &gid;
  }
  return best;
}

VerbsPort describe_port(const PortFacts& facts, const std::string& root) {
  VerbsPort port{.device = facts.device, .number = facts.number};
  if (facts.error != 0) {
    port.problem = system_error(Fault::kFailed, "ibv_query_port", facts.error).what();
    return port;
  }
  const VerbsGid* gid = best_gid(facts);
  port.fingerprint = fingerprint_of(facts, gid, root);
  if (!facts.active) {
    port.problem = fmt::format("the port is not active ({})", facts.state);
    port.remedy = facts.ethernet ? "bring its interface up (ip link set dev INTERFACE up)"
                                 : "connect it, and make sure that a subnet manager runs";
  } else if (gid == nullptr) {
    port.problem = "the port has no GID";
    port.remedy = facts.ethernet ? "give its interface an address" : "run a subnet manager";
  } else if (!facts.ethernet && facts.lid == 0) {
    port.problem = "the port has no LID";
    port.remedy = "run a subnet manager";
  } else {
    port.subnet = subnet_of(facts, *gid);
  }
  return port;
}

Refusal refusal_of_device(const std::string& device, int error) {
  const bool missing = error == ENOENT || error == ENXIO || error == ENODEV;
  const bool forbidden = error == EACCES || error == EPERM;
  return {"verbs:" + device, fmt::format("cannot be opened: {}", std::strerror(error)),
          missing ? "its file under /dev/infiniband is missing: load ib_uverbs, or pass it into "
                    "the container"
          : forbidden ? "let this user read and write its file under /dev/infiniband"
                      : ""};
}

std::vector<Refusal> refusals_of_unlisted(const std::vector<std::string>& listed,
                                          const std::string& root) {
  std::vector<Refusal> refusals;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(root + "/sys/class/infiniband", error)) {
    const std::string device = entry.path().filename().string();
    if (std::ranges::find(listed, device) == listed.end()) {
      refusals.push_back(refusal_of_device(device, ENOENT));
    }
  }
  std::ranges::sort(refusals, {}, &Refusal::rail);
  if (listed.empty() && refusals.empty()) {
    refusals.push_back({"verbs", "this machine has no InfiniBand or RoCE device",
                        "load its driver; over any Ethernet, as root: rdma link add rxe0 type rxe "
                        "netdev INTERFACE"});
  }
  return refusals;
}

std::string registration_failure(std::size_t size_bytes, int error) {
  std::string text = fmt::format("cannot register {} of memory: {}", format_bytes(size_bytes),
                                 std::strerror(error));
  rlimit limit{};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  if (error != ENOMEM || limit.rlim_cur == RLIM_INFINITY) return text;
  text += fmt::format(": locked memory is limited to {}", format_bytes(limit.rlim_cur));
  if (limit.rlim_cur < size_bytes) {
    text += fmt::format(", {} more are needed", format_bytes(size_bytes - limit.rlim_cur));
  }
  return text + "; raise it (ulimit -l unlimited, or memlock in /etc/security/limits.conf)";
}

bool same_fabric(std::string_view a, std::string_view b) {
  constexpr std::string_view kRoce = "roce ", kInfiniBand = "ib ";
  if (a == b) return false;
  if (a.starts_with(kRoce) && b.starts_with(kRoce)) {
    const auto first = Subnet::parse(a.substr(kRoce.size()));
    const auto second = Subnet::parse(b.substr(kRoce.size()));
    return first && second && first->address != second->address && first->holds(*second);
  }
  return a.starts_with(kInfiniBand) && b.starts_with(kInfiniBand) &&
         a.substr(0, a.rfind(' ')) == b.substr(0, b.rfind(' '));
}

}  // namespace nmt::drivers
