// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the sampler: what is to be measured goes in, samples come out, to an Observer.
#pragma once

#include "sampler/alltoall.h"           // over the ranks of a job
#include "sampler/campaign.h"           // the rails of a node, or between two
#include "sampler/collectives.h"        // over the ranks of a job
#include "sampler/mpi_messages.h"       // between the nodes of a job
#include "sampler/rounds.h"             // pairs of nodes that are measured at the same time
#include "sampler/stack_collectives.h"  // algorithms of another stack,
#include "sampler/stack_turn.h"         // and its messages, in one launch of its job
