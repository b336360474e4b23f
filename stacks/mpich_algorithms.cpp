// SPDX-License-Identifier: BSD-3-Clause
#include "stacks/mpich_algorithms.h"

#include <fmt/format.h>

#include <algorithm>

#include "stacks/times.h"

namespace nmt::stacks {
namespace {

constexpr std::string_view kNodes = "nodes";

bool is_power_of_two(int ranks) { return ranks > 0 && (ranks & (ranks - 1)) == 0; }

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    words.push_back(text.substr(0, text.find(' ')));
    text.remove_prefix(std::min(text.size(), words.back().size() + 1));
  }
  return words;
}

}  // namespace

const std::vector<MpichOperation>& mpich_operations() {  // NOLINT: one table
  static const std::vector<MpichOperation> operations = {
      {"allgather",
       true,
       false,
       "",
       "",
       false,
       {{"brucks", "MPIR_Allgather_intra_brucks"},
        {"recursive_doubling", "MPIR_Allgather_intra_recursive_doubling", true},
        {"ring", "MPIR_Allgather_intra_ring"},
        {"nb", "MPIR_Allgather_allcomm_nb"},
        {"k_brucks:k=4", "MPIR_Allgather_intra_k_brucks", false, false, false, false, "k=4"},
        {"recexch_doubling:k=2", "MPIR_Allgather_intra_recexch_doubling", false, false, false,
         false, "k=2 single_phase_recv=0"},
        {"recexch_doubling:k=4", "MPIR_Allgather_intra_recexch_doubling", false, false, false,
         false, "k=4 single_phase_recv=0"},
        {"recexch_halving:k=2", "MPIR_Allgather_intra_recexch_halving", false, false, false, false,
         "k=2 single_phase_recv=0"}}},
      {"allreduce",
       false,
       false,
       "MPIDI_Allreduce_intra_composition_beta",
       "MPIDI_Allreduce_intra_composition_alpha",
       true,
       {{"recursive_doubling", "MPIR_Allreduce_intra_recursive_doubling"},
        {"reduce_scatter_allgather", "MPIR_Allreduce_intra_reduce_scatter_allgather", false, false,
         true},
        {"smp", "MPIR_Allreduce_intra_smp", false, true, false, true},
        {"nb", "MPIR_Allreduce_allcomm_nb"},
        {"ring", "MPIR_Allreduce_intra_ring", false, true, true},
        {"recexch:k=2", "MPIR_Allreduce_intra_recexch", false, true, false, false,
         "k=2 single_phase_recv=0"},
        {"recexch:k=4", "MPIR_Allreduce_intra_recexch", false, true, false, false,
         "k=4 single_phase_recv=0"},
        {"k_reduce_scatter_allgather:k=4", "MPIR_Allreduce_intra_k_reduce_scatter_allgather", false,
         true, true, false, "k=4 single_phase_recv=0"},
        {"tree:knomial_1:k=4", "MPIR_Allreduce_intra_tree", false, true, false, false,
         "tree_type=knomial_1 k=4 chunk_size=0 buffer_per_child=0"},
        {"tree:kary:k=2:32K", "MPIR_Allreduce_intra_tree", false, true, false, false,
         "tree_type=kary k=2 chunk_size=32768 buffer_per_child=0"}}},
      {"alltoall",
       false,
       true,
       "",
       "",
       false,
       {{"brucks", "MPIR_Alltoall_intra_brucks"},
        {"pairwise", "MPIR_Alltoall_intra_pairwise"},
        {"scattered", "MPIR_Alltoall_intra_scattered"},
        {"nb", "MPIR_Alltoall_allcomm_nb"},
        {"k_brucks:k=4", "MPIR_Alltoall_intra_k_brucks", false, false, false, false, "k=4"}}},
      {"bcast",
       false,
       false,
       "MPIDI_Bcast_intra_composition_gamma",
       "MPIDI_Bcast_intra_composition_alpha",
       false,
       {{"binomial", "MPIR_Bcast_intra_binomial"},
        {"scatter_recursive_doubling_allgather",
         "MPIR_Bcast_intra_scatter_recursive_doubling_allgather"},
        {"scatter_ring_allgather", "MPIR_Bcast_intra_scatter_ring_allgather"},
        {"smp", "MPIR_Bcast_intra_smp", false, false, false, true},
        {"nb", "MPIR_Bcast_allcomm_nb"},
        {"tree:knomial_1:k=4", "MPIR_Bcast_intra_tree", false, false, false, false,
         "tree_type=knomial_1 k=4 is_non_blocking=1"},
        {"tree:kary:k=4", "MPIR_Bcast_intra_tree", false, false, false, false,
         "tree_type=kary k=4 is_non_blocking=1"},
        {"pipelined_tree:chain:32K", "MPIR_Bcast_intra_pipelined_tree", false, false, false, false,
         "tree_type=kary k=1 is_non_blocking=1 chunk_size=32768 recv_pre_posted=0"},
        {"pipelined_tree:chain:128K", "MPIR_Bcast_intra_pipelined_tree", false, false, false, false,
         "tree_type=kary k=1 is_non_blocking=1 chunk_size=131072 recv_pre_posted=0"},
        {"pipelined_tree:kary:k=2:32K", "MPIR_Bcast_intra_pipelined_tree", false, false, false,
         false, "tree_type=kary k=2 is_non_blocking=1 chunk_size=32768 recv_pre_posted=0"}}},
      {"reduce",
       false,
       false,
       "MPIDI_Reduce_intra_composition_gamma",
       "MPIDI_Reduce_intra_composition_alpha",
       true,
       {{"binomial", "MPIR_Reduce_intra_binomial"},
        {"reduce_scatter_gather", "MPIR_Reduce_intra_reduce_scatter_gather", false, false, true},
        {"smp", "MPIR_Reduce_intra_smp", false, true, false, true},
        {"nb", "MPIR_Reduce_allcomm_nb"}}},
  };
  return operations;
}

const MpichOperation* find_mpich_operation(std::string_view name) {
  const auto& all = mpich_operations();
  const auto found = std::ranges::find(all, name, &MpichOperation::name);
  return found == all.end() ? nullptr : &*found;
}

std::optional<MpichWay> find_mpich_way(const MpichOperation& operation, std::string_view name) {
  MpichWay way;
  if (name.starts_with(kNodes) && !operation.over_nodes.empty()) {
    way.by_nodes = true;
    name.remove_prefix(kNodes.size());
    if (name.empty()) return way;
    if (!name.starts_with('+')) return std::nullopt;
    name.remove_prefix(1);
  }
  const auto found = std::ranges::find(operation.algorithms, name, &MpichAlgorithm::name);
  if (found == operation.algorithms.end()) return std::nullopt;
  way.algorithm = &*found;
  return way;
}

std::vector<std::string> mpich_ways(const MpichOperation& operation) {
  std::vector<std::string> ways = {std::string(kOwnChoice)};
  for (const MpichAlgorithm& each : operation.algorithms) ways.emplace_back(each.name);
  if (operation.over_nodes.empty()) return ways;
  ways.emplace_back(kNodes);
  for (const MpichAlgorithm& each : operation.algorithms) {
    if (!each.by_nodes) ways.push_back(fmt::format("{}+{}", kNodes, each.name));
  }
  return ways;
}

bool has_way(const MpichOperation& operation, std::string_view name,
             const std::vector<std::string>& known) {
  const auto way = find_mpich_way(operation, name);
  if (!way) return name == kOwnChoice;
  return way->algorithm == nullptr ||
         std::ranges::find(known, fmt::format("algorithm={}", way->algorithm->function)) !=
             known.end();
}

bool is_possible(const MpichOperation& operation, std::string_view name, int ranks,
                 bool several_per_node) {
  const auto way = find_mpich_way(operation, name);
  if (!way) return name == kOwnChoice;
  const bool by_nodes = way->by_nodes || (way->algorithm != nullptr && way->algorithm->by_nodes);
  if (by_nodes && !several_per_node) return false;
  return way->algorithm == nullptr || !way->algorithm->power_of_two || is_power_of_two(ranks);
}

Selection composition_of(const MpichOperation& operation, const MpichWay& way,
                         const Selection& otherwise) {
  const std::string_view name = way.by_nodes ? operation.over_nodes : operation.over_all;
  if (name.empty()) return otherwise;
  Selection chosen = leaf(fmt::format("composition={}", name));
  if (!way.by_nodes) return chosen;
  if (operation.nodes_commutative) {
    chosen = {{"is_commutative=yes", std::move(chosen)}, {"is_commutative=no", otherwise}};
  }
  return {{"comm_hierarchy=parent", std::move(chosen)}, {"comm_hierarchy=any", otherwise}};
}

Selection algorithm_of(const MpichOperation& operation, const MpichAlgorithm& algorithm,
                       const Selection& otherwise) {
  Selection chosen = leaf(fmt::format("algorithm={}", algorithm.function));
  for (const std::string_view parameter : words_of(algorithm.parameters)) {
    chosen.front().below.push_back({.test = std::string(parameter)});
  }
  if (algorithm.enough) {
    Selection enough = {{"count<pow2", otherwise}, {"count=any", std::move(chosen)}};
    chosen = {{"is_op_built_in=yes", std::move(enough)}, {"is_op_built_in=no", otherwise}};
  }
  if (algorithm.commutative) {
    chosen = {{"is_commutative=yes", std::move(chosen)}, {"is_commutative=no", otherwise}};
  }
  if (algorithm.by_nodes) {
    chosen = {{"comm_hierarchy=parent", std::move(chosen)}, {"comm_hierarchy=any", otherwise}};
  }
  if (algorithm.power_of_two) {
    chosen = {{"comm_size=pow2", std::move(chosen)}, {"comm_size=any", otherwise}};
  }
  if (operation.in_place) {
    chosen = {{"is_sendbuf_inplace=yes", otherwise}, {"is_sendbuf_inplace=no", std::move(chosen)}};
  }
  return chosen;
}

}  // namespace nmt::stacks
