// SPDX-License-Identifier: BSD-3-Clause
#include "stacks/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.h"
#include "core/units.h"
#include "core/version.h"

namespace nmt::stacks {
namespace {

// Names of a transport in the stacks, besides the name that people type.
struct TransportWords {
  Transport transport;
  std::string_view name;
  // Open MPI's component for it. From 5.0 on vader is called sm, but the old name works as well;
  // openib no longer exists, and UCX carries verbs.
  std::string_view btl;
  std::uint64_t forced_eager_bytes_max;
};
constexpr std::array kWords = {TransportWords{Transport::kShm, "shm", "vader", 128 << 10},
                               TransportWords{Transport::kTcp, "tcp", "tcp", 256 << 10},
                               TransportWords{Transport::kVerbs, "verbs", "openib", 256 << 10}};

const TransportWords& words_of(Transport transport) {
  return *std::ranges::find(kWords, transport, &TransportWords::transport);
}

std::string openmpi_limit(Transport transport) {
  return fmt::format("btl_{}_eager_limit", words_of(transport).btl);
}

// The limit includes ob1's own header.
Fields openmpi_eager_up_to(Transport transport, std::uint64_t bytes, std::uint64_t header_bytes) {
  return {{openmpi_limit(transport), std::to_string(bytes + header_bytes)}};
}

std::string no_limit(Transport) { return {}; }

// One threshold for all transports; rendezvous from it on.
Fields ucx_eager_up_to(Transport, std::uint64_t bytes, std::uint64_t) {
  return {{"UCX_RNDV_THRESH", std::to_string(bytes + 1)}};
}

constexpr std::string_view kIntra = "intra", kInter = kInterGroup;

Fields keyed_ucx_eager_up_to(Transport transport, std::uint64_t bytes, std::uint64_t) {
  const std::string_view key = transport == Transport::kShm ? kIntra : kInter;
  return {{fmt::format("UCX_RNDV_THRESH:{}", key), std::to_string(bytes + 1)}};
}

Fields ucx_copied_up_to(std::uint64_t bytes) {
  return {{"UCX_ZCOPY_THRESH", std::to_string(bytes + 1)}};
}

Fields never_copied(std::uint64_t) { return {}; }

// Of ofi_rxm, over tcp: eager messages fit into a buffer of its own, whose least size this is; its
// own header is beside the buffer (prov/rxm/src/rxm_init.c), and Open MPI's is part of the tag.
// Later versions cut what is a little larger into several buffers (segmentation and reassembly).
constexpr std::uint64_t kRxmBufferBytesMin = 128;
constexpr std::string_view kRxmSegmentation = "FI_OFI_RXM_SAR_LIMIT";

Fields libfabric_eager_up_to(Transport, std::uint64_t bytes, std::uint64_t) {
  return {{"FI_OFI_RXM_BUFFER_SIZE", std::to_string(std::max(bytes, kRxmBufferBytesMin))},
          {std::string(kRxmSegmentation), "0"}};
}

constexpr std::array kStacks = {
    Stack{"openmpi", "Open MPI", "OMPI_MCA_", "openmpi", true, openmpi_eager_up_to, openmpi_limit,
          never_copied},
    Stack{"mpich", "MPICH over UCX", "", "mpich", false, ucx_eager_up_to, no_limit,
          ucx_copied_up_to},
    Stack{"ucx", "UCX", "", "", false, ucx_eager_up_to, no_limit, ucx_copied_up_to},
    Stack{"libfabric", "libfabric", "", "openmpi", false, libfabric_eager_up_to, no_limit,
          never_copied},
};

struct Group {
  std::string_view prefix;  // of a setting's name
  std::string_view name;
};
constexpr std::array kGroups = {
    Group{"btl_tcp_bandwidth_", kWeightsGroup},
    Group{"btl_tcp_latency_", kWeightsGroup},
    Group{"btl_tcp_", "tcp"},
    Group{"btl_vader_", "shm"},
    Group{"btl_openib_", "verbs"},
    Group{"UCX_RNDV_THRESH:intra", kIntra},
    Group{"UCX_RNDV_THRESH:inter", kInter},
    Group{"UCX_RNDV_THRESH", "rendezvous"},
    Group{"FI_OFI_RXM_", "rendezvous"},
    Group{"UCX_ZCOPY_THRESH", kZeroCopyGroup},
    Group{"coll_", kRulesGroup},
    Group{"MPIR_CVAR_", kRulesGroup},
};

}  // namespace

std::string_view to_string(Transport transport) { return words_of(transport).name; }

std::optional<Transport> parse_transport(std::string_view text) {
  const auto found = std::ranges::find(kWords, text, &TransportWords::name);
  if (found == kWords.end()) return std::nullopt;
  return found->transport;
}

std::span<const Stack> all_stacks() { return kStacks; }

const Stack& find_stack(std::string_view name) {
  const auto found = std::ranges::find(kStacks, name, &Stack::name);
  if (found == kStacks.end()) {
    std::string names;
    for (const Stack& each : kStacks)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", each.name);
    throw Error(Fault::kUsage, fmt::format("no stack '{}'; there is: {}", name, names));
  }
  return *found;
}

Stack for_ucx_version(const Stack& stack, std::string_view ucx_version) {
  Stack known = stack;
  const bool ucx = stack.eager_up_to == ucx_eager_up_to;
  if (ucx && !ucx_version.empty() && !older(ucx_version, "1.17")) {
    known.eager_up_to = keyed_ucx_eager_up_to;
  }
  return known;
}

Fields as_spelled(const Fields& settings) {
  Fields spelled;
  for (const auto& [name, value] : settings) {
    const std::size_t colon = name.find(':');
    if (colon == std::string::npos) {
      spelled[name] = value;
      continue;
    }
    std::string& joined = spelled[name.substr(0, colon)];
    joined += fmt::format("{}{}:{}", joined.empty() ? "" : ",", name.substr(colon + 1), value);
  }
  // UCX (1.18) takes no value that leaves one of both keys out: the job would not start.
  for (auto& [name, value] : spelled) {
    const bool intra = value.starts_with(fmt::format("{}:", kIntra));
    const bool inter = value.starts_with(fmt::format("{}:", kInter));
    if ((intra || inter) && value.find(',') == std::string::npos) {
      value += fmt::format(",{}:auto", intra ? kInter : kIntra);
    }
  }
  return spelled;
}

// What is counted shows at a size that no least value changes.
std::uint64_t eager_bytes_under(const Stack& stack, Transport transport, const std::string& value,
                                std::uint64_t header_bytes) {
  constexpr std::uint64_t kBytes = 1 << 20;
  const Fields settings = stack.eager_up_to(transport, kBytes, header_bytes);
  const std::uint64_t counted = parse_bytes(settings.begin()->second) - kBytes;
  const std::uint64_t bytes = parse_bytes(value);
  return bytes - std::min(bytes, counted);
}

// Shared memory gives each eager message a place in a segment of some megabytes.
std::uint64_t forced_eager_bytes_max(Transport transport) {
  return words_of(transport).forced_eager_bytes_max;
}

Fields interface_weights(const std::vector<std::pair<std::string, double>>& mbits_per_second) {
  Fields settings;
  for (const auto& [interface, speed] : mbits_per_second) {
    settings["btl_tcp_bandwidth_" + interface] =
        std::to_string(std::max<long long>(1, std::llround(speed)));
  }
  return settings;
}

Fields rules_settings(std::string_view stack, const std::string& prefix, bool han_chooses) {
  if (stack == "openmpi") {
    Fields settings = {
        {"coll_tuned_use_dynamic_rules", "1"},
        {"coll_tuned_dynamic_rules_filename", fmt::format("{}{}", prefix, kTunedRulesFile)}};
    if (han_chooses) {
      settings["coll_han_use_dynamic_file_rules"] = "1";
      settings["coll_han_dynamic_rules_filename"] = fmt::format("{}{}", prefix, kHanRulesFile);
    }
    return settings;
  }
  if (stack != "mpich") return {};
  return {{"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
           fmt::format("{}{}", prefix, kMpichAlgorithmsFile)},
          {"MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE",
           fmt::format("{}{}", prefix, kMpichCompositionsFile)}};
}

std::span<const std::string_view> han_operations() {
  static constexpr std::array<std::string_view, 4> kOperations = {"bcast", "reduce", "allreduce",
                                                                  "allgather"};
  return kOperations;
}

std::string group_of(std::string_view setting) {
  for (const Group& group : kGroups) {
    if (setting.starts_with(group.prefix)) return std::string(group.name);
  }
  return std::string(setting);
}

Fields of_group(const Fields& settings, std::string_view group) {
  Fields some;
  for (const auto& [name, value] : settings) {
    if (group_of(name) == group) some[name] = value;
  }
  return some;
}

Fields without_group(const Fields& settings, std::string_view group) {
  Fields rest = settings;
  std::erase_if(rest, [&](const auto& setting) { return group_of(setting.first) == group; });
  return rest;
}

Fields of_transport(Transport transport, const Fields& settings) {
  Fields some = settings;
  for (const Transport other : kTransports) {
    if (other != transport) some = without_group(some, to_string(other));
  }
  some = without_group(some, transport == Transport::kShm ? kInter : kIntra);
  return transport == Transport::kTcp ? some : without_group(some, kWeightsGroup);
}

std::vector<std::string> groups_of(const Fields& settings) {
  std::vector<std::string> groups;
  for (const auto& [name, value] : settings) {
    const std::string group = group_of(name);
    if (std::ranges::find(groups, group) == groups.end()) groups.push_back(group);
  }
  return groups;
}

std::string limit_among(const Fields& settings) {
  std::string limit;
  for (const auto& [name, value] : settings) {
    if (name == kRxmSegmentation) continue;
    if (!limit.empty()) return {};
    limit = name;
  }
  return limit;
}

std::string to_variant(const Fields& settings) {
  std::string text;
  for (const auto& [name, value] : settings) {
    text += (text.empty() ? "" : " ") + name + "=" + value;
  }
  return text;
}

Fields from_variant(std::string_view text) {
  Fields settings;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) continue;
    settings[std::string(word.substr(0, equals))] = word.substr(equals + 1);
  }
  return settings;
}

}  // namespace nmt::stacks
