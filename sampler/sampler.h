// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the sampler: what is to be measured goes in, samples come out, to an Observer.
//
//   observer   who a campaign tells of its progress and of what it has measured
//   report     what it reports at its end
//   rail/      the rails of a node, or between two
//   job/       all ranks of a job: messages, alltoalls, collectives
//   stack/     another communication stack, in jobs launched for it
#pragma once

#include "sampler/job/job.h"
#include "sampler/observer.h"
#include "sampler/rail/rail.h"
#include "sampler/report.h"
#include "sampler/stack/stack.h"
