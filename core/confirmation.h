// SPDX-License-Identifier: BSD-3-Clause
//
// What the last check of a profile found on this node (nmad-sample --confirm), in a file beside the
// profile, which itself stays as it is.
//
// Only a file of the profile's owner or of root counts, which nobody else can write: advice follows
// it. Everything else that lies there is ignored.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/fields.h"

namespace nmt {

struct Confirmation {
  std::string platform;     // identifier of the checked platform
  Fields fingerprint;       // of the node when it was checked
  std::string checked_utc;  // "2026-11-24T08:00:00Z"
  bool changed = false;     // something was slower or faster
  // Rails that agree with the profile, by their full names: advice over these is confirmed.
  std::vector<std::string> rails;                // within this node
  std::vector<std::string> rails_between_nodes;  // to another one
  std::vector<std::string> alarms_utc;  // the last checks that found something, oldest first
  bool operator==(const Confirmation&) const = default;
};

// "PROFILE.confirmed", of the file where the name leads: a published profile is a link, and each
// profile that it has led to keeps its own.
std::string confirmation_file(const std::string& profile);

// nullopt if there is none, or none that counts; never throws for what lies there.
std::optional<Confirmation> read_confirmation(const std::string& profile);

// Throws Error(kFailed) if this user may not.
void write_confirmation(const std::string& profile, const Confirmation& confirmation);

}  // namespace nmt
