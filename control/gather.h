// SPDX-License-Identifier: BSD-3-Clause
//
// Texts of the ranks of a job, brought to rank 0.
//
// Small ones of all ranks go along a binomial tree: a rank exchanges at most 2 log2(N) messages,
// and rank 0 holds as many bytes as all texts have together. Large ones go one after the other,
// when rank 0 asks for them: it never holds more than one, and what a rank wants to say stays with
// that rank until then.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "control/mpi/table.h"

namespace nmt::control {

// The texts of all ranks, by rank; empty on other ranks than 0. Called by all ranks.
std::vector<std::string> gather_along_tree(const nmt_mpi_table& mpi, const std::string& text);
// The same, on all ranks.
std::vector<std::string> gather_for_all(const nmt_mpi_table& mpi, const std::string& text);

// Calls `take` on rank 0 with the text of each of `ranks`, in their order. Called by rank 0 and by
// these ranks. If `take` throws, the remaining texts are dropped and then it is thrown again, so
// that no rank keeps waiting.
using TakeText = std::function<void(int rank, std::string text)>;
void collect_one_by_one(const nmt_mpi_table& mpi, std::span<const int> ranks,
                        const std::string& text, const TakeText& take);

}  // namespace nmt::control
