// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the tuner: samples in, plan out. Pure: no clock, no files, no chance that is not seeded.
//
// Thresholds minimise total regret over the sampled sizes (docs/method.md; papers "sampling-based
// auto-tuning", II-B, II-D, III-B), from ratios taken inside rounds, so that a drifting machine
// cannot move them. Curves are medians with drift between rounds and sessions removed.
//
// In reading order:
//   derive                 a plan out of samples
//   pool                   samples regrouped by path and condition
//   speeds                 how fast the machine was at each measurement
//   curves                 a curve for each method, out of pooled samples
//   thresholds             the decisions of a rail: iovec, rendezvous, aggregation
//   method_comparison      two methods compared at one size
//   chosen_sides           which method is chosen at which sizes
//   steady_path            a sequence of choices with few changes
//   shares                 how much each measured size counts
//   segments               algorithm and segment of a collective, by size
//   predict                how long one transfer takes, by a plan
//   verify                 held-out samples against a plan
//   foreign_regret         thresholds of one rail, applied to another
//   concurrent_bandwidth   what several rails carry at the same time
//   registration           what registration of memory does to a rendezvous
#pragma once

#include "tuner/concurrent_bandwidth.h"
#include "tuner/derive.h"
#include "tuner/foreign_regret.h"
#include "tuner/predict.h"
#include "tuner/registration.h"
#include "tuner/segments.h"
#include "tuner/shares.h"
#include "tuner/verify.h"
