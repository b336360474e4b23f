// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the campaign that measures rails, within one node or between two. In reading order:
//   campaign            what is asked, what is reported; one rail after the other
//   rail_group          a rail alone, or beside rails that are busy meanwhile
//   rail_campaign       one rail's share: rounds of shuffled blocks until nothing more is asked
//   schedule            which blocks the next round visits
//   measurement_space   what there is to measure at one size, and what competes with what
//   size_requests       which sizes to measure next
//   pacing              how much of each experiment goes into a block
//   stopping            when a cell is known well enough
//   evidence            what is known of one rail so far
//   journal             every block in order, and which were disturbed
//   state_watch         whether the machine was in its usual state during a block
//   benchmark           the interface of what a campaign can measure
//   ping_pong           the exchange that every point-to-point sample comes from
//   buffers             where its messages come from and go to
//   busy_rails          traffic on the rails beside the measured one
//   registration        what it costs to make memory ready for a rendezvous
//   offload             what it costs to have another core submit a message
//   partner             the other end: a forked process, this process, or another node
//   remote              what two nodes say to each other between blocks
//   answer              the far node's part of a campaign
//   peer_timeout        how long one end waits for the other before it calls it lost
#pragma once

#include "sampler/rail/answer.h"
#include "sampler/rail/campaign.h"
