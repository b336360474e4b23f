// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/load_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/effect.h"
#include "include/nmadtune.h"
#include "node/node.h"
#include "profiledb/profiledb.h"

namespace nmt::runtime {
namespace {

std::string ended(const Campaign& campaign) {
  return campaign.finished_utc.empty() ? campaign.started_utc : campaign.finished_utc;
}

struct Candidate {
  Platform platform;
  std::vector<Campaign> campaigns;  // newest first
  Plan plan;
};

// Newest first, without platforms that have no plan.
std::vector<Candidate> candidates(const profiledb::ProfileDb& database,
                                  std::vector<Platform> platforms) {
  std::vector<Candidate> found;
  for (Platform& platform : platforms) {
    std::optional<Plan> plan = database.plan(platform.id);
    if (!plan) continue;
    found.push_back({std::move(platform), database.campaigns(plan->platform), std::move(*plan)});
  }
  const auto age = [](const Candidate& candidate) {
    return candidate.campaigns.empty() ? std::string() : ended(candidate.campaigns.front());
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](const Candidate& a, const Candidate& b) { return age(a) > age(b); });
  return found;
}

[[noreturn]] void refuse_name(const std::string& file, const std::string& requested,
                              const std::vector<Platform>& platforms) {
  std::vector<std::string> names;
  for (const Platform& platform : platforms) names.push_back(platform.name);
  throw Refused(NMT_UNKNOWN, fmt::format("{}: no platform {}; it has: {}", file, requested,
                                         fmt::join(names, ", ")));
}

Provenance provenance_of(const Candidate& candidate) {
  Provenance provenance{.platform = candidate.platform,
                        .measured_utc = {},
                        .tool_version = {},
                        .complete = true,
                        .quality = 1};
  for (const Campaign& campaign : candidate.campaigns) {
    const std::vector<Id>& used = candidate.plan.campaigns;
    if (std::find(used.begin(), used.end(), campaign.id) == used.end()) continue;
    if (provenance.measured_utc.empty()) {
      provenance.measured_utc = ended(campaign);
      provenance.tool_version = campaign.tool_version;
    }
    provenance.complete = provenance.complete && campaign.complete;
    provenance.quality = std::min(provenance.quality, campaign.quality);
  }
  return provenance;
}

// The ends of every path that the plan has.
std::vector<PathEnds> ends_of(const profiledb::ProfileDb& database, const Plan& plan) {
  std::vector<PathEnds> ends;
  const std::vector<Node> nodes = database.nodes();
  const auto host_of = [&](const Id& node) {
    const auto found = std::ranges::find(nodes, node, &Node::id);
    return found == nodes.end() ? std::string() : found->host;
  };
  for (Path& path : database.paths(plan.platform)) {
    if (std::ranges::find(plan.rails, path.id, &RailPlan::path) == plan.rails.end()) continue;
    ends.push_back({.path = path.id,
                    .from_node = path.from_node,
                    .to_node = path.to_node,
                    .from_host = host_of(path.from_node),
                    .to_host = host_of(path.to_node),
                    .from = std::move(path.from)});
  }
  return ends;
}

}  // namespace

std::string usual_file() { return profiledb::locate_for_reading("").file; }

bool is_platform(std::string_view requested, std::string_view name, std::string_view id) {
  constexpr std::size_t kPrefix = 8;
  return requested == name || (requested.size() >= kPrefix && id.starts_with(requested));
}

Fields machine_fingerprint(const std::string& root) { return node::cheap_fingerprint(root); }

Loaded load_from_database(const std::string& file, const std::string& requested,
                          const Fields& here) {
  const profiledb::ProfileDb database(file, {.mode = profiledb::ProfileDb::Mode::kRead});
  std::vector<Platform> platforms = database.platforms();
  const bool by_name = !requested.empty() && requested != "newest";
  if (by_name) {
    std::vector<Platform> named;
    std::copy_if(platforms.begin(), platforms.end(), std::back_inserter(named),
                 [&](const Platform& platform) {
                   return is_platform(requested, platform.name, platform.id.hex());
                 });
    if (named.empty()) refuse_name(file, requested, platforms);
    platforms = std::move(named);
  } else if (requested.empty()) {
    // Those that differ least: this machine, else this machine under another patch release.
    const auto effect = [&](const Platform& platform) {
      return effect_of(differences_here(platform.fingerprint, here));
    };
    Effect least = Effect::kForeign;
    for (const Platform& platform : platforms) least = std::min(least, effect(platform));
    std::erase_if(platforms, [&](const Platform& platform) { return effect(platform) > least; });
  }
  std::vector<Candidate> found = candidates(database, std::move(platforms));
  if (found.empty()) {
    throw Refused(NMT_NOT_FOUND, fmt::format("{}: the profile is empty; run nmad-sample", file));
  }
  Candidate& best = found.front();
  Provenance provenance = provenance_of(best);
  provenance.paths = ends_of(database, best.plan);
  return {std::move(provenance), std::move(best.plan)};
}

}  // namespace nmt::runtime
