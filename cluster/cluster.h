// SPDX-License-Identifier: BSD-3-Clause
//
// Face of cluster: compares many nodes, or many launches, and reports which differ by more than
// noise. Pure: no clock, no files, no randomness without a seed.
//
// In reading order:
//   pair_classes   pairs of nodes that do not differ beyond their noise
//   outliers       nodes, links and rails that are slower than the others
//   changes        what became slower or faster between two sets of launches
//   spot_verdict   whether a few launches of now agree with those of a profile
//   rank_sum       whether some values are larger than others, by their ranks
#pragma once

#include "cluster/changes.h"
#include "cluster/outliers.h"
#include "cluster/pair_classes.h"
#include "cluster/spot_verdict.h"
