// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the campaigns that measure another communication stack, in jobs launched for it. In
// reading order:
//   rank_messages        a rank's part of a launch: the stack's own messages
//   rank_collectives     a rank's part of a launch: the algorithms of a library for one
//                        collective
//   launch               runs the command that launches a job
//   launch_messages      one launch whose ranks time messages: its order and its result
//   launch_collectives   one launch whose ranks try algorithms: its order and its result
//   probe                the first launch: what can be measured
#pragma once

#include "sampler/stack/launch.h"
#include "sampler/stack/launch_collectives.h"
#include "sampler/stack/launch_messages.h"
#include "sampler/stack/probe.h"
#include "sampler/stack/rank_collectives.h"
#include "sampler/stack/rank_messages.h"
