// SPDX-License-Identifier: BSD-3-Clause
//
// The far end of a campaign between two nodes.
#pragma once

#include <span>

#include "sampler/rail/campaign.h"

namespace nmt::sampler {

// Runs the other end's part of a campaign over `rails`, in the order that both ends agreed on. It
// answers what run_campaign() at the near end orders through each rail's peer, and gives `observer`
// the same samples, so that both ends store them. Returns when the campaign ends, when the peer is
// lost, or when this end is interrupted.
CampaignReport answer_campaign(std::span<const RailToSample> rails, const SamplingOptions& options,
                               Observer& observer);

}  // namespace nmt::sampler
