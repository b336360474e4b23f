// SPDX-License-Identifier: BSD-3-Clause
//
// Which campaigns count: the rule by which newer measurements supersede older ones.
//
// The rule works per cell: a place (nodes and names of the rails, of one path or of a group) and a
// condition. A rail whose fingerprint changed (for example its firmware) is another path but the
// same place, so its older measurements no longer count. A campaign that measured nothing but
// landmarks (core/sample.h) says too little to supersede one that measured all sizes.
#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "profiledb/catalog.h"

namespace nmt::profiledb {

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

// All campaigns of the platform with the cells that they measured, newest first. Reads no raw data.
std::vector<CampaignCells> campaign_cells(const sqlite::Database& database, const Catalog& catalog,
                                          const Id& platform);

// The pinned campaigns. If none is pinned: for each place and condition the newest complete
// campaign of all sizes, or else of landmarks, or else the newest incomplete one. A campaign of
// which no cell counts is absent.
std::vector<CampaignCells> in_force(std::vector<CampaignCells> newest_first);

// The campaigns that have at least `keep` newer complete ones for each of their places and
// conditions; of all sizes, unless they are of landmarks themselves.
std::vector<CampaignCells> superseded(const std::vector<CampaignCells>& newest_first,
                                      std::size_t keep);

// Digest of all samples that count; equal samples give equal digests.
std::uint64_t source_digest(const sqlite::Database& database, const Catalog& catalog,
                            const std::vector<CampaignCells>& counting);

}  // namespace nmt::profiledb
