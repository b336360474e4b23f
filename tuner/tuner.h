// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the tuner: samples in, plan out. Pure: no clock, no files, no randomness without a seed.
//
// Thresholds minimise total regret over the sampled sizes (docs/method.md; papers "sampling-based
// auto-tuning", II-B, II-D, III-B). They come from ratios inside rounds, so a drifting machine does
// not change them. Curves are medians with the drift between rounds and sessions removed.
//
// In reading order:
//   derive                 derives a plan from samples
//   pool                   samples regrouped by path and condition
//   speeds                 how fast the machine was at each measurement
//   curves                 a curve for each method, from pooled samples
//   thresholds             the decisions of a rail: iovec, rendezvous, aggregation
//   method_comparison      compares two methods at one size
//   chosen_sides           which method is chosen at which sizes
//   steady_path            a sequence of choices with few changes
//   lent_thresholds        for paths of which few sizes were measured
//   shares                 the weight of each measured size
//   segments               algorithm and segment of a collective, by size
//   predicted_segments     the same for shapes that were not sampled
//   collective_model       predicts collectives on such shapes, and its error
//   collective_fits        the costs of each algorithm, fitted
//   collective_terms       what a collective's duration is a sum of
//   nonnegative_fit        least squares without negative coefficients
//   guidelines             where an MPI's own collectives are slower than they need be
//   predict                predicts the duration of one transfer from a plan
//   verify                 compares held-out samples with a plan
//   foreign_regret         applies the thresholds of one rail to another
//   concurrent_bandwidth   bandwidths of several rails in use at the same time
//   registration           the effect of memory registration on the rendezvous threshold
#pragma once

#include "tuner/collective_model.h"
#include "tuner/concurrent_bandwidth.h"
#include "tuner/derive.h"
#include "tuner/foreign_regret.h"
#include "tuner/guidelines.h"
#include "tuner/predict.h"
#include "tuner/predicted_segments.h"
#include "tuner/registration.h"
#include "tuner/segments.h"
#include "tuner/shares.h"
#include "tuner/verify.h"
