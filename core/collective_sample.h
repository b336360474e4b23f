// SPDX-License-Identifier: BSD-3-Clause
//
// Which samples compare the algorithms of a collective, ours and the MPI's own, so that one of them
// can be chosen (sampler/job/collectives.h, tuner/segments.h).
//
// An alltoall as benchmark::kCollective is another matter: it was measured for the contention of a
// network. So one that was measured to choose has a benchmark of its own; versions that do not know
// it ignore its samples.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/method.h"
#include "core/sample.h"

namespace nmt {

// Whether each rank has other data for each other one. The size of an alltoallv is the mean of what
// one rank has for another.
inline bool exchanges(std::string_view operation) {
  return operation == "alltoall" || operation == "alltoallv";
}

// Whether one rank has a block for each other one, or gets one from each.
inline bool is_of_root_blocks(std::string_view operation) {
  return operation == "gather" || operation == "scatter";
}

// Whether all ranks get the data of all. The size of an allgatherv is the mean.
inline bool gathers_for_all(std::string_view operation) {
  return operation == "allgather" || operation == "allgatherv";
}

// Whether each rank gets a block of what is reduced. The size of a reduce_scatter is the mean.
inline bool scatters_sums(std::string_view operation) {
  return operation == "reduce_scatter_block" || operation == "reduce_scatter";
}

// Whether a size is that of one block of many in a buffer.
inline bool has_blocks(std::string_view operation) {
  return gathers_for_all(operation) || exchanges(operation) || is_of_root_blocks(operation) ||
         scatters_sums(operation);
}

// Whether an algorithm may send all that one node has for another as one message.
inline bool sends_blocks_of_nodes(std::string_view operation) {
  return exchanges(operation) || is_of_root_blocks(operation) || scatters_sums(operation);
}

// How many blocks are in the message that segments divide: what one node has for another, or the
// message itself, or the block of an exchange in which ranks send each by itself.
inline std::uint64_t blocks_in_message(std::string_view operation, std::string_view algorithm,
                                       std::uint64_t ranks_per_node) {
  if (exchanges(operation)) return algorithm == "nodes" ? ranks_per_node * ranks_per_node : 1;
  return sends_blocks_of_nodes(operation) ? ranks_per_node : 1;
}

// Whether a call has no data; its size is 0.
inline bool has_no_data(std::string_view operation) { return operation == "barrier"; }

// Ours, where no profile chooses.
inline std::string_view usual_algorithm(std::string_view operation) {
  if (has_no_data(operation)) return "dissemination";
  if (gathers_for_all(operation) || scatters_sums(operation)) return "leaders";
  return exchanges(operation) || is_of_root_blocks(operation) ? "nodes" : "chain";
}

// Whether an algorithm is for short messages only, which it never divides.
inline bool is_for_short_messages(std::string_view algorithm) {
  return algorithm == "recursive_doubling" || algorithm == "inline";
}

// "library" is what the MPI itself chooses; "library:ring" is the algorithm that it calls ring
// (collectives/mpi/library/library_algorithms.h).
inline constexpr std::string_view kLibraryAlgorithm = "library";
inline constexpr std::string_view kLibraryPrefix = "library:";
// The MPI's name of one of its algorithms; empty for any other algorithm.
inline std::string_view library_name_of(std::string_view algorithm) {
  return algorithm.starts_with(kLibraryPrefix) ? algorithm.substr(kLibraryPrefix.size())
                                               : std::string_view();
}
// Whether the MPI runs it, by its own choice or not.
inline bool is_of_library(std::string_view algorithm) {
  return algorithm == kLibraryAlgorithm || !library_name_of(algorithm).empty();
}

namespace benchmark {
inline constexpr std::string_view kExchange = "exchange";  // an alltoall, measured to choose
}  // namespace benchmark

inline std::string_view choice_benchmark(std::string_view operation) {
  return exchanges(operation) ? benchmark::kExchange : benchmark::kCollective;
}

inline bool compares_algorithms(const Sample& sample) {
  return !sample.held_out &&
         sample.condition.benchmark == choice_benchmark(sample.condition.operation);
}

}  // namespace nmt
