// SPDX-License-Identifier: BSD-3-Clause
//
// JSON forms of the vocabulary: the commands print them, and profiles store and export derived
// content in them.
//
// Each pair of functions is a lossless round trip, with every bit of a double. The readers refuse
// what the writers never write (ranges with a gap, an unknown choice, a misspelt member), and name
// the place. Fractions are fractions (0.02), units are in the names, absent limits are null.
#pragma once

#include "core/fields.h"
#include "core/json.h"
#include "core/plan.h"

namespace nmt {

json::Value to_json(const Id& id);  // 32 hex digits
json::Value to_json(const Fields& fields);
json::Value to_json(const Curve& curve);  // [[bytes, ns], ...]
json::Value to_json(const Threshold& threshold);
json::Value to_json(const RailPlan& rail);
json::Value to_json(const Verification& verification);
json::Value to_json(const OffloadCost& offload);
json::Value to_json(const SegmentRule& segment);
json::Value to_json(const LibraryRule& rule);
json::Value to_json(const Signature& signature);
json::Value to_json(const Plan& plan);

Id id_from_json(const json::Reader& reader);
Fields fields_from_json(const json::Reader& reader);
Curve curve_from_json(const json::Reader& reader);
Threshold threshold_from_json(const json::Reader& reader);
RailPlan rail_plan_from_json(const json::Reader& reader);
Verification verification_from_json(const json::Reader& reader);
OffloadCost offload_cost_from_json(const json::Reader& reader);
SegmentRule segment_rule_from_json(const json::Reader& reader);
LibraryRule library_rule_from_json(const json::Reader& reader);
Signature signature_from_json(const json::Reader& reader);
Plan plan_from_json(const json::Reader& reader);

}  // namespace nmt
