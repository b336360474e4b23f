// SPDX-License-Identifier: BSD-3-Clause
#include "tools/report/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/units.h"

namespace nmt::tools {
namespace {

constexpr std::size_t kPairsShown = 50;  // of each rail

std::string duration(const json::Reader& value) {
  return value.is_null() ? "-" : format_duration(value.number());
}

std::string bytes(const json::Reader& value) { return format_bytes(value.unsigned_integer()); }

void add_measured_and_predicted(const json::Reader& alltoall, Text* text) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, double> measured;
  std::set<std::pair<std::uint64_t, std::uint64_t>> predicted;
  for (const json::Reader& time : alltoall["times"].items()) {
    measured[{time[0].unsigned_integer(), time[1].unsigned_integer()}] = time[2].number();
  }
  Table table({">ranks", ">bytes to each", ">measured", ">predicted", "95 % interval",
               ">lower bound", "verdict"});
  const auto predictions =
      alltoall.has("predictions") ? alltoall["predictions"].items() : std::vector<json::Reader>();
  for (const json::Reader& each : predictions) {
    const std::pair cell(each["n"].unsigned_integer(), each["m_bytes"].unsigned_integer());
    const auto found = measured.find(cell);
    predicted.insert(cell);
    table.add({std::to_string(cell.first), format_bytes(cell.second),
               found == measured.end() ? "-" : format_duration(found->second),
               duration(each["predicted_ns"]),
               each["low_ns"].is_null()
                   ? "not known"
                   : fmt::format("{} .. {}", duration(each["low_ns"]), duration(each["high_ns"])),
               duration(each["lower_bound_ns"]), each["verdict"].text()});
  }
  for (const auto& [cell, duration_ns] : measured) {
    if (predicted.contains(cell)) continue;
    table.add({std::to_string(cell.first), format_bytes(cell.second), format_duration(duration_ns),
               "-", "", "-", ""});
  }
  text->table(std::move(table));
}

}  // namespace

void add_curve_tables(const std::vector<RailPlan>& rails, Text* text) {
  for (const RailPlan& rail : rails) {
    std::vector<std::string> headings = {">size"};
    std::map<std::uint64_t, std::vector<std::string>> rows;
    for (const PlanCurve& curve : rail.curves) {
      if (curve.benchmark != benchmark::kTransfer) continue;
      headings.push_back(
          fmt::format(">{}{}{}", curve.method, curve.variant.empty() ? "" : " ", curve.variant));
      for (const Point& point : curve.duration.points()) {
        std::vector<std::string>& cells = rows[static_cast<std::uint64_t>(point.size_bytes)];
        cells.resize(headings.size() - 2);
        cells.push_back(format_duration(point.duration_ns));
      }
    }
    if (headings.size() < 2) continue;
    Table table(headings);
    for (auto& [size_bytes, cells] : rows) {
      cells.resize(headings.size() - 1);
      cells.insert(cells.begin(), format_bytes(size_bytes));
      table.add(cells);
    }
    text->heading(
        fmt::format("{} ({} buffers, {}): duration", rail.rail, rail.regime, rail.placement));
    text->table(std::move(table));
  }
}

void add_foreign_tables(const json::Value& foreign, Text* text) {
  Table table({"rail", "decision", "taken from", ">mean cost", ">worst"});
  bool any = false;
  for (const json::Reader& entry : json::Reader(foreign, "the page").items()) {
    for (const json::Reader& cost : entry["costs"].items()) {
      table.add({entry["rail"].text(), entry["kind"].text(), cost["name"].text(),
                 format_fraction(cost["mean"].number()), format_fraction(cost["worst"].number())});
      any = true;
    }
  }
  if (!any) return;
  text->heading("What other people's constants cost");
  text->table(std::move(table));
}

void add_pair_tables(const json::Value& cluster, Text* text) {
  std::map<std::string, std::vector<json::Reader>> rails;
  for (const json::Reader& pair : json::Reader(cluster, "the page")["pairs"].items()) {
    rails[pair["rail"].text()].push_back(pair);
  }
  for (auto& [rail, pairs] : rails) {
    std::ranges::sort(pairs, std::greater(),
                      [](const json::Reader& pair) { return pair["latency_ns"].number(); });
    Table table({"node", "peer", ">latency", ">bandwidth"});
    for (std::size_t i = 0; i < std::min(pairs.size(), kPairsShown); ++i) {
      table.add({pairs[i]["near"].text(), pairs[i]["far"].text(), duration(pairs[i]["latency_ns"]),
                 format_bandwidth(pairs[i]["bandwidth_bytes_per_second"].number())});
    }
    text->heading(fmt::format("{}: pairs of nodes, by latency", rail));
    text->table(std::move(table));
    if (pairs.size() > kPairsShown) {
      text->line(fmt::format("and {} pairs that are not slower", pairs.size() - kPairsShown));
    }
  }
}

void add_alltoall_tables(const json::Value& alltoalls, Text* text) {
  for (const json::Reader& alltoall : json::Reader(alltoalls, "the page").items()) {
    text->heading("Alltoall: " + alltoall["algorithm"].text());
    if (alltoall.has("reason")) text->line(alltoall["reason"].text());
    add_measured_and_predicted(alltoall, text);
  }
}

void add_ratio_table(const json::Value& diff, Text* text) {
  text->heading("Slower or faster, by size");
  Table ratios({"rail", "method", ">size", ">now / before", "95 % interval"});
  for (const json::Reader& each : json::Reader(diff, "the page")["ratios"].items()) {
    for (const json::Reader& point : each["points"].items()) {
      ratios.add({each["rail"].text(), each["method"].text(), bytes(point[0]),
                  fmt::format("{:.3f}", point[1].number()),
                  fmt::format("{:.3f} .. {:.3f}", point[2].number(), point[3].number())});
    }
  }
  text->table(std::move(ratios));
}

}  // namespace nmt::tools
