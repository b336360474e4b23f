// SPDX-License-Identifier: BSD-3-Clause
//
// Face of contention: alltoall measurements in, a contention signature out, and predictions for any
// number of ranks and any size, each with an interval and a word on how far to trust it.
//
// After the paper "alltoall contention". Pure: no clock, no files, no chance that is not seeded.
// The same measurements give the same signature.
//
// In reading order:
//   samples         measured alltoalls of a profile, ready for a fit
//   import          alltoalls and ping-pongs as other tools print them
//   cells           measured alltoalls by number of ranks and size
//   fit             fits the signature of one algorithm on one network
//   candidates      the models that a fit tries, and how well each predicts
//   model           the terms of a signature while it is fitted
//   least_squares   least squares with a common error
//   resampling      intervals of a fit's parameters
//   predict         how long an alltoall will take, with an interval
//   bound           how long an exchange takes at least
//   published       the method as the paper published it, to compare with
//   fit_json        a fit as JSON
#pragma once

#include "contention/bound.h"
#include "contention/fit.h"
#include "contention/fit_json.h"
#include "contention/import.h"
#include "contention/predict.h"
#include "contention/published.h"
#include "contention/samples.h"
