// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune decide: the library's advice for messages over one rail, with its gain and the reason.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <vector>

#include "core/error.h"
#include "core/method.h"
#include "core/units.h"
#include "tools/tune/advice.h"

namespace nmt::tools {
namespace {

struct DecideOptions {
  std::string rail;
  std::vector<std::uint64_t> sizes_bytes;
  std::string regime = "hot";
  RanksPerNic ranks;
};

constexpr std::array kMethods = {NMT_COPY, NMT_IOVEC, NMT_RENDEZVOUS};

std::string name_of(int method) { return std::string(to_string(static_cast<Method>(method))); }

// One size, with the library's advice.
class Decision {
 public:
  Decision(const Advice& advice, int path, std::uint64_t size_bytes)
      : advice_(advice), path_(path), size_bytes_(size_bytes) {
    method_ = nmt_method_for(advice.get(), path, size_bytes);
    aggregate_ = nmt_aggregate(advice.get(), path, size_bytes, size_bytes);
  }

  int method() const { return method_; }
  int aggregate() const { return aggregate_; }

  std::optional<nmt_prediction> prediction(int method) const {
    nmt_prediction found{};
    found.struct_bytes = sizeof found;
    if (nmt_predict(advice_.get(), path_, method, size_bytes_, &found) != NMT_OK) return {};
    return found;
  }

  // "below the rendezvous threshold of 37 KiB; from the iovec threshold of 2 KiB on".
  std::string why() const {
    std::string text = side_of(NMT_DECIDE_RENDEZVOUS, "rendezvous");
    if (method_ == NMT_RENDEZVOUS) return text;
    const std::string iovec = side_of(NMT_DECIDE_IOVEC, "iovec");
    return text.empty() || iovec.empty() ? text + iovec : text + "; " + iovec;
  }

 private:
  std::string side_of(int decision, std::string_view name) const {
    nmt_threshold_info info{};
    info.struct_bytes = sizeof info;
    if (nmt_threshold(advice_.get(), path_, decision, &info) != NMT_OK) return "";
    switch (info.answer) {
      case NMT_ALWAYS:
        return fmt::format("{} always pays", name);
      case NMT_NEVER:
        return fmt::format("{} never pays", name);
      case NMT_THRESHOLD:
        return fmt::format(
            fmt::runtime(size_bytes_ < info.bytes ? "below the {} threshold of {}{}"
                                                  : "from the {} threshold of {}{} on"),
            name, format_bytes(info.bytes), info.bounded != 0 ? " (a limit)" : "");
      default:
        return range_text(decision, name, info.ranges);
    }
  }

  std::string range_text(int decision, std::string_view name, std::uint32_t ranges) const {
    for (std::uint32_t i = 0; i < ranges; ++i) {
      nmt_range range{};
      range.struct_bytes = sizeof range;
      nmt_threshold_range(advice_.get(), path_, decision, i, &range);
      if (size_bytes_ >= range.to_bytes) continue;
      const std::string end = range.to_bytes == UINT64_MAX ? "" : format_bytes(range.to_bytes);
      return fmt::format("{} {} from {}{}{}", name, range.above != 0 ? "pays" : "does not pay",
                         format_bytes(range.from_bytes), end.empty() ? " on" : " to ", end);
    }
    return "";
  }

  const Advice& advice_;
  int path_;
  std::uint64_t size_bytes_;
  int method_;
  int aggregate_;
};

json::Value aggregate_json(int aggregate) {
  return aggregate < 0 ? json::Value() : json::Value(aggregate == 1);
}

std::string aggregate_text(int aggregate) {
  if (aggregate < 0) return "not measured";
  return aggregate == 1 ? "together" : "apart";
}

Report decide(const DecideOptions& options, const ProfileOptions& profile,
              const Invocation& invocation) {
  const Advice advice = open_advice(profile, invocation);
  const int path = find_path(advice, options.rail, options.regime, options.ranks);
  const std::uint32_t ranks = describe(advice, path).ranks_per_nic;
  Report report;
  Table table({">size", "method", ">predicted", "other methods", "two of them", "why"});
  json::Value decisions = json::Value::array();
  report.records.header = {"rail",    "bytes",     "method",       "predicted_ns",  "low_ns",
                           "high_ns", "aggregate", "extrapolated", "ranks_per_nic", "why"};
  for (const std::uint64_t size_bytes : options.sizes_bytes) {
    const Decision decision(advice, path, size_bytes);
    const auto chosen = decision.prediction(decision.method());
    if (!chosen) {
      throw Error(Fault::kUsage, fmt::format("{}: the profile has no transfer over this rail, so "
                                             "there is no advice; sample it with "
                                             "nmad-sample",
                                             options.rail));
    }
    json::Value others = json::Value::array();
    std::string others_text;
    for (const int method : kMethods) {
      const auto other = decision.prediction(method);
      if (method == decision.method() || !other) continue;
      const double slowdown = other->duration_ns / chosen->duration_ns - 1;
      others_text += fmt::format("{}{} {:+.0f} %", others_text.empty() ? "" : ", ", name_of(method),
                                 100 * slowdown);
      others.push_back(json::Value::object()
                           .set("method", name_of(method))
                           .set("predicted_ns", other->duration_ns)
                           .set("slowdown", slowdown));
    }
    const bool extrapolated = (chosen->flags & NMT_ADVICE_EXTRAPOLATED) != 0;
    const std::string why = decision.why() + (extrapolated ? "; beyond the measured sizes" : "");
    table.add({format_bytes(size_bytes), name_of(decision.method()),
               format_duration(chosen->duration_ns), others_text,
               aggregate_text(decision.aggregate()), why});
    decisions.push_back(json::Value::object()
                            .set("rail", options.rail)
                            .set("bytes", size_bytes)
                            .set("method", name_of(decision.method()))
                            .set("predicted_ns", chosen->duration_ns)
                            .set("low_ns", chosen->low_ns)
                            .set("high_ns", chosen->high_ns)
                            .set("extrapolated", extrapolated)
                            .set("others", std::move(others))
                            .set("aggregate", aggregate_json(decision.aggregate()))
                            .set("ranks_per_nic", ranks)
                            .set("why", why));
    report.records.rows.push_back({options.rail, size_bytes, name_of(decision.method()),
                                   chosen->duration_ns, chosen->low_ns, chosen->high_ns,
                                   aggregate_json(decision.aggregate()), extrapolated, ranks, why});
  }
  report.text.heading(fmt::format("{} ({} buffers{})", options.rail, options.regime,
                                  ranks_text(ranks, options.ranks)));
  report.text.table(std::move(table));
  report.payload.set("platform", platform_json(advice));
  report.payload.set("decisions", std::move(decisions));
  report.summary = {{"rail", options.rail},
                    {"decisions", std::to_string(options.sizes_bytes.size())}};
  return report;
}

}  // namespace

Work declare_decide(Options& options, const ProfileOptions& profile) {
  const auto own = std::make_shared<DecideOptions>();
  options.text("--rail", own->rail, "RAIL", "rail").required();
  options.sizes("--size", own->sizes_bytes, "sizes of the message").required();
  options.choice("--regime", own->regime, {"hot", "cold"},
                 "messages that are in the cache, or not (default: hot)");
  declare(options, own->ranks);
  options.example("nmad-tune decide --rail tcp:lo --size 12K");
  return
      [own, &profile](const Invocation& invocation) { return decide(*own, profile, invocation); };
}

}  // namespace nmt::tools
