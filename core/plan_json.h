// SPDX-License-Identifier: BSD-3-Clause
//
// JSON forms of the vocabulary: what commands print, what profiles store of derived content, what
// exports carry. Each pair is a lossless round trip; readers refuse what the writers never write.
// Fractions are fractions (0.02), units are in the names, absent limits are null.
#pragma once

#include "core/json.h"
#include "core/plan.h"
#include "core/sample.h"

namespace nmt {

json::Value to_json(const Fields& fields);
json::Value to_json(const Curve& curve);  // [[bytes, ns], ...]
json::Value to_json(const Threshold& threshold);
json::Value to_json(const RailPlan& rail);
json::Value to_json(const Verification& verification);
json::Value to_json(const Plan& plan);

Fields fields_from_json(const json::Reader& reader);
Curve curve_from_json(const json::Reader& reader);
Threshold threshold_from_json(const json::Reader& reader);
RailPlan rail_plan_from_json(const json::Reader& reader);
Verification verification_from_json(const json::Reader& reader);
Plan plan_from_json(const json::Reader& reader);

}  // namespace nmt
