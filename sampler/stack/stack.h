// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the campaigns that measure another communication stack, in jobs launched for it:
//   launch_round   one launch: the stack's own messages under the settings it was launched with
//   collectives    the algorithms that a library has for one collective, all in one launch
#pragma once

#include "sampler/stack/collectives.h"
#include "sampler/stack/launch_round.h"
