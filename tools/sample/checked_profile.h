// SPDX-License-Identifier: BSD-3-Clause
//
// What `nmad-sample --confirm` compares with: the cells of a profile that were measured on machines
// like this one.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/path_name.h"
#include "core/plan.h"
#include "core/sample.h"
#include "profiledb/profiledb.h"
#include "tools/command/command.h"
#include "tools/sample/options.h"

namespace nmt::tools {

struct CellKey {
  std::string method, variant;
  std::uint64_t size_bytes = 0;
  auto operator<=>(const CellKey&) const = default;
};
struct CellBaseline {
  std::vector<double> launches_ns;  // of the profile, one duration for each
  std::uint32_t batch = 1;          // operations in a repetition
};
using Baseline = std::map<CellKey, CellBaseline>;

// The profile, and what of it was measured on machines like this one.
class CheckedProfile {
 public:
  // Error(kDatabase) if the profile is empty, Error(kStale) if nothing of it was measured on a
  // machine like this one.
  CheckedProfile(const SampleOptions& options, const Invocation& invocation);

  const std::string& file() const { return location_.file; }
  const Platform& platform() const { return platform_; }
  const Fields& fingerprint() const { return here_.fingerprint; }

  // Of a rail within a node (`peer` empty) or to a peer: of these nodes if they were measured, else
  // of others of the same platform.
  Baseline baseline(const std::string& rail, const std::string& peer) const;

  // Sizes near which a decision changes, for a rail, each with the decision's name.
  std::vector<std::pair<std::string, std::uint64_t>> thresholds(const std::string& rail) const;

 private:
  std::vector<SampleSet> all_launches() const;

  profiledb::Location location_;
  profiledb::ProfileDb db_;
  Platform here_;
  Platform platform_;
  std::map<Id, PathName> names_;
  std::vector<SampleSet> sets_;
  std::optional<Plan> plan_;
};

}  // namespace nmt::tools
