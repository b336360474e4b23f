// SPDX-License-Identifier: BSD-3-Clause
//
// What one launch of nmad-sample writes into a profile, also kept in memory: if the profile cannot
// be written any more, it is written elsewhere, so no measurement is lost.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/sample.h"
#include "profiledb/profiledb.h"
#include "sampler/sampler.h"

namespace nmt::tools {

// The node at the other end of all rails of a campaign.
struct Counterpart {
  Platform platform;
  Node node;
  std::vector<Rail> rails;  // in the order of this end's rails
};

class Record {
 public:
  Platform platform;
  Node node;
  std::optional<Counterpart> peer;
  Campaign campaign;
  Session session;
  // For the rails to sample, each to itself or to the peer's, and for cores_rail().
  std::vector<Path> paths;

  const Path& path_of(const std::string& rail) const;
  std::map<Id, PathName> path_names() const;

  // Stores the current cells; they replace the earlier state of the same cells.
  void keep(const Id& path, std::span<const Sample> cells);
  bool has_samples() const;  // of a rail

  // What was stored, for the report of a campaign that ended without its own report.
  sampler::RailReport report(const Path& path) const;

  // Writes everything into an empty profile.
  void write(profiledb::ProfileDb& db) const;

 private:
  using Cell = std::tuple<Condition, std::uint64_t, bool>;
  std::map<Id, std::map<Cell, Sample>> cells_;
};

// Writes `content` into a new file beside `file`, or else into the folder for temporary files;
// returns its name, or nullopt if neither is possible.
std::optional<std::string> write_next_to(const std::string& file, const std::string& content);

}  // namespace nmt::tools
