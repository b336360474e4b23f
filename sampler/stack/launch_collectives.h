// SPDX-License-Identifier: BSD-3-Clause
//
// One launch of a stack's job whose ranks are nmad-sample, which tries the algorithms of one
// collective (sampler/stack/rank_collectives.h): the order as one word, the result as JSON and as
// samples.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "sampler/stack/launch_messages.h"
#include "sampler/stack/rank_collectives.h"

namespace nmt::sampler {

// Orders for all operations of a stack whose algorithms can be selected; each has this budget.
std::vector<CollectivesOrder> collectives_orders(std::string_view stack, double budget_ns,
                                                 std::uint64_t seed);
// What an Open MPI is asked (LaunchRoundOrder::variables): which components it has, their
// priorities, and the names of its algorithms by their numbers. leave_out_unknown: its orders
// without what does not have the number that it has here, or, where the library does not tell, is
// beyond its version.
std::vector<std::string> collective_variables();
void leave_out_unknown(const LaunchedRound& first, std::vector<CollectivesOrder>* orders);
// What coll/han is to calls over several nodes. Where it chooses, since its priority is above that
// of coll/tuned (from Open MPI 5.0 on), each algorithm of coll/tuned is sampled on a communicator
// that prefers that component, beside the own choices of coll/tuned, of coll/han in other segments,
// and of the other components to which coll/han can hand calls on. Where it competes (Open MPI
// 4.1), its own choice is sampled on a communicator that prefers it, beside all of coll/tuned.
enum class HanRole { kNone, kCompetes, kChooses };
inline constexpr std::string_view kHanPriority = "coll_han_priority";
inline constexpr std::string_view kTunedPriority = "coll_tuned_priority";
inline constexpr std::string_view kPriorities = "coll_%_priority";
HanRole han_role(const LaunchedRound& first);
void sample_beside_han(const LaunchedRound& first, std::vector<CollectivesOrder>* orders);
// MPICH's orders without candidates that the library does not have (`known`: its leaves) or that a
// job of so many ranks cannot take.
void leave_out_impossible(const std::vector<std::string>& known, std::int64_t ranks,
                          std::int64_t ranks_per_node, std::vector<CollectivesOrder>* orders);
// Tables by which MPICH takes the candidates of the orders; their files' settings are
// rules_settings("mpich", ...). `ranks`: of the communicators that try them, ascending.
std::vector<stacks::ExportedFile> write_trials(const stacks::MpichTables& tables,
                                               const std::vector<CollectivesOrder>& orders,
                                               const std::vector<int>& ranks);
// The same sizes, with the library's own choice only.
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

// The first round is `first_round`.
std::vector<Sample> samples_of(std::string_view stack, const LaunchedCollectives& launched,
                               const CollectivesOrder& order, const Fields& settings,
                               std::uint32_t first_round);

}  // namespace nmt::sampler
