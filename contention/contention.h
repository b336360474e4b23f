// SPDX-License-Identifier: BSD-3-Clause
//
// Face of contention: alltoall measurements in, a contention signature out, and predictions for any
// number of ranks and any size, each with an interval and a verdict on its reliability.
//
// Follows the paper "alltoall contention". Pure: no clock, no files, no randomness without a seed.
// The same measurements give the same signature.
//
// In reading order:
//   samples            measured alltoalls of a profile, ready for a fit
//   benchmark_output   alltoalls and ping-pongs as OSU's and Intel's benchmarks print them
//   cells              measured alltoalls by number of ranks and size
//   fit                fits the signature of one algorithm on one network
//   candidates         the models that a fit tries, and how well each predicts
//   model              the terms of a signature during the fit
//   growth             how gamma grows with the number of ranks
//   ratios             the ratio of each size to the bound, and whether these predict
//   least_squares      least squares with a common error
//   resampling         intervals of a fit's parameters
//   predict            predicts the duration of an alltoall, with an interval
//   bound              the lower bound of an exchange's duration
//   topology           which nodes share a switch, and the cuts that bound an exchange
//   uplink             the speed of switches' uplinks, where no file states it
//   groups             which nodes share a switch, from messages under way together
//   slow_downs         by how much these slow each other
//   named_groups       the found groups by name, as a profile keeps them and as a topology
//   measured_switches  what measuring found of switches, as the topology of a fit
//   hosts              lists of host names as Slurm writes them
//   published          the method as the paper published it, for comparison
//   fit_json           a fit as JSON
#pragma once

#include "contention/benchmark_output.h"
#include "contention/bound.h"
#include "contention/fit.h"
#include "contention/fit_json.h"
#include "contention/groups.h"
#include "contention/hosts.h"
#include "contention/measured_switches.h"
#include "contention/named_groups.h"
#include "contention/predict.h"
#include "contention/published.h"
#include "contention/samples.h"
#include "contention/topology.h"
