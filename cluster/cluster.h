// SPDX-License-Identifier: BSD-3-Clause
//
// Face of cluster: what many nodes, and many launches, say about each other. Pure: no clock, no
// files, no randomness without a seed.
//
// In reading order:
//   pair_classes   pairs of nodes that do not differ beyond their noise
#pragma once

#include "cluster/pair_classes.h"
