// SPDX-License-Identifier: BSD-3-Clause
#include "core/fields.h"

#include "core/id.h"

namespace nmt {

std::vector<Difference> differences(const Fields& before, const Fields& now) {
  std::vector<Difference> found;
  for (const auto& [name, value] : before) {
    const auto other = now.find(name);
    if (other == now.end()) {
      found.push_back({name, value, std::nullopt});
    } else if (other->second != value) {
      found.push_back({name, value, other->second});
    }
  }
  for (const auto& [name, value] : now) {
    if (!before.contains(name)) found.push_back({name, std::nullopt, value});
  }
  return found;
}

std::vector<Difference> differences_here(const Fields& measured, const Fields& here) {
  std::vector<Difference> found = differences(measured, here);
  std::erase_if(found, [](const Difference& difference) { return !difference.now; });
  return found;
}

std::string digest(const Fields& fields) {
  Digest digest;
  for (const auto& [name, value] : fields) digest.add(name).add(value);
  return digest.hex();
}

}  // namespace nmt
