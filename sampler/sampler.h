// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the sampler: it measures what is requested and gives the samples to an Observer.
//
//   observer      receives a campaign's progress and measurements
//   report        what a campaign reports at its end
//   state_watch   whether the machine was in its usual state
//   rail/         the rails of a node, or between two nodes
//   job/          all ranks of a job: messages, alltoalls, collectives
//   stack/        another communication stack, in jobs launched for it
#pragma once

#include "sampler/job/job.h"
#include "sampler/observer.h"
#include "sampler/rail/rail.h"
#include "sampler/report.h"
#include "sampler/stack/stack.h"
#include "sampler/state_watch.h"
