// SPDX-License-Identifier: BSD-3-Clause
//
// What checks of a profile found on this node (nmad-sample --confirm), in a file beside the
// profile, which itself stays as it is.
//
// Only a file of the profile's owner or of root counts, which nobody else can write: advice follows
// it. Everything else that lies there is ignored.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.h"

namespace nmt {

// A rail that is slower than the profile, or agrees with it.
struct CheckedRail {
  std::string name;            // in full: "tcp:r0"
  bool between_nodes = false;  // it was measured to another node
  bool slower = false;
  Fields fingerprint;  // of the rail when it was checked
  bool operator==(const CheckedRail&) const = default;
};

struct Confirmation {
  std::string platform;     // identifier of the checked platform
  Fields fingerprint;       // of the node when it was checked
  std::string checked_utc;  // "2026-11-24T08:00:00Z", of the last check
  std::vector<CheckedRail> rails;
  // Checks in a row that found the node itself slower, oldest first. Of many, the first one and the
  // last ones.
  std::vector<std::string> alarms_utc;
  bool operator==(const Confirmation&) const = default;

  // Whether the checks are of this platform (its identifier), and of the node as it is now. No
  // field of `here` may have changed since, but for those that say nothing about rails
  // (core/effect.h). `here` may be a cheap fingerprint: a field that it does not have counts as
  // unchanged.
  bool holds_for(std::string_view platform_id, const Fields& here) const;

  const CheckedRail* find(std::string_view rail, bool between_nodes) const;  // null if not checked
};

// "PROFILE.confirmed-HOST", of the file where the name leads: a published profile is a link, and
// each profile that it has led to keeps its own. Nodes that share a profile do not replace each
// other's.
std::string confirmation_file(const std::string& profile);

// nullopt if there is none, or none that counts; never throws for what lies there.
std::optional<Confirmation> read_confirmation(const std::string& profile);

// Throws Error(kFailed) if this user may not.
void write_confirmation(const std::string& profile, const Confirmation& confirmation);

}  // namespace nmt
