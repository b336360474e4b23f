// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "core/error.h"
#include "include/nmadtune.h"
#include "runtime/contended_curves.h"
#include "runtime/device_names.h"
#include "runtime/image.h"
#include "runtime/pair_tables.h"
#include "runtime/path_tables.h"
#include "runtime/snapshot.h"

namespace nmt::runtime {
namespace {

class Compiler {
 public:
  Compiler(const Provenance& provenance, const Plan& plan) : provenance_(provenance), plan_(plan) {
    text_.push_back('\0');
  }

  Storage compile() {
    order_paths();
    for (const RailPlan* rail : rails_) add_path(*rail);
    add_gates();
    add_companions();
    add_profile();
    add_collectives();
    View view;
    view.paths = paths_;
    view.companions = companions_;
    const std::vector<PairTable> pairs = make_pair_tables(view, gates_);
    Image image;
    image.add(SectionKind::kProfile, profile_);
    image.add(SectionKind::kPath, paths_);
    image.add(SectionKind::kPair, pairs);
    image.add(SectionKind::kAggregation, aggregations_);
    image.add(SectionKind::kCompanion, companions_);
    image.add(SectionKind::kPathDetail, details_);
    image.add(SectionKind::kCurve, curves_);
    image.add(SectionKind::kPoint, points_);
    image.add(SectionKind::kThreshold, thresholds_);
    image.add(SectionKind::kRange, ranges_);
    image.add(SectionKind::kOffload, offloads_);
    image.add(SectionKind::kSegment, segments_);
    image.add(SectionKind::kSignature, signatures_);
    image.add(SectionKind::kRise, rises_);
    image.add(SectionKind::kSmallRatio, small_ratios_);
    image.add(SectionKind::kDevice, devices_);
    image.add(SectionKind::kLibraryRule, library_rules_);
    image.add(SectionKind::kField, fields_);
    image.add(SectionKind::kText, text_);
    return image.finish();
  }

 private:
  // Paths measured alone come first: they are used most, and companions refer to them.
  void order_paths() {
    for (const RailPlan& rail : plan_.rails) rails_.push_back(&rail);
    const auto contended =
        std::stable_partition(rails_.begin(), rails_.end(),
                              [](const RailPlan* rail) { return rail->busy_rails.empty(); });
    for (auto at = contended; at != rails_.end(); ++at) {
      const auto alone = std::find_if(rails_.begin(), contended, [&](const RailPlan* rail) {
        return is_companion(*rail, **at);
      });
      if (alone != contended) *at = &completed_.emplace_back(completed(**at, **alone));
    }
  }

  TextOffset text(std::string_view text) {
    const auto [known, added] = offsets_.try_emplace(std::string(text), 0);
    if (added) {
      known->second = static_cast<TextOffset>(text_.size());
      text_.insert(text_.end(), text.begin(), text.end());
      text_.push_back('\0');
    }
    return known->second;
  }

  static std::uint32_t count(std::size_t records) {
    if (records > INT32_MAX) throw Error(Fault::kFailed, "the plan is too long for a snapshot");
    return static_cast<std::uint32_t>(records);
  }

  void add_path(const RailPlan& rail) {
    check_durations(rail);
    PathTables tables = make_path_tables(rail);
    if (tables.aggregation) {
      tables.block.aggregation = count(aggregations_.size());
      aggregations_.push_back(*tables.aggregation);
    }
    tables.block.gate = PathBlock::kNone;
    paths_.push_back(tables.block);
    PathDetailRecord detail{.rail = text(rail.rail),
                            .path_id = text(rail.path.hex()),
                            .regime = text(rail.regime),
                            .placement = text(rail.placement),
                            .busy_rails = text(rail.busy_rails),
                            .methods = 0,
                            .curves_from = count(curves_.size()),
                            .curves = 0,
                            .thresholds_from = count(thresholds_.size()),
                            .thresholds = count(rail.thresholds.size()),
                            .methods_from = 0,
                            .method_ranges = 0,
                            .max_unexpected_bytes = rail.max_unexpected_bytes,
                            .monotone_departure = tables.monotone_departure,
                            .table_departure = tables.table_departure,
                            .host = 0,
                            .node_id = 0,
                            .peer_host = 0,
                            .peer_id = 0,
                            .memory = text(rail.memory),
                            .ranks_per_nic = static_cast<std::uint32_t>(rail.ranks_per_nic),
                            .devices_from = count(devices_.size()),
                            .devices = 0};
    add_ends(rail, detail);
    for (const PlanCurve& curve : rail.curves) {
      if (curve.benchmark != benchmark::kTransfer) continue;
      const std::optional<Method> method = parse_method(curve.method);
      if (!method) continue;
      detail.methods |= std::uint32_t{1} << static_cast<int>(*method);
      ++detail.curves;
      curves_.push_back({text(curve.variant), static_cast<std::uint32_t>(*method),
                         count(points_.size()), add_points(curve.duration, curve.low, curve.high)});
    }
    for (const Threshold& threshold : rail.thresholds) add_threshold(threshold);
    detail.methods_from = count(ranges_.size());
    for (const MethodRange& range : method_ranges(rail)) {
      ranges_.push_back(
          {range.from_bytes, range.method ? static_cast<int>(*range.method) : NMT_NO_ADVICE, 0});
      ++detail.method_ranges;
    }
    details_.push_back(detail);
  }

  // Both ends of a path, and the names of its device.
  void add_ends(const RailPlan& rail, PathDetailRecord& detail) {
    const auto ends = std::ranges::find(provenance_.paths, rail.path, &PathEnds::path);
    if (ends == provenance_.paths.end()) return;
    detail.host = text(ends->from_host);
    detail.node_id = text(ends->from_node.hex());
    detail.peer_host = text(ends->to_host);
    detail.peer_id = text(ends->to_node.hex());
    for (const DeviceName& name : device_names(ends->from)) {
      devices_.push_back({text(name.name), static_cast<std::uint32_t>(name.naming)});
      ++detail.devices;
    }
  }

  // The limit of floats and of the solver's arithmetic: far above any measurement.
  static void check_durations(const RailPlan& rail) {
    constexpr double kDurationMax = 1e15;
    for (const PlanCurve& curve : rail.curves) {
      if (curve.duration.empty()) {
        throw Error(Fault::kFailed, fmt::format("{}: a curve without points", rail.rail));
      }
      for (const Point& point : curve.duration.points()) {
        if (point.duration_ns <= kDurationMax && point.size_bytes < 0x1p62) continue;
        throw Error(Fault::kFailed,
                    fmt::format("{}: {} ns for {} B is beyond what a snapshot holds", rail.rail,
                                point.duration_ns, point.size_bytes));
      }
    }
  }

  std::uint32_t add_points(const Curve& duration, const Curve& low, const Curve& high) {
    for (const Point& point : duration.points()) {
      const auto at = [&](const Curve& curve) {
        return curve.empty() ? point.duration_ns : curve.at(point.size_bytes);
      };
      points_.push_back({point.size_bytes, point.duration_ns, at(low), at(high)});
    }
    return count(duration.points().size());
  }

  void add_threshold(const Threshold& threshold) {
    thresholds_.push_back({.decision = static_cast<std::uint32_t>(threshold.kind),
                           .answer = static_cast<std::uint32_t>(threshold.answer),
                           .bytes = threshold.bytes.value_or(0),
                           .low_bytes = threshold.low_bytes,
                           .high_bytes = threshold.high_bytes,
                           .regret = threshold.regret,
                           .bounded = threshold.bounded,
                           .ranges_from = count(ranges_.size()),
                           .ranges = count(threshold.ranges.size()),
                           .reserved = 0});
    for (const Range& range : threshold.ranges) {
      const bool above = range.choice == choices(threshold.kind).above;
      ranges_.push_back({range.from_bytes, above, 0});
    }
  }

  // Paths of different rails with one regime, placement and number of ranks, measured alone, can
  // share messages.
  void add_gates() {
    using Key = std::tuple<std::uint32_t, TextOffset, TextOffset>;
    std::map<Key, std::vector<std::uint32_t>> gates;
    for (std::uint32_t i = 0; i < paths_.size(); ++i) {
      if (!rails_[i]->busy_rails.empty() || paths_[i].measured == 0) continue;
      const PathDetailRecord& detail = details_[i];
      gates[{detail.ranks_per_nic, detail.regime, detail.placement}].push_back(i);
    }
    std::uint32_t pairs = 0;
    for (const auto& [key, members] : gates) {
      for (std::uint32_t place = 0; place < members.size() && place < kGatePathsMax; ++place) {
        PathBlock& block = paths_[members[place]];
        block.gate = count(gates_.size());
        block.gate_pairs = pairs;
        block.gate_place = place;
      }
      gates_.push_back(members);
      gates_.back().resize(std::min(members.size(), kGatePathsMax));
      const auto places = static_cast<std::uint32_t>(gates_.back().size());
      pairs += places * (places - 1) / 2;
    }
  }

  // A path measured while other rails were busy becomes a companion of the path measured alone.
  void add_companions() {
    for (std::uint32_t i = 0; i < paths_.size(); ++i) {
      if (!rails_[i]->busy_rails.empty()) continue;
      paths_[i].companions_from = count(companions_.size());
      for (std::uint32_t j = i + 1; j < paths_.size(); ++j) {
        if (paths_[j].measured == 0 || !is_companion(*rails_[i], *rails_[j])) continue;
        CompanionRecord record{.measured = j, .busy = 0, .busy_paths = {}};
        if (!set_busy(*rails_[j], record)) continue;
        companions_.push_back(record);
        ++paths_[i].companions;
      }
    }
  }

  static bool is_companion(const RailPlan& alone, const RailPlan& rail) {
    return !rail.busy_rails.empty() &&
           std::tie(rail.rail, rail.path, rail.regime, rail.placement, rail.ranks_per_nic) ==
               std::tie(alone.rail, alone.path, alone.regime, alone.placement, alone.ranks_per_nic);
  }

  // False if a busy rail has no path of its own, or if there are too many.
  bool set_busy(const RailPlan& rail, CompanionRecord& record) const {
    for (std::string_view rest = rail.busy_rails; !rest.empty();) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      const std::string_view name = rest.substr(0, comma);
      rest.remove_prefix(std::min(comma + 1, rest.size()));
      const auto other = std::find_if(rails_.begin(), rails_.end(), [&](const RailPlan* candidate) {
        return candidate->busy_rails.empty() &&
               std::tie(candidate->rail, candidate->regime, candidate->placement,
                        candidate->ranks_per_nic) ==
                   std::tie(name, rail.regime, rail.placement, rail.ranks_per_nic);
      });
      if (other == rails_.end() || record.busy == CompanionRecord::kBusyMax) return false;
      record.busy_paths[record.busy++] = static_cast<std::uint32_t>(other - rails_.begin());
    }
    return true;
  }

  void add_profile() {
    ProfileRecord record{.platform = text(provenance_.platform.name),
                         .platform_id = text(provenance_.platform.id.hex()),
                         .measured_utc = text(provenance_.measured_utc),
                         .tool_version = text(provenance_.tool_version),
                         .complete = provenance_.complete,
                         .verified = plan_.verification.has_value(),
                         .quality = provenance_.quality,
                         .error_median = 0,
                         .regret_median = 0};
    if (plan_.verification) {
      for (const Verification::Prediction& prediction : plan_.verification->predictions) {
        record.error_median = std::max(record.error_median, prediction.error_median);
      }
      for (const Verification::Decision& decision : plan_.verification->decisions) {
        record.regret_median = std::max(record.regret_median, decision.regret_median);
      }
    }
    profile_.push_back(record);
    for (const auto& [name, value] : provenance_.platform.fingerprint) {
      fields_.push_back({text(name), text(value)});
    }
  }

  void add_collectives() {
    for (const OffloadCost& offload : plan_.offloads) {
      if (offload.preempting) continue;  // eager chunks only use idle cores
      offloads_.push_back(
          {text(offload.placement), 0, offload.cost_ns, offload.low_ns, offload.high_ns});
    }
    for (const SegmentRule& segment : plan_.segments) {
      segments_.push_back({text(segment.operation), static_cast<std::uint32_t>(segment.nodes),
                           static_cast<std::uint32_t>(segment.ranks_per_node),
                           text(segment.algorithm), segment.from_bytes,
                           segment.to_bytes.value_or(UINT64_MAX), segment.segment_bytes,
                           static_cast<std::uint32_t>(segment.leaders), text(segment.mpi),
                           segment.gain, static_cast<std::uint32_t>(segment.nodes_max),
                           static_cast<std::uint32_t>(segment.ranks_per_node_max)});
    }
    for (const LibraryRule& rule : plan_.library_rules) {
      library_rules_.push_back({.mpi = text(rule.mpi),
                                .operation = text(rule.operation),
                                .algorithm = text(rule.algorithm),
                                .ranks = static_cast<std::uint32_t>(rule.ranks),
                                .ranks_per_node = static_cast<std::uint32_t>(rule.ranks_per_node),
                                .reserved = 0,
                                .from_bytes = rule.from_bytes,
                                .to_bytes = rule.to_bytes.value_or(UINT64_MAX),
                                .segment_bytes = rule.segment_bytes,
                                .gain = rule.gain,
                                .low = rule.low,
                                .high = rule.high});
    }
    for (const Signature& signature : plan_.signatures) add_signature(signature);
  }

  void add_signature(const Signature& signature) {
    const Uncertainty uncertainty = signature.uncertainty.value_or(Uncertainty{});
    const RatioGrowth ratios = signature.ratio_growth.value_or(RatioGrowth{});
    signatures_.push_back({.algorithm = text(signature.algorithm),
                           .ranks_per_node = static_cast<std::uint32_t>(signature.ranks_per_node),
                           .ranks_min = static_cast<std::uint32_t>(signature.ranks_min),
                           .ranks_max = static_cast<std::uint32_t>(signature.ranks_max),
                           .points_from = count(points_.size()),
                           .points = add_points(signature.bound, {}, {}),
                           .rises_from = count(rises_.size()),
                           .rises = count(signature.rises.size()),
                           .small_from = count(small_ratios_.size()),
                           .small = count(signature.small.size()),
                           .cores = static_cast<std::uint32_t>(signature.cores),
                           .delta_per_message = signature.delta_per_message,
                           .saturated = signature.saturated,
                           .uncertain = signature.uncertainty.has_value(),
                           .gamma = signature.gamma,
                           .delta_ns = signature.delta_ns,
                           .error = signature.error,
                           .delta_from_bytes = signature.delta_from_bytes,
                           .size_bytes_min = signature.size_bytes_min,
                           .size_bytes_max = signature.size_bytes_max,
                           .growth = signature.growth,
                           .processor_ns = signature.processor_ns,
                           .gamma_variance = uncertainty.gamma_variance,
                           .delta_variance = uncertainty.delta_variance,
                           .covariance = uncertainty.covariance,
                           .sessions = uncertainty.sessions,
                           .misfit = uncertainty.misfit,
                           .left_out = uncertainty.left_out,
                           .growth_error = uncertainty.growth,
                           .quantile = uncertainty.quantile,
                           .growth_saturates = signature.growth_saturates,
                           .by_ratios = signature.ratio_growth.has_value(),
                           .ratio_rises_from = count(rises_.size() + signature.rises.size()),
                           .ratio_rises = count(ratios.rises.size()),
                           .ratio_growth_saturates = ratios.growth_saturates,
                           .reserved = 0,
                           .ratio_growth = ratios.growth,
                           .ratio_growth_error = ratios.growth_error});
    for (const std::vector<Rise>& rises : {signature.rises, ratios.rises}) {
      for (const Rise& rise : rises) {
        rises_.push_back({static_cast<std::uint64_t>(rise.ranks), rise.factor});
      }
    }
    for (const SmallRatio& small : signature.small) {
      small_ratios_.push_back({small.size_bytes, small.ratio, small.spread});
    }
  }

  const Provenance& provenance_;
  const Plan& plan_;
  std::vector<const RailPlan*> rails_;  // in the order of paths_
  std::vector<std::vector<std::uint32_t>> gates_;
  std::map<std::string, TextOffset> offsets_;
  std::vector<char> text_;
  std::vector<ProfileRecord> profile_;
  std::vector<FieldRecord> fields_;
  std::vector<PathBlock> paths_;
  std::vector<PathDetailRecord> details_;
  std::vector<CurveRecord> curves_;
  std::vector<PointRecord> points_;
  std::vector<ThresholdRecord> thresholds_;
  std::vector<RangeRecord> ranges_;
  std::vector<AggregationTable> aggregations_;
  std::deque<RailPlan> completed_;  // curves beside busy rails
  std::vector<CompanionRecord> companions_;
  std::vector<OffloadRecord> offloads_;
  std::vector<SegmentRecord> segments_;
  std::vector<SignatureRecord> signatures_;
  std::vector<RiseRecord> rises_;
  std::vector<SmallRatioRecord> small_ratios_;
  std::vector<DeviceRecord> devices_;
  std::vector<LibraryRuleRecord> library_rules_;
};

}  // namespace

Storage compile(const Provenance& provenance, const Plan& plan) {
  return Compiler(provenance, plan).compile();
}

}  // namespace nmt::runtime
