// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the campaigns that measure another communication stack, in jobs launched for it. In
// reading order:
//   rank_messages        a rank's part of a launch: the stack's own messages
//   rank_collectives     a rank's part of a launch: the algorithms that a library has for one
//                        collective
//   launch               runs the command that launches a job, to its end
//   launch_messages      one launch whose ranks time messages: the order to them, their answer
//   launch_collectives   one launch whose ranks try algorithms: the order to them, their answer
//   probe                the first launch: what there is to measure
#pragma once

#include "sampler/stack/launch.h"
#include "sampler/stack/launch_collectives.h"
#include "sampler/stack/launch_messages.h"
#include "sampler/stack/probe.h"
#include "sampler/stack/rank_collectives.h"
#include "sampler/stack/rank_messages.h"
