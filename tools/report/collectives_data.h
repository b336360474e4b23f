// SPDX-License-Identifier: BSD-3-Clause
//
// Data of the pages "Collectives" and "Alltoall": what `nmad-tune collectives`, `contention` and
// `predict alltoall` answer, beside the measurements.
#pragma once

#include <span>
#include <vector>

#include "contention/contention.h"
#include "core/json.h"
#include "core/plan.h"
#include "core/sample.h"
#include "tuner/tuner.h"

namespace nmt::tools {

// Cells of shapes that were not measured: more ranks or nodes of those numbers that were, and up to
// four times as many nodes. None where nothing can be predicted.
std::vector<tuner::CollectiveCell> predicted_cells(std::span<const tuner::CollectiveCell> cells);

// The array "cells": one for each MPI, operation, shape and size, with the fastest of ours and the
// MPI's own, whether the rules replace the MPI's own ("replaced"), and the regret of the rules'
// choice; null where that was not measured. "gain_needed" of a predicted cell: how many times as
// long as ours the MPI's own has to take, so that ours may be used; null where the cell was
// measured.
json::Value collective_cells_json(std::span<const tuner::CollectiveCell> cells,
                                  const std::vector<SegmentRule>& rules);

// {"algorithm", "ranks_per_node", "signature", "times": [[n, bytes, ns]], "predictions": [...]}:
// the signature as `nmad-tune contention --json` has it, the median of what was measured, and
// predictions at those sizes for the measured numbers of ranks and up to four times as many.
json::Value alltoall_json(const contention::AlltoallTimes& times);

}  // namespace nmt::tools
