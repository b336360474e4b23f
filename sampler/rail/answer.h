// SPDX-License-Identifier: BSD-3-Clause
//
// The far end of a campaign between two nodes.
#pragma once

#include <span>

#include "sampler/rail/campaign.h"

namespace nmt {

// The other end's part of a campaign over `rails`, in the order that both ends agreed on: answers
// what run_campaign() over there orders through each rail's peer, and tells `observer` the same as
// there, so that both ends keep what was measured. Ends with the campaign, or where the peer is
// lost or this end interrupted.
CampaignReport answer_campaign(std::span<const RailToSample> rails, const SamplingOptions& options,
                               Observer& observer);

}  // namespace nmt
