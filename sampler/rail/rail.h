// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the campaign that measures rails, within one node or between two. In reading order:
//   campaign            options and report; measures one rail after the other
//   rail_group          a rail alone, or beside busy rails
//   rail_campaign       one rail's part: rounds of shuffled blocks until no request is left
//   schedule            which blocks the next round visits
//   measurement_space   what can be measured at one size, and what competes with what
//   size_requests       which sizes to measure next
//   pacing              how much of each experiment goes into a block
//   stopping            when a cell is precise enough
//   evidence            what is known about one rail so far
//   journal             every block in order, and which were disturbed
//   benchmark           the interface of what a campaign can measure
//   rail_time           buffers, clock and cores, which real rails share
//   ping_pong           the exchange behind every point-to-point sample
//   buffers             the memory of its messages
//   busy_rails          traffic on the rails beside the measured one
//   registration        the cost of registering memory for a rendezvous
//   offload             the cost of submitting a message from another core
//   partner             the other end: a forked process, this process, or another node
//   remote              messages between two nodes, between blocks
//   answer              the far node's part of a campaign
//   multi_pair          several ranks of a node that use one rail at the same time
//   spot_check          a few cells, several times from the start, to compare with a profile
//   peer_timeout        how long one end waits before it counts the other as lost
#pragma once

#include "sampler/rail/answer.h"
#include "sampler/rail/campaign.h"
#include "sampler/rail/multi_pair.h"
#include "sampler/rail/spot_check.h"
