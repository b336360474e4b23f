// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/used_cards.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/units.h"
#include "node/node.h"

namespace nmt::collectives {
namespace {

namespace fs = std::filesystem;

enum class CardKind { kFabric, kEthernet };  // of /sys/class/infiniband, /sys/class/net

struct Card {
  CardKind kind;
  std::string name;
  std::string numa;
  bool is_up;
  std::vector<std::string> active_ports;  // of a fabric
};

struct CardVariable {
  const char* name;
  CardKind kind;
  bool excludes = false;
};

constexpr std::array kOfOpenMpi = {
    CardVariable{"UCX_NET_DEVICES", CardKind::kFabric},
    CardVariable{"UCX_NET_DEVICES", CardKind::kEthernet},
    CardVariable{"OMPI_MCA_btl_openib_if_include", CardKind::kFabric},
    CardVariable{"OMPI_MCA_btl_openib_if_exclude", CardKind::kFabric, true}};
constexpr std::array kOfOpenMpiOverTcp = {
    CardVariable{"OMPI_MCA_btl_tcp_if_include", CardKind::kEthernet},
    CardVariable{"OMPI_MCA_btl_tcp_if_exclude", CardKind::kEthernet, true}};
constexpr std::array kOfMpich = {CardVariable{"UCX_NET_DEVICES", CardKind::kFabric},
                                 CardVariable{"UCX_NET_DEVICES", CardKind::kEthernet}};
constexpr std::array kOfMpichOverTcp = {CardVariable{"FI_TCP_IFACE", CardKind::kEthernet},
                                        CardVariable{"FI_SOCKETS_IFACE", CardKind::kEthernet}};

std::string_view value_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? std::string_view() : value;
}

bool has_chosen_tcp(MpiFamily mpi) {
  if (mpi == MpiFamily::kOpenMpi) {
    const std::string_view components = value_of("OMPI_MCA_btl");
    const bool names_openib = components.find("openib") != std::string_view::npos;
    return value_of("OMPI_MCA_pml") == "ob1" && names_openib == components.starts_with('^');
  }
  const std::string_view provider = value_of("FI_PROVIDER");
  return provider.starts_with("tcp") || provider.starts_with("sockets");
}

std::vector<std::string> active_ports_of(const fs::path& card) {
  std::vector<std::string> active;
  std::error_code absent;
  for (const fs::directory_entry& port : fs::directory_iterator(card / "ports", absent)) {
    if (node::read_line((port.path() / "state").string()).starts_with("4:")) {
      active.push_back(port.path().filename().string());
    }
  }
  return active;
}

bool is_up(const fs::path& card) { return node::read_line((card / "operstate").string()) == "up"; }

std::vector<Card> cards_of(CardKind kind, const std::string& folder) {
  std::vector<Card> cards;
  std::error_code absent;
  for (const fs::directory_entry& each : fs::directory_iterator(folder, absent)) {
    const fs::path& card = each.path();
    std::vector<std::string> ports = active_ports_of(card);
    cards.push_back({.kind = kind,
                     .name = card.filename().string(),
                     .numa = node::read_line((card / "device/numa_node").string()),
                     .is_up = kind == CardKind::kFabric ? !ports.empty() : is_up(card),
                     .active_ports = std::move(ports)});
  }
  return cards;
}

struct Subnet {
  std::uint32_t address;
  std::uint32_t mask;

  bool overlaps(const Subnet& other) const {
    return ((address ^ other.address) & mask & other.mask) == 0;
  }
};

// "192.168.0.0/16"; nullopt for the name of a card.
std::optional<Subnet> parse_subnet(const std::string& text) {
  const std::size_t slash = text.find('/');
  in_addr address{};
  if (slash == std::string::npos ||
      ::inet_pton(AF_INET, text.substr(0, slash).c_str(), &address) != 1) {
    return std::nullopt;
  }
  unsigned bits = 0;
  const char* end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data() + slash + 1, end, bits);
  if (error != std::errc() || after != end || bits > 32) return std::nullopt;
  const std::uint32_t mask = bits == 0 ? 0 : ~std::uint32_t{0} << (32 - bits);
  return Subnet{ntohl(address.s_addr), mask};
}

// Those that the card reaches without a router.
std::vector<Subnet> subnets_of(const std::string& card, const std::string& root) {
  std::vector<Subnet> subnets;
  std::ifstream routes(root + "/proc/net/route");
  for (std::string line; std::getline(routes, line);) {  // the first line names the columns
    std::istringstream columns(line);
    std::string name, flags, references, use, metric;
    std::uint32_t destination = 0, gateway = 0, mask = 0;
    columns >> name >> std::hex >> destination >> gateway >> flags >> references >> use >> metric >>
        mask;
    if (columns && name == card && gateway == 0 && mask != 0) {
      subnets.push_back({ntohl(destination), ntohl(mask)});
    }
  }
  return subnets;
}

// `item`: "mlx5_0:1", "eth0" or "192.168.0.0/16".
bool is_meant(const Card& card, const std::string& item, const std::string& root) {
  const std::optional<Subnet> subnet = parse_subnet(item);
  if (!subnet) return item.substr(0, item.find(':')) == card.name;
  return card.kind == CardKind::kEthernet &&
         std::ranges::any_of(subnets_of(card.name, root),
                             [&](const Subnet& each) { return each.overlaps(*subnet); });
}

bool names_any(const std::vector<std::string>& items, const Card& card, const std::string& root) {
  return std::ranges::any_of(items,
                             [&](const std::string& item) { return is_meant(card, item, root); });
}

// A card of which only some ports are not used is used.
bool excludes_all_of(const std::vector<std::string>& items, const Card& card,
                     const std::string& root) {
  const auto has = [&](const std::string& item) {
    return std::ranges::find(items, item) != items.end();
  };
  if (card.kind == CardKind::kEthernet || has(card.name)) return names_any(items, card, root);
  return std::ranges::all_of(card.active_ports,
                             [&](const std::string& port) { return has(card.name + ":" + port); });
}

// The cards that a variable leaves; none if it is not set.
std::vector<Card> left_by(const CardVariable& variable, const std::vector<Card>& cards,
                          const std::string& root) {
  std::string_view value = value_of(variable.name);
  const bool excludes = variable.excludes || value.starts_with('^');
  if (value.starts_with('^')) value.remove_prefix(1);
  if (value.empty()) return {};
  const std::vector<std::string> items = split_list(std::string(value));
  std::vector<Card> left;
  for (const Card& card : cards) {
    if (card.kind != variable.kind) continue;
    if (excludes ? card.is_up && !excludes_all_of(items, card, root)
                 : names_any(items, card, root)) {
      left.push_back(card);
    }
  }
  return left;
}

// Those of the first variable that leaves any; else those of the kind that are up.
std::vector<Card> used(std::span<const CardVariable> variables, CardKind kind,
                       const std::vector<Card>& cards, const std::string& root) {
  for (const CardVariable& variable : variables) {
    std::vector<Card> left = left_by(variable, cards, root);
    if (!left.empty()) return left;
  }
  std::vector<Card> up;
  std::ranges::copy_if(cards, std::back_inserter(up),
                       [&](const Card& card) { return card.kind == kind && card.is_up; });
  return up;
}

}  // namespace

std::set<std::string> numas_of_used_cards(MpiFamily mpi, const std::string& root) {
  std::vector<Card> cards = cards_of(CardKind::kFabric, root + "/sys/class/infiniband");
  const std::vector<Card> ethernet = cards_of(CardKind::kEthernet, root + "/sys/class/net");
  cards.insert(cards.end(), ethernet.begin(), ethernet.end());
  const bool is_open_mpi = mpi == MpiFamily::kOpenMpi;
  const std::span<const CardVariable> any = is_open_mpi ? std::span<const CardVariable>(kOfOpenMpi)
                                                        : std::span<const CardVariable>(kOfMpich);
  const std::span<const CardVariable> over_tcp =
      is_open_mpi ? std::span<const CardVariable>(kOfOpenMpiOverTcp)
                  : std::span<const CardVariable>(kOfMpichOverTcp);
  std::vector<Card> those;
  if (!has_chosen_tcp(mpi)) those = used(any, CardKind::kFabric, cards, root);
  if (those.empty()) those = used(over_tcp, CardKind::kEthernet, cards, root);
  std::set<std::string> numas;
  for (const Card& card : those) numas.insert(card.numa);
  return numas;
}

}  // namespace nmt::collectives
