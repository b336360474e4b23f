// SPDX-License-Identifier: BSD-3-Clause
//
// Named text fields: fingerprints of platforms and rails, options of campaigns. New facts add
// names, not types. Ordered by name, so that equal content has one form and one digest.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nmt {

using Fields = std::map<std::string, std::string>;

// A field that is not what it was; nullopt where one side lacks it.
struct Difference {
  std::string field;
  std::optional<std::string> before;
  std::optional<std::string> now;
  bool operator==(const Difference&) const = default;
};

std::vector<Difference> differences(const Fields& before, const Fields& now);
std::string digest(const Fields& fields);

}  // namespace nmt
