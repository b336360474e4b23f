// SPDX-License-Identifier: BSD-3-Clause
//
// What one launch of nmad-sample writes into a profile, kept in memory as well: where the profile
// cannot be written any more, it is written elsewhere, and nothing measured is lost.
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

namespace nmt {

// The node at the other end of all rails of a campaign.
struct Counterpart {
  Platform platform;
  Node node;
  std::vector<Rail> rails;  // in the order of this end's
};

class Record {
 public:
  Platform platform;
  Node node;
  std::optional<Counterpart> peer;
  Campaign campaign;
  Session session;
  // Of the rails to sample, each to itself or to the peer's, and of cores_rail().
  std::vector<Path> paths;

  const Path& path_of(const std::string& rail) const;

  // Cells as they are now; replaces what was kept of them.
  void keep(const Id& path, std::span<const Sample> cells);
  bool has_samples() const;  // of a rail

  // How much was kept, for the report of a campaign that ended before it could write one.
  RailReport report(const Path& path) const;

  // All of it, into an empty profile.
  void write(ProfileDb& db) const;

 private:
  using Cell = std::tuple<Condition, std::uint64_t, bool>;
  std::map<Id, std::map<Cell, Sample>> cells_;
};

// Writes `text` into a new file beside `file`, or, where that cannot be, among temporary files;
// its name, or nothing where no place takes it.
std::optional<std::string> write_next_to(const std::string& file, const std::string& text);

}  // namespace nmt
