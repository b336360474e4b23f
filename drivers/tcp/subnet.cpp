// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/tcp/subnet.h"

#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <vector>

namespace nmt::drivers {
namespace {

struct Subnet {
  std::vector<std::uint8_t> address;
  unsigned prefix_bits = 0;

  std::vector<std::uint8_t> network() const {
    std::vector<std::uint8_t> bytes = address;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const auto first = static_cast<unsigned>(8 * i);
      const unsigned kept = std::clamp(prefix_bits, first, first + 8) - first;
      bytes[i] &= static_cast<std::uint8_t>(0xff00u >> kept);
    }
    return bytes;
  }
};

std::optional<Subnet> parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view digits = text.substr(slash + 1);
  const auto address = control::Address::parse(std::string(text.substr(0, slash)), 0);
  Subnet subnet;
  const auto read =
      std::from_chars(digits.data(), digits.data() + digits.size(), subnet.prefix_bits);
  if (!address || read.ec != std::errc() || read.ptr != digits.data() + digits.size()) {
    return std::nullopt;
  }
  const bool is_four = address->socket.ss_family == AF_INET;
  const auto* bytes =
      is_four ? reinterpret_cast<const std::uint8_t*>(
                    &reinterpret_cast<const sockaddr_in*>(&address->socket)->sin_addr)
              : reinterpret_cast<const sockaddr_in6*>(&address->socket)->sin6_addr.s6_addr;
  subnet.address.assign(bytes, bytes + (is_four ? 4 : 16));
  if (subnet.prefix_bits > 8 * subnet.address.size()) return std::nullopt;
  return subnet;
}

}  // namespace

std::string subnet_text(const TcpInterface& interface) {
  return fmt::format("{}/{}", interface.address->host(), interface.prefix_bits);
}

bool same_subnet(std::string_view a, std::string_view b) {
  const auto own = parse(a);
  const auto theirs = parse(b);
  return own && theirs && own->prefix_bits == theirs->prefix_bits &&
         own->address != theirs->address && own->network() == theirs->network();
}

}  // namespace nmt::drivers
