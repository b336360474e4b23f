// SPDX-License-Identifier: BSD-3-Clause
//
// Named text fields: fingerprints of platforms and rails, options of campaigns. A new fact is a new
// name, not a new type. Fields are ordered by name, so that equal content has one form and one
// digest.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nmt {

using Fields = std::map<std::string, std::string>;

// A field that changed; nullopt where one side does not have it.
struct Difference {
  std::string field;
  std::optional<std::string> before;
  std::optional<std::string> now;
  bool operator==(const Difference&) const = default;
};

std::vector<Difference> differences(const Fields& before, const Fields& now);
// Fields of `here` that had another value, or did not exist, when `measured` was recorded. A field
// that `here` does not have is no difference: a cheap fingerprint has fewer fields than a full one.
std::vector<Difference> differences_here(const Fields& measured, const Fields& here);
std::string digest(const Fields& fields);

}  // namespace nmt
