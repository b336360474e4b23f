// SPDX-License-Identifier: BSD-3-Clause
#include "tools/bench/bench_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/statistics.h"
#include "core/units.h"

namespace nmt::tools {
namespace {

constexpr double kMegabyte = 1e6;

std::vector<std::string> headings(bool rate, bool many) {
  std::vector<std::string> all = {">size", "strategy", ">duration", ">95 % interval",
                                  rate ? ">messages/s" : ">bandwidth"};
  if (many) all.push_back(">slower than the best");
  return all;
}

json::Value number(const std::optional<double>& value) {
  if (value) return *value;
  return {};
}

// How the messages were sent, per operation.
json::Value decisions_of(const MeasuredContender& contender) {
  const engine::GateState& gate = contender.usage.gate;
  return json::Value::object()
      .set("eager", contender.per_operation(gate.eager_sends))
      .set("asked", contender.per_operation(gate.asked_sends))
      .set("ahead", contender.per_operation(gate.ahead_sends))
      .set("chunks", contender.per_operation(gate.chunks_sent));
}

// Difference between the ends of split messages' chunks, relative to their durations.
json::Value chunks_apart(const engine::GateState& gate) {
  if (gate.split_messages == 0) return {};
  return gate.split_apart_ns / gate.split_duration_ns;
}

// Error of the predicted releases of busy rails, relative to the transfers' durations.
json::Value release_error(const engine::GateState& gate) {
  if (gate.foreseen_releases == 0) return {};
  return gate.foreseen_error_ns / gate.foreseen_duration_ns;
}

}  // namespace

struct BenchReport::Row {
  const BenchCell& cell;
  std::string strategy;
  const MeasuredContender& contender;
  double middle_ns = 0;
  double bandwidth = 0;  // bytes per second
  double messages_per_second = 0;
  std::optional<double> processor_ns_per_megabyte;
};

BenchReport::BenchReport(const BenchRequest& request, const bench::Setup& setup)
    : request_(request),
      setup_(setup),
      alone_(setup.rails.size()),
      table_(headings(request.pattern == "rate", request.strategies.size() > 1)) {
  for (const bench::RailInUse& rail : setup.rails) rails_.push_back(rail.rail.full_name());
  report_.records.header = {"pattern",
                            "strategy",
                            "size_bytes",
                            "segments",
                            "at_once",
                            "latency_ns",
                            "low_ns",
                            "high_ns",
                            "bandwidth_bytes_per_second",
                            "messages_per_second",
                            "processor_ns_per_megabyte"};
}

void BenchReport::add(const Measured& measured) {
  const BenchCell& cell = measured.cell;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < measured.contenders.size(); ++i) {
    const MeasuredContender& contender = measured.contenders[i];
    Row& row = rows.emplace_back(Row{cell, request_.strategies[i], contender});
    const auto bytes = static_cast<double>(cell.operation_bytes());
    row.middle_ns = median(contender.durations_ns);
    row.bandwidth = bytes / row.middle_ns * 1e9;
    row.messages_per_second = cell.operation_messages() / row.middle_ns * 1e9;
    if (bytes > 0) {
      row.processor_ns_per_megabyte =
          contender.usage.processor_ns / (contender.operations * bytes / kMegabyte);
    }
    if (const auto only = setup_.config.contenders[i].only) {
      alone_[*only] = std::max(alone_[*only].value_or(0), row.bandwidth);
    }
  }
  const double best_ns = std::ranges::min_element(rows, {}, &Row::middle_ns)->middle_ns;
  for (const Row& row : rows) add_row(row, best_ns);
}

void BenchReport::add_row(const Row& row, double best_ns) {
  const BenchCell& cell = row.cell;
  const Interval interval = median_interval(row.contender.durations_ns);
  const std::uint64_t size_bytes =
      request_.pattern == "flows" ? cell.operation_bytes() : cell.sizes_bytes.front();
  std::vector<std::string> cells = {
      format_bytes(size_bytes), row.strategy, format_duration(row.middle_ns),
      fmt::format("{} to {}", format_duration(interval.low), format_duration(interval.high)),
      request_.pattern == "rate" ? fmt::format("{:.0f}", row.messages_per_second)
                                 : format_bandwidth(row.bandwidth)};
  if (request_.strategies.size() > 1) {
    cells.push_back(fmt::format("{:+.1f} %", 100 * (row.middle_ns / best_ns - 1)));
  }
  table_.add(std::move(cells));
  const json::Value processor = number(row.processor_ns_per_megabyte);
  report_.records.rows.push_back({request_.pattern, row.strategy, size_bytes, cell.segments,
                                  cell.at_once, row.middle_ns, interval.low, interval.high,
                                  row.bandwidth, row.messages_per_second, processor});
  cells_.push_back(json::Value::object()
                       .set("strategy", row.strategy)
                       .set("size_bytes", size_bytes)
                       .set("latency_ns", row.middle_ns)
                       .set("low_ns", interval.low)
                       .set("high_ns", interval.high)
                       .set("bandwidth_bytes_per_second", row.bandwidth)
                       .set("messages_per_second", row.messages_per_second)
                       .set("processor_ns_per_megabyte", processor)
                       .set("decisions", decisions_of(row.contender))
                       .set("chunks_apart", chunks_apart(row.contender.usage.gate))
                       .set("release_error", release_error(row.contender.usage.gate))
                       .set("rails", rails_of(row.contender)));
}

// Per operation, so that strategies and sizes can be compared.
json::Value BenchReport::rails_of(const MeasuredContender& contender) const {
  json::Value rails = json::Value::array();
  for (std::size_t i = 0; i < rails_.size(); ++i) {
    const engine::LinkState& link = contender.usage.links[i];
    rails.push_back(json::Value::object()
                        .set("rail", rails_[i])
                        .set("bytes", contender.per_operation(link.bytes_sent))
                        .set("messages", contender.per_operation(link.messages_sent))
                        .set("packets", contender.per_operation(link.packets_sent))
                        .set("packets_again", link.packets_again));
  }
  return rails;
}

Report BenchReport::take() {
  const BenchCell& cell = request_.cells.front();
  json::Value rails = json::Value::array();
  for (std::size_t i = 0; i < rails_.size(); ++i) {
    rails.push_back(json::Value::object()
                        .set("rail", rails_[i])
                        .set("alone_bandwidth_bytes_per_second", number(alone_[i])));
  }
  json::Value sizes = json::Value::array();
  for (const BenchCell& each : request_.cells) {
    for (const std::uint64_t size_bytes : each.sizes_bytes) sizes.push_back(size_bytes);
  }
  report_.text.heading(fmt::format("{} with {}, {} at once, {} segments, over {}", request_.pattern,
                                   setup_.peer, cell.at_once, cell.segments,
                                   fmt::join(rails_, ", ")));
  report_.text.table(std::move(table_));
  report_.summary = {{"cells", std::to_string(report_.records.rows.size())}};
  report_.payload.set("pattern", request_.pattern)
      .set("peer", setup_.peer)
      .set("at_once", cell.at_once)
      .set("segments", cell.segments)
      .set("sizes_bytes", std::move(sizes))
      .set("rails", std::move(rails))
      .set("cells", std::move(cells_));
  return std::move(report_);
}

}  // namespace nmt::tools
