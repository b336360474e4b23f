// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune split: how the library splits a message over rails, some of them busy; with --explain
// compared with the papers' methods.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "core/error.h"
#include "core/units.h"
#include "tools/tune/advice.h"
#include "tools/tune/split_ways.h"

namespace nmt::tools {
namespace {

struct SplitOptions {
  std::uint64_t size_bytes = 0;
  std::string rails;
  std::string busy;
  std::string regime = "hot";
  RanksPerNic ranks;
  bool explain = false;
};

struct Question {
  std::vector<std::string> rails;
  std::vector<nmt_share> shares;
};

// "a=500us,b=1ms"
std::map<std::string, double> parse_busy(const std::string& text) {
  std::map<std::string, double> release_ns;
  for (const std::string& item : split_list(text)) {
    const std::size_t equals = item.rfind('=');
    if (equals == std::string::npos) {
      throw Error(
          Fault::kUsage,
          fmt::format("--busy: '{}' has no time; write RAIL=TIME, for example tcp:lo=500us", item));
    }
    try {
      release_ns[item.substr(0, equals)] = parse_duration_ns(item.substr(equals + 1));
    } catch (const Error& error) {
      throw Error(Fault::kUsage, fmt::format("--busy: {}", error.what()));
    }
  }
  return release_ns;
}

Question question_of(const SplitOptions& options, const Advice& advice) {
  Question question;
  std::map<std::string, double> busy = parse_busy(options.busy);
  for (const std::string& rail : split_list(options.rails)) {
    if (std::ranges::find(question.rails, rail) != question.rails.end()) {
      throw Error(Fault::kUsage, fmt::format("--rails: {} is named twice", rail));
    }
    nmt_share share{};
    share.struct_bytes = sizeof share;
    share.path = find_path(advice, rail, options.regime, options.ranks);
    if (const auto found = busy.extract(rail)) share.release_ns = found.mapped();
    question.rails.push_back(rail);
    question.shares.push_back(share);
  }
  if (question.rails.empty()) throw Error(Fault::kUsage, "--rails: no rail; write for example a,b");
  if (question.rails.size() > NMT_SPLIT_RAILS_MAX) {
    throw Error(Fault::kUsage, fmt::format("--rails: at most {}", int{NMT_SPLIT_RAILS_MAX}));
  }
  if (!busy.empty()) {
    throw Error(Fault::kUsage,
                fmt::format("--busy: {} is not among the rails of --rails{}", busy.begin()->first,
                            suggestion(busy.begin()->first, question.rails)));
  }
  return question;
}

std::string_view reason_text(std::uint32_t left_out) {
  switch (left_out) {
    case NMT_LEFT_BUSY:
      return "busy until the other rails have carried the whole message";
    case NMT_LEFT_SLOW:
      return "its start-up takes longer than the whole message on the other rails";
    case NMT_LEFT_SMALL:
      return "its part would be smaller than the smallest useful part";
    case NMT_LEFT_TOGETHER:
      return "in measurements, the rails together are slower with it than without it";
    case NMT_LEFT_UNMEASURED:
      return "the profile has no transfer over it";
    default:
      return "no idle core to submit from";
  }
}

void add_ways(const std::vector<SplitWay>& ways, const Question& question, double end_ns,
              Report* report) {
  std::vector<std::string> headings = {"other split", ">end", ">compared with the split"};
  for (const std::string& rail : question.rails) headings.push_back(">" + rail);
  Table table(headings);
  json::Value list = json::Value::array();
  for (const SplitWay& way : ways) {
    const double slowdown = way.end_ns / end_ns - 1;
    std::vector<std::string> cells = {way.name, format_duration(way.end_ns),
                                      fmt::format("{:+.1f} %", 100 * slowdown)};
    json::Value chunks = json::Value::array();
    for (std::size_t i = 0; i < question.rails.size(); ++i) {
      const auto bytes = static_cast<std::uint64_t>(way.chunks_bytes[i]);
      cells.push_back(bytes > 0 ? format_bytes(bytes) : "");
      chunks.push_back(
          json::Value::object().set("rail", question.rails[i]).set("bytes", way.chunks_bytes[i]));
    }
    table.add(std::move(cells));
    list.push_back(json::Value::object()
                       .set("way", way.name)
                       .set("chunks", std::move(chunks))
                       .set("end_ns", way.end_ns)
                       .set("slowdown", slowdown));
  }
  report->text.heading("By each rail's own curve");
  report->text.table(std::move(table));
  report->payload.set("other_ways", std::move(list));
}

Report split(const SplitOptions& options, const ProfileOptions& profile,
             const Invocation& invocation) {
  const Advice advice = open_advice(profile, invocation);
  Question question = question_of(options, advice);
  nmt_split_result result{};
  result.struct_bytes = sizeof result;
  const int status = nmt_split(advice.get(), options.size_bytes, question.shares.data(),
                               static_cast<std::uint32_t>(question.shares.size()), &result);
  if (status != NMT_OK) {
    throw Error(Fault::kUsage, fmt::format("{}: {}", options.rails, nmt_status_text(status)));
  }
  Report report;
  Table table({"rail", ">offset", ">bytes", ">busy until", ">end", "note"});
  json::Value chunks = json::Value::array();
  json::Value left_out = json::Value::array();
  std::vector<std::string> measured_by;
  report.records.header = {"rail",   "offset_bytes", "bytes",        "release_ns",
                           "end_ns", "left_out",     "ranks_per_nic"};
  for (std::size_t i = 0; i < question.shares.size(); ++i) {
    const nmt_share& share = question.shares[i];
    const std::string& rail = question.rails[i];
    const std::uint32_t ranks = describe(advice, share.path).ranks_per_nic;
    const bool takes_part = share.left_out == NMT_TAKES_PART;
    const std::string why(takes_part ? "" : reason_text(share.left_out));
    const std::string busy = share.release_ns > 0 ? format_duration(share.release_ns) : "";
    if (takes_part) {
      table.add({rail, std::to_string(share.offset_bytes), std::to_string(share.bytes), busy,
                 format_duration(share.end_ns), ""});
      chunks.push_back(json::Value::object()
                           .set("rail", rail)
                           .set("offset", share.offset_bytes)
                           .set("bytes", share.bytes)
                           .set("end_ns", share.end_ns)
                           .set("ranks_per_nic", ranks));
    } else {
      table.add({rail, "", "", busy, "", why});
      left_out.push_back(json::Value::object().set("rail", rail).set("why", why));
    }
    report.records.rows.push_back(
        {rail, share.offset_bytes, share.bytes, share.release_ns, share.end_ns, why, ranks});
    const std::string by = ranks_text(ranks, options.ranks);
    if (!by.empty()) measured_by.push_back(rail + by);
  }
  const auto size = static_cast<double>(options.size_bytes);
  report.text.heading(fmt::format("{} in {}, {}", format_bytes(options.size_bytes),
                                  format_duration(result.end_ns),
                                  format_bandwidth(size / result.end_ns * 1e9)));
  report.text.table(std::move(table));
  for (const std::string& line : measured_by) report.text.line(line);
  if ((result.flags & NMT_ADVICE_EXTRAPOLATED) != 0) {
    report.text.line("The message is larger than the largest that was measured.");
  }
  report.payload.set("platform", platform_json(advice))
      .set("size_bytes", options.size_bytes)
      .set("chunks", std::move(chunks))
      .set("end_ns", result.end_ns)
      .set("left_out", std::move(left_out))
      .set("extrapolated", (result.flags & NMT_ADVICE_EXTRAPOLATED) != 0)
      .set("simultaneous", (result.flags & NMT_ADVICE_SIMULTANEOUS) != 0);
  if (options.explain) {
    add_ways(other_ways(advice, question.rails, question.shares, size), question, result.end_ns,
             &report);
  }
  report.summary = {{"chunks", std::to_string(result.chunks)},
                    {"end_ns", fmt::format("{:.0f}", result.end_ns)}};
  return report;
}

}  // namespace

Work declare_split(Options& options, const ProfileOptions& profile) {
  const auto own = std::make_shared<SplitOptions>();
  options.bytes("--size", own->size_bytes, {1, std::uint64_t{1} << 62}, "size of the message")
      .required();
  options.list("--rails", own->rails, "RAIL,...", "rails to use").required();
  options.list("--busy", own->busy, "RAIL=TIME,...", "time until each busy rail is free");
  options.choice("--regime", own->regime, {"hot", "cold"},
                 "messages that are in the cache, or not (default: hot)");
  declare(options, own->ranks);
  options.flag(
      "--explain", own->explain,
      "also show other ways to split it\n"
      "The whole message over each rail, equal parts, the papers' dichotomy (two rails), and "
      "parts by asymptotic bandwidth.");
  options.example("nmad-tune split --size 4M --rails tcp:r0,tcp:r1 --busy tcp:r0=500us");
  return [own, &profile](const Invocation& invocation) { return split(*own, profile, invocation); };
}

}  // namespace nmt::tools
