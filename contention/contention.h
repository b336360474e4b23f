// SPDX-License-Identifier: BSD-3-Clause
//
// Face of contention: alltoall measurements in, a contention signature out, and predictions for any
// number of ranks and any size, each with an interval and a word on how far to trust it.
//
// After the paper "alltoall contention". Pure: no clock, no files, no chance that is not seeded.
// The same measurements give the same signature.
#pragma once

#include "contention/bound.h"
#include "contention/fit.h"
#include "contention/fit_json.h"
#include "contention/import.h"
#include "contention/predict.h"
#include "contention/published.h"
#include "contention/samples.h"
