// SPDX-License-Identifier: BSD-3-Clause
//
// How a campaign between two nodes is measured: the near end says so, so that both keep the same.
#pragma once

#include <string>

#include "core/json.h"
#include "core/sample.h"
#include "sampler/sampler.h"

namespace nmt {

struct SamplingConfig {
  SamplingOptions sampling;  // but for its seed
  Session session;           // clock and seed of the near end
};

json::Value to_json(const SamplingConfig& config);
SamplingConfig sampling_config_from(const std::string& text);  // Error(kPeer) for nonsense

}  // namespace nmt
