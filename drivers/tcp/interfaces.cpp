// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/tcp/interfaces.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "core/descriptor.h"
#include "core/error.h"
#include "node/node.h"

namespace nmt::drivers {
namespace {

struct Offload {
  std::uint32_t command;
  const char* name;
};
// Offloads move work between kernel and device, and so change the cost per message.
constexpr Offload kOffloads[] = {
    {ETHTOOL_GTSO, "tso"}, {ETHTOOL_GGSO, "gso"}, {ETHTOOL_GGRO, "gro"}};

// Asks the interface's driver; false if it does not answer.
bool ask_ethtool(int descriptor, const std::string& interface, void* question) {
  ifreq request{};
  interface.copy(request.ifr_name, IFNAMSIZ - 1);
  request.ifr_data = static_cast<char*>(question);
  return ::ioctl(descriptor, SIOCETHTOOL, &request) == 0;
}

void add_ethtool(const std::string& interface, Fields& fields) {
  const Descriptor descriptor(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!descriptor) return;
  ethtool_drvinfo driver{};
  driver.cmd = ETHTOOL_GDRVINFO;
  if (ask_ethtool(descriptor.get(), interface, &driver)) {
    fields["driver"] = driver.driver;
    fields["driver_version"] = driver.version;
    fields["firmware"] = driver.fw_version;
  }
  for (const Offload& offload : kOffloads) {
    ethtool_value value{};
    value.cmd = offload.command;
    if (ask_ethtool(descriptor.get(), interface, &value)) {
      fields[offload.name] = value.data != 0 ? "on" : "off";
    }
  }
}

bool is_usable(const sockaddr* address) {
  if (address->sa_family == AF_INET) return true;
  if (address->sa_family != AF_INET6) return false;
  const auto* six = reinterpret_cast<const sockaddr_in6*>(address);
  return !IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr);  // it would also need the interface's index
}

unsigned prefix_bits(const sockaddr* mask) {
  if (mask == nullptr) return 0;
  const bool is_four = mask->sa_family == AF_INET;
  const auto* bytes = is_four ? reinterpret_cast<const std::uint8_t*>(
                                    &reinterpret_cast<const sockaddr_in*>(mask)->sin_addr)
                              : reinterpret_cast<const sockaddr_in6*>(mask)->sin6_addr.s6_addr;
  unsigned bits = 0;
  for (std::size_t i = 0; i < (is_four ? 4u : 16u); ++i) {
    bits += static_cast<unsigned>(std::popcount(bytes[i]));
  }
  return bits;
}

// Takes one entry of the kernel's list: the interface's state, and its address if the entry has
// one.
void take(const ifaddrs& entry, TcpInterface& interface) {
  interface.loopback = (entry.ifa_flags & IFF_LOOPBACK) != 0;
  const bool is_up = (entry.ifa_flags & IFF_UP) != 0;
  if (!is_up) {
    interface.problem = "interface is down";
    interface.remedy = fmt::format("ip link set dev {} up", interface.name);
  } else if ((entry.ifa_flags & IFF_RUNNING) == 0) {
    interface.problem = "interface has no carrier";
    interface.remedy = "connect the cable, or bring the other end up";
  }
  if (entry.ifa_addr == nullptr || !is_usable(entry.ifa_addr)) return;
  const bool is_four = entry.ifa_addr->sa_family == AF_INET;
  const bool has_four = interface.address && interface.address->socket.ss_family == AF_INET;
  if (interface.address && (has_four || !is_four)) return;
  control::Address address;
  address.length = is_four ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  std::memcpy(&address.socket, entry.ifa_addr, address.length);
  interface.address = address;
  interface.prefix_bits = prefix_bits(entry.ifa_netmask);
}

}  // namespace

std::vector<TcpInterface> tcp_interfaces() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) throw system_error(Fault::kFailed, "getifaddrs", errno);
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, ::freeifaddrs);
  std::vector<TcpInterface> interfaces;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    const auto known =
        std::find_if(interfaces.begin(), interfaces.end(),
                     [&](const TcpInterface& i) { return i.name == entry->ifa_name; });
    TcpInterface& interface =
        known != interfaces.end() ? *known : interfaces.emplace_back(TcpInterface{entry->ifa_name});
    take(*entry, interface);
  }
  for (TcpInterface& interface : interfaces) {
    if (!interface.problem.empty() || interface.address) continue;
    interface.problem = "interface has no address";
    interface.remedy = fmt::format("ip address add ADDRESS/BITS dev {}", interface.name);
  }
  return interfaces;
}

Fields tcp_fingerprint(const std::string& interface, const std::string& root) {
  Fields fields;
  const std::string device = root + "/sys/class/net/" + interface;
  const std::string kernel = root + "/proc/sys/net/ipv4";
  if (root.empty()) add_ethtool(interface, fields);
  fields["mtu_bytes"] = node::read_line(device + "/mtu");
  fields["speed_mbits_per_s"] = node::read_line(device + "/speed");
  if (fields["speed_mbits_per_s"].starts_with('-')) fields.erase("speed_mbits_per_s");
  fields["numa_node"] = node::read_line(device + "/device/numa_node");
  fields["pci"] = node::pci_address(device);
  fields["pcie_width"] = node::read_line(device + "/device/current_link_width");
  fields["pcie_speed"] = node::read_line(device + "/device/current_link_speed");
  // The kernel tunes the buffers, as with Open MPI, UCX and libfabric; these limits bound them.
  fields["receive_buffer_bytes"] = node::read_line(kernel + "/tcp_rmem");
  fields["send_buffer_bytes"] = node::read_line(kernel + "/tcp_wmem");
  fields["congestion_control"] = node::read_line(kernel + "/tcp_congestion_control");
  for (auto& [name, value] : fields) std::replace(value.begin(), value.end(), '\t', ' ');
  std::erase_if(fields, [](const auto& field) { return field.second.empty(); });
  return fields;
}

}  // namespace nmt::drivers
