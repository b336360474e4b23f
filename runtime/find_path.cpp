// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/find_path.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/plan.h"
#include "runtime/profile.h"

namespace nmt::runtime {
namespace {

// Whether `name` is the host, or the identifier or its first 8 digits or more.
bool is_node(std::string_view name, std::string_view host, std::string_view id) {
  constexpr std::size_t kPrefix = 8;
  return (!host.empty() && name == host) || (name.size() >= kPrefix && id.starts_with(name));
}

// Whether a name stands for two peers.
bool is_ambiguous(const View& view, std::string_view peer) {
  std::string_view first;
  for (const PathDetailRecord& detail : view.details) {
    const std::string_view id = view.text_at(detail.peer_id);
    if (!is_node(peer, view.text_at(detail.peer_host), id)) continue;
    if (!first.empty() && id != first) return true;
    first = id;
  }
  return false;
}

bool matches(const char* requested, const View& view, TextOffset offset) {
  return requested == nullptr || std::strcmp(requested, view.text_at(offset)) == 0;
}

// How well a name fits the rail of a path; 0: not at all.
int rail_match(const View& view, const PathDetailRecord& detail, const char* name) {
  if (name == nullptr) return 1;
  if (std::strcmp(name, view.text_at(detail.rail)) == 0) return 3;
  const auto devices = view.devices.subspan(detail.devices_from, detail.devices);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    // The first is the name by which the rail's own driver knows the device.
    if (std::strcmp(name, view.text_at(devices[i].name)) == 0) return i == 0 ? 2 : 1;
  }
  return 0;
}

bool matches_condition(const View& view, const PathDetailRecord& detail,
                       const nmt_condition& requested) {
  return matches(requested.regime, view, detail.regime) &&
         matches(requested.placement, view, detail.placement) &&
         matches(requested.busy_rails, view, detail.busy_rails) &&
         matches(requested.path_id, view, detail.path_id) &&
         (requested.memory == nullptr ||
          std::strcmp(memory_of(view, detail), requested.memory) == 0);
}

// Among paths of one name: one measured while no other rail was busy, hot, with the number of
// processes per NIC that answers best.
using Preference = std::tuple<bool, bool, std::int64_t>;
Preference preference(const View& view, const PathDetailRecord& detail, std::uint32_t ranks) {
  const bool hot = std::strcmp(view.text_at(detail.regime), "hot") == 0;
  const bool alone = *view.text_at(detail.busy_rails) == '\0';
  return {alone, hot, fit_of_ranks(std::max(1u, detail.ranks_per_nic), ranks)};
}

// Whether the path leads to this peer.
bool leads_to(const View& view, const PathDetailRecord& detail, const char* peer) {
  return peer == nullptr ||
         is_node(peer, view.text_at(detail.peer_host), view.text_at(detail.peer_id));
}

// Whether these are paths of one rail.
bool is_same_rail(const View& view, std::size_t one, std::size_t other) {
  return std::strcmp(view.text_at(view.details[one].rail),
                     view.text_at(view.details[other].rail)) == 0;
}

// The best path of a rail that fits a question; -1: none.
int best_path(const View& view, const char* rail, const nmt_condition& requested) {
  int best = -1;
  std::pair<int, Preference> best_preference;
  for (std::size_t i = 0; i < view.details.size(); ++i) {
    const PathDetailRecord& detail = view.details[i];
    const int match = rail_match(view, detail, rail);
    if (match == 0 || !matches_condition(view, detail, requested) ||
        !leads_to(view, detail, requested.peer)) {
      continue;
    }
    const std::pair here{match, preference(view, detail, requested.ranks_per_nic)};
    if (best >= 0 && here <= best_preference) continue;
    best = static_cast<int>(i);
    best_preference = here;
  }
  return best;
}

// The paths to the peer, one of each rail, the fastest for this size first.
struct PeerPaths {
  std::array<int, NMT_SPLIT_RAILS_MAX> paths;
  std::uint32_t count = 0;
};
PeerPaths paths_to(const View& view, const nmt_condition& requested, std::uint64_t size_bytes) {
  PeerPaths found;
  for (std::size_t i = 0; i < view.details.size() && found.count < found.paths.size(); ++i) {
    if (!leads_to(view, view.details[i], requested.peer)) continue;
    const auto is_known = [&](int path) {
      return is_same_rail(view, i, static_cast<std::size_t>(path));
    };
    if (std::any_of(found.paths.begin(), found.paths.begin() + found.count, is_known)) continue;
    const int path = best_path(view, view.text_at(view.details[i].rail), requested);
    if (path < 0 || view.paths[static_cast<std::size_t>(path)].measured == 0) continue;
    found.paths[found.count++] = path;
  }
  const auto duration_ns = [&](int path) {
    return view.paths[static_cast<std::size_t>(path)].duration.at(size_bytes);
  };
  std::sort(found.paths.begin(), found.paths.begin() + found.count, [&](int one, int other) {
    return std::pair(duration_ns(one), one) < std::pair(duration_ns(other), other);
  });
  return found;
}

double bytes_per_s(std::uint64_t size_bytes, double duration_ns) {
  return duration_ns > 0 ? static_cast<double>(size_bytes) / duration_ns * 1e9 : 0;
}

}  // namespace

const char* memory_of(const View& view, const PathDetailRecord& detail) {
  const char* memory = view.text_at(detail.memory);
  return *memory == '\0' ? "host" : memory;  // profiles of older versions do not say it
}

}  // namespace nmt::runtime

int nmt_find_path(const nmt_profile* profile, const char* rail, const nmt_condition* condition) {
  nmt_condition requested{};
  if (profile == nullptr) return NMT_INVALID;
  if (condition != nullptr && !nmt::runtime::get(condition, requested)) return NMT_INVALID;
  if (rail == nullptr && requested.peer == nullptr && requested.path_id == nullptr) {
    return NMT_INVALID;
  }
  const nmt::runtime::View& view = profile->view;
  if (requested.peer != nullptr && nmt::runtime::is_ambiguous(view, requested.peer))
    return NMT_AMBIGUOUS;
  const int best = nmt::runtime::best_path(view, rail, requested);
  return best < 0 ? int{NMT_NO_ADVICE} : best;
}

int nmt_peer_rails(const nmt_profile* profile, const char* peer, const nmt_condition* condition,
                   uint64_t size_bytes, nmt_peer_rail* rails, uint32_t rails_max) {
  nmt_condition requested{};
  if (profile == nullptr || peer == nullptr || size_bytes > nmt::runtime::kSizeBytesMax)
    return NMT_INVALID;
  if (condition != nullptr && !nmt::runtime::get(condition, requested)) return NMT_INVALID;
  if (rails_max > 0 && !nmt::runtime::is_writable(rails)) return NMT_INVALID;
  const nmt::runtime::View& view = profile->view;
  requested.peer = peer;
  if (nmt::runtime::is_ambiguous(view, peer)) return NMT_AMBIGUOUS;
  const nmt::runtime::PeerPaths found = nmt::runtime::paths_to(view, requested, size_bytes);
  if (found.count == 0) return NMT_NO_ADVICE;
  nmt_share shares[NMT_SPLIT_RAILS_MAX] = {};
  const std::uint32_t stride = rails_max > 0 ? rails->struct_bytes : 0;
  for (std::uint32_t i = 0; i < std::min(found.count, rails_max); ++i) {
    const int path = found.paths[i];
    const auto& block = view.paths[static_cast<std::size_t>(path)];
    shares[i].struct_bytes = sizeof(nmt_share);
    shares[i].path = path;
    nmt_split_result split{.struct_bytes = sizeof split};
    const double alone_ns = block.duration.at(size_bytes);
    const bool splits = nmt_split(profile, size_bytes, shares, i + 1, &split) == NMT_OK;
    // Element 0 tells the size of all.
    auto* to = reinterpret_cast<nmt_peer_rail*>(reinterpret_cast<std::byte*>(rails) + i * stride);
    to->struct_bytes = stride;
    nmt::runtime::put(to, {.struct_bytes = 0,
                           .path = path,
                           .rail = view.text_at(view.details[static_cast<std::size_t>(path)].rail),
                           .latency_ns = block.duration.at(0),
                           .bytes_per_s = nmt::runtime::bytes_per_s(size_bytes, alone_ns),
                           .together_bytes_per_s = nmt::runtime::bytes_per_s(
                               size_bytes, splits ? split.end_ns : alone_ns)});
  }
  return static_cast<int>(found.count);
}
