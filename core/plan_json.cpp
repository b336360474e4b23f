// SPDX-License-Identifier: BSD-3-Clause
#include "core/plan_json.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/error.h"

namespace nmt {
namespace {

using json::Reader;
using json::Value;

template <class Read>
auto read_list(const Reader& reader, Read read) {
  std::vector<decltype(read(reader))> values;
  for (const Reader& item : reader.items()) values.push_back(read(item));
  return values;
}

Value optional_bytes(const std::optional<std::uint64_t>& bytes) {
  return bytes ? Value(*bytes) : Value();
}

std::optional<std::uint64_t> read_optional_bytes(const Reader& reader) {
  if (reader.is_null()) return std::nullopt;
  return reader.unsigned_integer();
}

std::int64_t read_count(const Reader& reader) {  // of ranks or of nodes
  return reader.integer(0, std::numeric_limits<std::int32_t>::max());
}

// Writes whole numbers without a fraction: nearly all sizes are whole.
Value size_value(double size_bytes) {
  constexpr double kExactMax = 0x1p53;
  const bool whole = size_bytes == std::floor(size_bytes) && size_bytes < kExactMax;
  return whole ? Value(static_cast<std::int64_t>(size_bytes)) : Value(size_bytes);
}

Answer read_answer(const Reader& reader) {
  for (const Answer answer :
       {Answer::kThreshold, Answer::kAlways, Answer::kNever, Answer::kRanges}) {
    if (reader.text() == to_string(answer)) return answer;
  }
  reader.fail("expected threshold, always, never or ranges");
}

DecisionKind read_kind(const Reader& reader) {
  const std::optional<DecisionKind> kind = parse_decision(reader.text());
  if (!kind) reader.fail("expected iovec, rendezvous or aggregation");
  return *kind;
}

std::vector<Range> read_ranges(const Reader& reader, DecisionKind kind) {
  std::vector<Range> ranges;
  for (const Reader& item : reader.items()) {
    item.only({"from", "to", "choice"});
    const Range range{item["from"].unsigned_integer(), read_optional_bytes(item["to"]),
                      item["choice"].text()};
    const std::optional<std::uint64_t> expected =
        ranges.empty() ? std::optional<std::uint64_t>(0) : ranges.back().to_bytes;
    if (range.from_bytes != expected) item["from"].fail("does not begin where the last one ends");
    if (range.to_bytes && *range.to_bytes <= range.from_bytes) item["to"].fail("is not above from");
    const Choices legal = choices(kind);
    if (range.choice != legal.below && range.choice != legal.above) {
      item["choice"].fail(fmt::format("expected {} or {}", legal.below, legal.above));
    }
    ranges.push_back(range);
  }
  if (ranges.empty() || ranges.back().to_bytes) reader.fail("does not cover every size");
  return ranges;
}

Value to_json(const Range& range) {
  return Value::object()
      .set("from", range.from_bytes)
      .set("to", optional_bytes(range.to_bytes))
      .set("choice", range.choice);
}

Value to_json(const PlanCurve& curve) {
  return Value::object()
      .set("benchmark", curve.benchmark)
      .set("method", curve.method)
      .set("variant", curve.variant)
      .set("duration", to_json(curve.duration))
      .set("low", to_json(curve.low))
      .set("high", to_json(curve.high))
      .set("spread", curve.spread)
      .set("monotone_departure", curve.monotone_departure);
}

PlanCurve plan_curve_from_json(const Reader& reader) {
  reader.only({"benchmark", "method", "variant", "duration", "low", "high", "spread",
               "monotone_departure"});
  return {.benchmark = reader["benchmark"].text(),
          .method = reader["method"].text(),
          .variant = reader["variant"].text(),
          .duration = curve_from_json(reader["duration"]),
          .low = curve_from_json(reader["low"]),
          .high = curve_from_json(reader["high"]),
          .spread = reader["spread"].number(0),
          .monotone_departure = reader["monotone_departure"].number(0)};
}

Value to_json(const Verification::Prediction& prediction) {
  return Value::object()
      .set("rail", prediction.rail)
      .set("method", prediction.method)
      .set("regime", prediction.regime)
      .set("sizes", prediction.sizes)
      .set("error_median", prediction.error_median)
      .set("error_p95", prediction.error_p95)
      .set("noise_floor", prediction.noise_floor);
}

Verification::Prediction prediction_from_json(const Reader& reader) {
  reader.only({"rail", "method", "regime", "sizes", "error_median", "error_p95", "noise_floor"});
  return {.rail = reader["rail"].text(),
          .method = reader["method"].text(),
          .regime = reader["regime"].text(),
          .sizes = reader["sizes"].unsigned_integer(),
          .error_median = reader["error_median"].number(0),
          .error_p95 = reader["error_p95"].number(0),
          .noise_floor = reader["noise_floor"].number(0)};
}

Value to_json(const Verification::Decision& decision) {
  return Value::object()
      .set("rail", decision.rail)
      .set("kind", decision.kind)
      .set("regime", decision.regime)
      .set("sizes", decision.sizes)
      .set("regret_median", decision.regret_median)
      .set("regret_p95", decision.regret_p95);
}

Verification::Decision decision_from_json(const Reader& reader) {
  reader.only({"rail", "kind", "regime", "sizes", "regret_median", "regret_p95"});
  return {.rail = reader["rail"].text(),
          .kind = std::string(to_string(read_kind(reader["kind"]))),
          .regime = reader["regime"].text(),
          .sizes = reader["sizes"].unsigned_integer(),
          .regret_median = reader["regret_median"].number(0),
          .regret_p95 = reader["regret_p95"].number(0)};
}

template <class T>
Value list(const std::vector<T>& values) {
  Value all = Value::array();
  for (const T& value : values) all.push_back(to_json(value));
  return all;
}

}  // namespace

Value to_json(const Id& id) { return id.hex(); }

Id id_from_json(const Reader& reader) {
  const std::string hex = reader.text();
  try {
    return Id::parse(hex);
  } catch (const Error&) {
    reader.fail("expected an identifier of 32 hex digits");
  }
}

Value to_json(const Fields& fields) {
  Value::Object members;
  for (const auto& [name, value] : fields) members.emplace_back(name, value);
  return members;
}

Fields fields_from_json(const Reader& reader) {
  Fields fields;
  for (const auto& [name, value] : reader.members()) fields.emplace(name, value.text());
  return fields;
}

Value to_json(const Curve& curve) {
  Value points = Value::array();
  for (const Point& point : curve.points()) {
    points.push_back(Value::Array{size_value(point.size_bytes), point.duration_ns});
  }
  return points;
}

Curve curve_from_json(const Reader& reader) {
  std::vector<Point> points;
  for (const Reader& item : reader.items()) {
    if (item.items().size() != 2) item.fail("expected [bytes, nanoseconds]");
    points.push_back({item[0].number(0), item[1].number(0)});
  }
  if (points.empty()) return {};
  try {
    return Curve(std::move(points));
  } catch (const Error& error) {
    reader.fail(error.what());
  }
}

Value to_json(const Threshold& threshold) {
  return Value::object()
      .set("kind", to_string(threshold.kind))
      .set("bytes", optional_bytes(threshold.bytes))
      .set("answer", to_string(threshold.answer))
      .set("interval", Value::Array{threshold.low_bytes, threshold.high_bytes})
      .set("regret", threshold.regret)
      .set("bounded", threshold.bounded)
      .set("ranges", list(threshold.ranges));
}

Threshold threshold_from_json(const Reader& reader) {
  reader.only({"kind", "bytes", "answer", "interval", "regret", "bounded", "ranges"});
  Threshold threshold{.kind = read_kind(reader["kind"]),
                      .answer = read_answer(reader["answer"]),
                      .bytes = read_optional_bytes(reader["bytes"]),
                      .low_bytes = reader["interval"][0].unsigned_integer(),
                      .high_bytes = reader["interval"][1].unsigned_integer(),
                      .regret = reader["regret"].number(0),
                      .bounded = reader["bounded"].boolean()};
  const bool has_bytes =
      threshold.answer == Answer::kThreshold || threshold.answer == Answer::kAlways;
  if (has_bytes != threshold.bytes.has_value()) {
    reader["bytes"].fail(
        fmt::format("does not go with the answer {}", to_string(threshold.answer)));
  }
  threshold.ranges = read_ranges(reader["ranges"], threshold.kind);
  return threshold;
}

Value to_json(const RailPlan& rail) {
  return Value::object()
      .set("rail", rail.rail)
      .set("path", to_json(rail.path))
      .set("regime", rail.regime)
      .set("placement", rail.placement)
      .set("busy_rails", rail.busy_rails)
      .set("max_unexpected_bytes", rail.max_unexpected_bytes)
      .set("curves", list(rail.curves))
      .set("thresholds", list(rail.thresholds))
      .set("chunk_bytes_min", rail.chunk_bytes_min)
      .set("memory", rail.memory)
      .set("ranks_per_nic", rail.ranks_per_nic);
}

RailPlan rail_plan_from_json(const Reader& reader) {
  reader.only({"rail", "path", "regime", "placement", "busy_rails", "max_unexpected_bytes",
               "curves", "thresholds", "chunk_bytes_min", "memory", "ranks_per_nic"});
  return {.rail = reader["rail"].text(),
          .path = id_from_json(reader["path"]),
          .regime = reader["regime"].text(),
          .placement = reader["placement"].text(),
          .busy_rails = reader["busy_rails"].text(),
          .max_unexpected_bytes = reader["max_unexpected_bytes"].unsigned_integer(),
          .curves = read_list(reader["curves"], plan_curve_from_json),
          .thresholds = read_list(reader["thresholds"], threshold_from_json),
          .chunk_bytes_min = reader["chunk_bytes_min"].unsigned_integer(),
          .memory = reader.has("memory") ? reader["memory"].text() : "host",
          .ranks_per_nic = reader.has("ranks_per_nic") ? read_count(reader["ranks_per_nic"]) : 1};
}

Value to_json(const Verification& verification) {
  return Value::object()
      .set("predictions", list(verification.predictions))
      .set("decisions", list(verification.decisions));
}

Verification verification_from_json(const Reader& reader) {
  reader.only({"predictions", "decisions"});
  return {.predictions = read_list(reader["predictions"], prediction_from_json),
          .decisions = read_list(reader["decisions"], decision_from_json)};
}

Value to_json(const OffloadCost& offload) {
  return Value::object()
      .set("placement", offload.placement)
      .set("cost_ns", offload.cost_ns)
      .set("low_ns", offload.low_ns)
      .set("high_ns", offload.high_ns)
      .set("preempting", offload.preempting);
}

OffloadCost offload_cost_from_json(const Reader& reader) {
  reader.only({"placement", "cost_ns", "low_ns", "high_ns", "preempting"});
  return {.placement = reader["placement"].text(),
          .cost_ns = reader["cost_ns"].number(0),
          .low_ns = reader["low_ns"].number(0),
          .high_ns = reader["high_ns"].number(0),
          .preempting = reader["preempting"].boolean()};
}

Value to_json(const SegmentRule& segment) {
  Value value = Value::object()
                    .set("operation", segment.operation)
                    .set("nodes", segment.nodes)
                    .set("ranks_per_node", segment.ranks_per_node)
                    .set("from", segment.from_bytes)
                    .set("to", optional_bytes(segment.to_bytes))
                    .set("segment_bytes", segment.segment_bytes)
                    .set("algorithm", segment.algorithm)
                    .set("leaders", segment.leaders)
                    .set("mpi", segment.mpi)
                    .set("gain", segment.gain);
  if (segment.is_predicted()) {
    value.set("nodes_max", segment.nodes_max).set("ranks_per_node_max", segment.ranks_per_node_max);
  }
  return value;
}

SegmentRule segment_rule_from_json(const Reader& reader) {
  reader.only({"operation", "nodes", "ranks_per_node", "from", "to", "segment_bytes", "algorithm",
               "leaders", "mpi", "gain", "nodes_max", "ranks_per_node_max"});
  SegmentRule segment{.operation = reader["operation"].text(),
                      .nodes = read_count(reader["nodes"]),
                      .ranks_per_node = read_count(reader["ranks_per_node"]),
                      .from_bytes = reader["from"].unsigned_integer(),
                      .to_bytes = read_optional_bytes(reader["to"]),
                      .segment_bytes = reader["segment_bytes"].unsigned_integer(),
                      .algorithm = reader.has("algorithm") ? reader["algorithm"].text() : "",
                      .leaders = reader.has("leaders") ? read_count(reader["leaders"]) : 1,
                      .mpi = reader.has("mpi") ? reader["mpi"].text() : "",
                      .gain = reader.has("gain") ? reader["gain"].number(0) : 0};
  if (segment.to_bytes && *segment.to_bytes <= segment.from_bytes) {
    reader["to"].fail("is not above from");
  }
  if (!reader.has("nodes_max")) return segment;
  segment.nodes_max = read_count(reader["nodes_max"]);
  segment.ranks_per_node_max = read_count(reader["ranks_per_node_max"]);
  if (segment.nodes_max < segment.nodes) reader["nodes_max"].fail("is below nodes");
  if (segment.ranks_per_node_max < segment.ranks_per_node) {
    reader["ranks_per_node_max"].fail("is below ranks_per_node");
  }
  return segment;
}

Value to_json(const LibraryRule& rule) {
  return Value::object()
      .set("mpi", rule.mpi)
      .set("operation", rule.operation)
      .set("algorithm", rule.algorithm)
      .set("ranks", rule.ranks)
      .set("ranks_per_node", rule.ranks_per_node)
      .set("from", rule.from_bytes)
      .set("to", optional_bytes(rule.to_bytes))
      .set("segment_bytes", rule.segment_bytes)
      .set("gain", rule.gain)
      .set("interval", Value::Array{rule.low, rule.high});
}

LibraryRule library_rule_from_json(const Reader& reader) {
  reader.only({"mpi", "operation", "algorithm", "ranks", "ranks_per_node", "from", "to",
               "segment_bytes", "gain", "interval"});
  LibraryRule rule{.mpi = reader["mpi"].text(),
                   .operation = reader["operation"].text(),
                   .algorithm = reader["algorithm"].text(),
                   .ranks = read_count(reader["ranks"]),
                   .ranks_per_node = read_count(reader["ranks_per_node"]),
                   .from_bytes = reader["from"].unsigned_integer(),
                   .to_bytes = read_optional_bytes(reader["to"]),
                   .segment_bytes = reader["segment_bytes"].unsigned_integer(),
                   .gain = reader["gain"].number(0),
                   .low = reader["interval"][0].number(0),
                   .high = reader["interval"][1].number(0)};
  if (rule.to_bytes && *rule.to_bytes <= rule.from_bytes) reader["to"].fail("is not above from");
  return rule;
}

Value to_json(const Rise& rise) {
  return Value::object().set("ranks", rise.ranks).set("factor", rise.factor);
}

Rise rise_from_json(const Reader& reader) {
  reader.only({"ranks", "factor"});
  return {read_count(reader["ranks"]), reader["factor"].number(0)};
}

Value to_json(const SmallRatio& small) {
  return Value::object()
      .set("size_bytes", small.size_bytes)
      .set("ratio", small.ratio)
      .set("spread", small.spread);
}

SmallRatio small_ratio_from_json(const Reader& reader) {
  reader.only({"size_bytes", "ratio", "spread"});
  return {reader["size_bytes"].unsigned_integer(), reader["ratio"].number(0),
          reader["spread"].number(0)};
}

Value to_json(const RatioGrowth& ratios) {
  return Value::object()
      .set("rises", list(ratios.rises))
      .set("growth", ratios.growth)
      .set("growth_error", ratios.growth_error)
      .set("growth_saturates", ratios.growth_saturates);
}

RatioGrowth ratio_growth_from_json(const Reader& reader) {
  reader.only({"rises", "growth", "growth_error", "growth_saturates"});
  return {.rises = read_list(reader["rises"], rise_from_json),
          .growth = reader["growth"].number(0),
          .growth_error = reader["growth_error"].number(0),
          .growth_saturates = reader["growth_saturates"].boolean()};
}

Value to_json(const std::optional<Uncertainty>& uncertainty) {
  if (!uncertainty) return {};
  return Value::object()
      .set("gamma_variance", uncertainty->gamma_variance)
      .set("delta_variance_ns2", uncertainty->delta_variance)
      .set("covariance_ns", uncertainty->covariance)
      .set("sessions", uncertainty->sessions)
      .set("misfit", uncertainty->misfit)
      .set("left_out", uncertainty->left_out)
      .set("growth", uncertainty->growth)
      .set("quantile", uncertainty->quantile);
}

std::optional<Uncertainty> uncertainty_from_json(const Reader& reader) {
  if (reader.is_null()) return std::nullopt;
  reader.only({"gamma_variance", "delta_variance_ns2", "covariance_ns", "sessions", "misfit",
               "left_out", "growth", "quantile"});
  return Uncertainty{.gamma_variance = reader["gamma_variance"].number(0),
                     .delta_variance = reader["delta_variance_ns2"].number(0),
                     .covariance = reader["covariance_ns"].number(),
                     .sessions = reader["sessions"].number(0),
                     .misfit = reader["misfit"].number(0),
                     .left_out = reader["left_out"].number(0),
                     .growth = reader["growth"].number(0),
                     .quantile = reader["quantile"].number(0)};
}

Value to_json(const Signature& signature) {
  Value value =
      Value::object()
          .set("algorithm", signature.algorithm)
          .set("ranks_per_node", signature.ranks_per_node)
          .set("bound", to_json(signature.bound))
          .set("gamma", signature.gamma)
          .set("delta_ns", signature.delta_ns)
          .set("delta_per_message", signature.delta_per_message)
          .set("delta_from_bytes", signature.delta_from_bytes)
          .set("ranks", Value::Array{signature.ranks_min, signature.ranks_max})
          .set("size_bytes", Value::Array{signature.size_bytes_min, signature.size_bytes_max})
          .set("error", signature.error)
          .set("saturated", signature.saturated)
          .set("rises", list(signature.rises))
          .set("growth", signature.growth)
          .set("growth_saturates", signature.growth_saturates)
          .set("small", list(signature.small))
          .set("cores", signature.cores)
          .set("processor_ns", signature.processor_ns)
          .set("uncertainty", to_json(signature.uncertainty));
  // Programs that do not know it refuse the plan. Without it they would predict by gamma.
  if (signature.ratio_growth) value.set("ratio_growth", to_json(*signature.ratio_growth));
  return value;
}

Signature signature_from_json(const Reader& reader) {
  reader.only({"algorithm", "ranks_per_node", "bound", "gamma", "delta_ns", "delta_per_message",
               "delta_from_bytes", "ranks", "size_bytes", "error", "saturated", "rises", "growth",
               "growth_saturates", "small", "ratio_growth", "cores", "processor_ns",
               "uncertainty"});
  Signature signature{.algorithm = reader["algorithm"].text(),
                      .ranks_per_node = read_count(reader["ranks_per_node"]),
                      .bound = curve_from_json(reader["bound"]),
                      .gamma = reader["gamma"].number(0),
                      .delta_ns = reader["delta_ns"].number(0),
                      .delta_per_message = reader["delta_per_message"].boolean(),
                      .delta_from_bytes = reader["delta_from_bytes"].unsigned_integer(),
                      .ranks_min = read_count(reader["ranks"][0]),
                      .ranks_max = read_count(reader["ranks"][1]),
                      .size_bytes_min = reader["size_bytes"][0].unsigned_integer(),
                      .size_bytes_max = reader["size_bytes"][1].unsigned_integer(),
                      .error = reader["error"].number(0),
                      .saturated = reader["saturated"].boolean()};
  if (!reader.has("rises")) return signature;  // a plan written before the member existed
  signature.rises = read_list(reader["rises"], rise_from_json);
  signature.growth = reader["growth"].number(0);
  if (reader.has("growth_saturates")) {  // a plan written before is without
    signature.growth_saturates = reader["growth_saturates"].boolean();
  }
  signature.small = read_list(reader["small"], small_ratio_from_json);
  if (reader.has("ratio_growth")) {
    signature.ratio_growth = ratio_growth_from_json(reader["ratio_growth"]);
    if (signature.small.empty()) reader["small"].fail("has no ratio, though ratios predict");
  }
  signature.cores = read_count(reader["cores"]);
  signature.processor_ns = reader["processor_ns"].number(0);
  signature.uncertainty = uncertainty_from_json(reader["uncertainty"]);
  return signature;
}

Value to_json(const Plan& plan) {
  return Value::object()
      .set("platform", to_json(plan.platform))
      .set("campaigns", list(plan.campaigns))
      .set("rails", list(plan.rails))
      .set("verification", plan.verification ? to_json(*plan.verification) : Value())
      .set("offloads", list(plan.offloads))
      .set("segments", list(plan.segments))
      .set("library_rules", list(plan.library_rules))
      .set("signatures", list(plan.signatures));
}

Plan plan_from_json(const Reader& reader) {
  reader.only({"platform", "campaigns", "rails", "verification", "offloads", "segments",
               "library_rules", "signatures"});
  Plan plan{.platform = id_from_json(reader["platform"]),
            .campaigns = read_list(reader["campaigns"], id_from_json),
            .rails = read_list(reader["rails"], rail_plan_from_json),
            .verification = {},
            .offloads = read_list(reader["offloads"], offload_cost_from_json),
            .segments = read_list(reader["segments"], segment_rule_from_json),
            .library_rules = {},
            .signatures = read_list(reader["signatures"], signature_from_json)};
  if (reader.has("library_rules")) {  // absent in plans of schema 1
    plan.library_rules = read_list(reader["library_rules"], library_rule_from_json);
  }
  if (!reader["verification"].is_null()) {
    plan.verification = verification_from_json(reader["verification"]);
  }
  return plan;
}

}  // namespace nmt
