// SPDX-License-Identifier: BSD-3-Clause
//
// The configuration of a campaign between two nodes, sent by the near end, so that both ends store
// the same.
#pragma once

#include <string>

#include "core/json.h"
#include "core/sample.h"
#include "sampler/sampler.h"

namespace nmt::tools {

struct SamplingConfig {
  sampler::SamplingOptions sampling;  // without its seed
  Session session;                    // clock and seed of the near end
};

json::Value to_json(const SamplingConfig& config);
SamplingConfig sampling_config_from(const std::string& text);  // Error(kPeer) for an invalid text

}  // namespace nmt::tools
