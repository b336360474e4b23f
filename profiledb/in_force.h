// SPDX-License-Identifier: BSD-3-Clause
//
// Which campaigns count: the rule by which newer measurements supersede older ones.
//
// What supersedes what is decided per cell: a place (nodes and names of the rails, of one path or
// of a group) and a condition. A rail whose fingerprint changed, a firmware say, is another path,
// but the same place: what was measured before no longer counts.
#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "profiledb/catalog.h"

namespace nmt {

struct MeasuredCell {
  std::string place;
  Id path_group;
  Id condition;
  auto operator<=>(const MeasuredCell&) const = default;
};

struct CampaignCells {
  CampaignRow campaign;
  std::set<MeasuredCell> cells;
};

// All campaigns of the platform with what they measured, newest first. Reads no raw data.
std::vector<CampaignCells> campaign_cells(const sqlite::Database& database, const Catalog& catalog,
                                          const Id& platform);

// The pinned ones; else for each place and condition the newest complete campaign, and where there
// is none the newest incomplete one. Campaigns of which nothing counts are left out.
std::vector<CampaignCells> in_force(std::vector<CampaignCells> newest_first);

// The campaigns that have `keep` newer complete ones for each of their places and conditions.
std::vector<CampaignCells> superseded(const std::vector<CampaignCells>& newest_first,
                                      std::size_t keep);

// Of all samples that count; equal for equal samples.
std::uint64_t source_digest(const sqlite::Database& database, const Catalog& catalog,
                            const std::vector<CampaignCells>& counting);

}  // namespace nmt
