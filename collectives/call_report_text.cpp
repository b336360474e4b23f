// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstdio>

#include "collectives/call_report.h"
#include "core/json.h"
#include "core/units.h"

namespace nmt::collectives {
namespace {

constexpr std::size_t kRowsMax = 40;  // in the text form
constexpr std::size_t kColumns = 10;
constexpr std::size_t kLineMax = 100;
using Line = std::array<std::string, kColumns>;

std::string decimals(const char* format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// Formats a share of the run.
std::string percent(double fraction) { return decimals("%.1f", 100 * fraction); }

std::string name_of(const CallKind& kind) {
  const std::string name(to_string(kind.collective));
  if (kind.is_persistent) return name + "_init";
  return kind.blocks ? name : "i" + name;
}

std::string shape_of(const CallRow& row) {
  if (row.nodes == 0) return "other";
  return std::to_string(row.nodes) + (row.is_equal ? " x " : " x ..") +
         std::to_string(row.ranks_per_node);
}

// "64K": powers of four are whole numbers of K, M or G.
std::string short_bytes(std::uint64_t bytes) {
  constexpr std::string_view kUnits = "KMGTPE";
  if (bytes < 1024) return std::to_string(bytes);
  std::size_t unit = 0;
  for (bytes /= 1024; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return std::to_string(bytes) + kUnits[unit];
}

std::string sizes_of(std::int16_t size_class) {
  if (size_class == kNoSize) return "-";
  if (size_class == kUnlikeSize) return "differ";
  const auto next = static_cast<std::int16_t>(size_class + 1);
  return short_bytes(class_begin(size_class)) + ".." + short_bytes(class_begin(next));
}

bool can_be_replaced(const CallKind& kind) {
  switch (kind.collective) {
    case Collective::kAllgather:
    case Collective::kAllgatherv:
    case Collective::kAllreduce:
    case Collective::kAlltoall:
    case Collective::kBarrier:
    case Collective::kBcast:
    case Collective::kGather:
    case Collective::kReduce:
    case Collective::kReduceScatter:
    case Collective::kReduceScatterBlock:
    case Collective::kScatter:
      return kind.blocks;
    default:
      return false;
  }
}

std::string own_by_ours(const CallRow& row, bool has_profile) {
  if (!has_profile || !can_be_replaced(row.kind) || row.nodes == 0) return "-";
  if (!row.predicted) return "?";
  if (!row.predicted->ours_ns) return "own";
  return decimals("%.2f", row.predicted->library_ns / *row.predicted->ours_ns);
}

Line line_of(const CallRow& row, bool has_profile) {
  const bool timed = row.kind.blocks;
  return {name_of(row.kind),
          shape_of(row),
          sizes_of(row.kind.size_class),
          std::to_string(row.calls),
          timed ? percent(row.share) : "-",
          row.waiting ? percent(*row.waiting) : "-",
          row.waiting ? percent(row.share - *row.waiting) : "-",
          timed ? format_duration(row.call_ns) : "-",
          own_by_ours(row, has_profile),
          gain_ns(row) > 0 ? format_duration(gain_ns(row)) : "-"};
}

std::string table_of(const std::vector<Line>& lines) {
  std::array<std::size_t, kColumns> widths{};
  std::size_t total = 0;
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  for (const std::size_t width : widths) total += width;
  const std::size_t gap = total + 2 * (kColumns - 1) <= kLineMax ? 2 : 1;
  std::string text;
  for (const Line& line : lines) {
    text += line[0] + std::string(widths[0] - line[0].size(), ' ');
    for (std::size_t i = 1; i < kColumns; ++i) {
      text += std::string(gap + widths[i] - line[i].size(), ' ') + line[i];
    }
    text += '\n';
  }
  return text;
}

std::string summary_of(const CallReport& report) {
  const CallTotals totals = totals_of(report);
  std::string text =
      "nmadtune: in blocking collectives: " + percent(totals.share) + " % of the ranks' time";
  if (totals.split > 0) {
    text += ": " + percent(totals.waiting) + " % waiting, " +
            percent(totals.split - totals.waiting) + " % moving data";
  }
  text += '\n';
  if (report.job.nodes > 1 && report.clocks_apart_ns > 0) {
    text += "nmadtune: clocks of nodes disagreed by up to " +
            format_duration(report.clocks_apart_ns) + ": shorter waiting is not known\n";
  }
  if (!report.without_profile.empty()) {
    return text + "nmadtune: what replacing would gain is not known:\nnmadtune: " +
           report.without_profile + '\n';
  }
  return text + "nmadtune: by the profile, replacing collectives would have gained " +
         format_duration(totals.gain_ns) + ", " + percent(totals.gain_ns / report.job.run_ns) +
         " % of the run\n";
}

}  // namespace

std::string to_text(const CallReport& report) {
  const bool has_profile = report.without_profile.empty();
  std::string text = "nmadtune: report on collectives of " + std::to_string(report.job.ranks) +
                     (report.job.ranks == 1 ? " rank on " : " ranks on ") +
                     std::to_string(report.job.nodes) +
                     (report.job.nodes == 1 ? " node, " : " nodes, ") +
                     format_duration(report.job.run_ns) + " from MPI_Init to MPI_Finalize\n";
  if (report.rows.empty()) return text + "nmadtune: the program called no collective\n";
  std::vector<Line> lines{{"operation", "shape", "bytes", "calls", "% of run", "waiting", "moving",
                           "a call", "own/ours", "gain"}};
  double rest = 0;
  for (const CallRow& row : report.rows) {
    if (lines.size() <= kRowsMax) {
      lines.push_back(line_of(row, has_profile));
    } else {
      rest += row.share;
    }
  }
  text += table_of(lines);
  if (report.rows.size() > kRowsMax) {
    text += "nmadtune: and " + std::to_string(report.rows.size() - kRowsMax) + " more rows, " +
            percent(rest) + " % of the run; NMADTUNE_MPI_REPORT=json prints all\n";
  }
  return text + summary_of(report) +
         "nmadtune: shape: nodes x ranks per node (..4: up to 4); bytes: of a message or a block;\n"
         "nmadtune: waiting: in the call before its last rank (of Bcast, Scatter: its root) was;\n"
         "nmadtune: own/ours: by the profile, how many times as long the MPI's own takes than ours;"
         "\nnmadtune: own: it is the faster one; ?: not sampled; -: never replaced, or no "
         "profile\n";
}

std::string to_json(const CallReport& report) {
  json::Value rows = json::Value::array();
  for (const CallRow& row : report.rows) {
    const bool has_size = row.kind.size_class >= 0;
    const auto next = static_cast<std::int16_t>(row.kind.size_class + 1);
    json::Value each = json::Value::object();
    each.set("operation", to_string(row.kind.collective))
        .set("blocking", row.kind.blocks)
        .set("persistent", row.kind.is_persistent)
        .set("nodes", row.nodes == 0 ? json::Value() : json::Value(row.nodes))
        .set("ranks_per_node", row.nodes == 0 ? json::Value() : json::Value(row.ranks_per_node))
        .set("equal_nodes", row.nodes == 0 ? json::Value() : json::Value(row.is_equal))
        .set("from_bytes", has_size ? json::Value(class_begin(row.kind.size_class)) : json::Value())
        .set("to_bytes", has_size ? json::Value(class_begin(next)) : json::Value())
        .set("mean_bytes", row.size_bytes)
        .set("calls", row.calls)
        .set("share", row.kind.blocks ? json::Value(row.share) : json::Value())
        .set("waiting_share", row.waiting ? json::Value(*row.waiting) : json::Value())
        .set("sampled_calls", row.sampled)
        .set("call_ns", row.kind.blocks ? json::Value(row.call_ns) : json::Value());
    if (row.predicted) {
      each.set("library_ns", row.predicted->library_ns)
          .set("ours_ns",
               row.predicted->ours_ns ? json::Value(*row.predicted->ours_ns) : json::Value());
    }
    rows.push_back(std::move(each));
  }
  const CallTotals totals = totals_of(report);
  const bool has_profile = report.without_profile.empty();
  return json::Value::object()
      .set("report", "collectives")
      .set("version", NMT_VERSION)
      .set("ranks", report.job.ranks)
      .set("nodes", report.job.nodes)
      .set("run_ns", report.job.run_ns)
      .set("share", totals.share)
      .set("clocks_apart_ns", report.clocks_apart_ns)
      .set("gain_ns", has_profile ? json::Value(totals.gain_ns) : json::Value())
      .set("no_predictions", has_profile ? json::Value() : json::Value(report.without_profile))
      .set("rows", std::move(rows))
      .dump(-1);
}

}  // namespace nmt::collectives
