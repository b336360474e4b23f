// SPDX-License-Identifier: BSD-3-Clause
#include "profiledb/merge_contents.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "profiledb/catalog.h"
#include "profiledb/table.h"

namespace nmt::profiledb {
namespace {

using sqlite::Database;

// Identifiers of the other profile, and the identifiers here that replace them.
class Renaming {
 public:
  void add(const Id& theirs, const Id& ours) { ours_[theirs] = ours; }
  void apply(Id& id) const {
    const auto found = ours_.find(id);
    if (found != ours_.end()) id = found->second;
  }

 private:
  std::map<Id, Id> ours_;
};

// Adds the rows that have no equal here. The identifier of each other row is mapped to its equal.
template <class Row, class SameContent>
void fold(const Database& database, std::vector<Row>& here, std::vector<Row>& others,
          Renaming& renaming, SameContent same_content) {
  std::vector<Row> added;
  for (Row& other : others) {
    const Row* twin = find_row(here, other.id);
    if (twin == nullptr) {
      const auto found =
          std::ranges::find_if(here, [&](const Row& row) { return same_content(row, other); });
      if (found != here.end()) twin = &*found;
    }
    if (twin == nullptr) {
      added.push_back(other);
    } else {
      renaming.add(other.id, twin->id);
    }
  }
  insert(database, std::span<const Row>(added));
  here.insert(here.end(), added.begin(), added.end());
}

void fold_groups(const Database& database, Catalog& here, Contents& other, Renaming& renaming) {
  for (PathGroupMemberRow& member : other.path_group_members) renaming.apply(member.path);
  std::map<Id, std::vector<Id>> members = members_by_group(here);
  members.merge(members_by_group(other));  // a group that both have keeps its members here
  const std::size_t before = here.path_groups.size();
  fold(
      database, here.path_groups, other.path_groups, renaming,
      [&](const PathGroupRow& a, const PathGroupRow& b) { return members[a.id] == members[b.id]; });
  std::vector<PathGroupMemberRow> added;
  for (auto group = here.path_groups.begin() + static_cast<std::ptrdiff_t>(before);
       group != here.path_groups.end(); ++group) {
    for (const Id& path : members[group->id]) added.push_back({group->id, path});
  }
  insert(database, std::span<const PathGroupMemberRow>(added));
}

void fold_identity(const Database& database, Catalog& here, Contents& other, Renaming& renaming) {
  fold(database, here.platforms, other.platforms, renaming,
       [](const PlatformRow& a, const PlatformRow& b) {
         return same_fields(a.fingerprint, b.fingerprint);
       });
  for (NodeRow& node : other.nodes) renaming.apply(node.platform);
  fold(database, here.nodes, other.nodes, renaming, [](const NodeRow& a, const NodeRow& b) {
    return std::tie(a.platform, a.host) == std::tie(b.platform, b.host);
  });
  for (RailRow& rail : other.rails) renaming.apply(rail.node);
  fold(database, here.rails, other.rails, renaming,
       [](const RailRow& a, const RailRow& b) { return same_rail(a, b.node, b.rail); });
  for (PathRow& path : other.paths) {
    renaming.apply(path.from_rail);
    renaming.apply(path.to_rail);
  }
  fold(database, here.paths, other.paths, renaming, [](const PathRow& a, const PathRow& b) {
    return std::tie(a.from_rail, a.to_rail) == std::tie(b.from_rail, b.to_rail);
  });
  fold_groups(database, here, other, renaming);
  fold(database, here.conditions, other.conditions, renaming,
       [](const ConditionRow&, const ConditionRow&) { return false; });
}

void unite_campaigns(const Database& database, Catalog& here, Contents& other, Renaming& renaming) {
  std::vector<CampaignRow> better;
  for (CampaignRow& campaign : other.campaigns) {
    renaming.apply(campaign.platform);
    const CampaignRow* ours = find_row(here.campaigns, campaign.id);
    if (ours == nullptr || ours->complete || !campaign.complete) continue;
    campaign.pinned = ours->pinned;
    better.push_back(campaign);
  }
  replace(database, std::span<const CampaignRow>(better));
  const auto never = [](const auto&, const auto&) { return false; };
  fold(database, here.campaigns, other.campaigns, renaming, never);
  fold(database, here.sessions, other.sessions, renaming, never);
}

auto cell_of(const SampleRow& row) {
  return std::tie(row.session, row.path_group, row.condition, row.sample.size_bytes,
                  row.sample.held_out);
}

void unite_samples(const Database& database, const Catalog& here, std::vector<SampleRow> others,
                   const Renaming& renaming) {
  std::set<Id> sessions;
  for (SampleRow& row : others) {
    renaming.apply(row.path_group);
    sessions.insert(row.session);
  }
  std::vector<SampleRow> ours;
  for (const Id& session : sessions) {
    std::ranges::move(
        load_samples(database, here, session, refuse_damage(database, "session " + session.hex())),
        std::back_inserter(ours));
  }
  std::map<decltype(cell_of(ours[0])), std::size_t> known;
  for (const SampleRow& row : ours) known[cell_of(row)] = row.sample.repetitions.size();
  std::erase_if(others, [&](const SampleRow& row) {
    const auto found = known.find(cell_of(row));
    return found != known.end() && found->second >= row.sample.repetitions.size();
  });
  replace(database, std::span<const SampleRow>(others));
}

}  // namespace

void merge_contents(const Database& database, Contents other) {
  Catalog here = load_catalog(database);
  const std::vector<PlatformRow> platforms_before = here.platforms;
  Renaming renaming;
  fold_identity(database, here, other, renaming);
  unite_campaigns(database, here, other, renaming);
  unite_samples(database, here, std::move(other.samples), renaming);
  std::vector<DerivedRow> derived;
  for (const DerivedRow& row : other.derived) {
    Id platform = row.platform;
    renaming.apply(platform);
    if (find_row(platforms_before, platform) == nullptr) derived.push_back(row);
  }
  insert(database, std::span<const DerivedRow>(derived));
}

}  // namespace nmt::profiledb
