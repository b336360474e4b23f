// SPDX-License-Identifier: BSD-3-Clause
//
// One launch of a stack's job in which nmad-sample, as its ranks, tries the algorithms of one
// collective (sampler/stack_collectives.h): the order as one word, the result as JSON, and as
// samples.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "sampler/sampler.h"
#include "tools/stack/turn.h"

namespace nmt {

// The orders for all operations whose algorithms can be told; each within the budget.
std::vector<CollectivesOrder> collectives_orders(double budget_ns, std::uint64_t seed);
// The same sizes with the library's own choice only.
CollectivesOrder own_choice_only(CollectivesOrder order);

bool is_collectives_order(const std::string& text);
std::string to_text(const CollectivesOrder& order);
CollectivesOrder collectives_order_from(const std::string& text);  // Error(kUsage)

json::Value to_json(const CollectivesResult& result);

struct LaunchedCollectives {
  std::string library;
  CollectivesResult result;
  double elapsed_ns = 0;
};
LaunchedCollectives launch_collectives(const StackJob& job, const Fields& settings,
                                       const CollectivesOrder& order);

// Rounds count from `first_round` on.
std::vector<Sample> samples_of(const LaunchedCollectives& launched, const CollectivesOrder& order,
                               const Fields& settings, std::uint32_t first_round);

}  // namespace nmt
