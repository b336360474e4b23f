// SPDX-License-Identifier: BSD-3-Clause
#include "contention/benchmark_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "core/error.h"
#include "core/json.h"

namespace nmt::contention {
namespace {

constexpr std::string_view kOsu = "# OSU MPI ";
constexpr std::string_view kIntel = "Intel(R) MPI Benchmarks";
constexpr std::string_view kCsvHeader = "n,m_bytes,time_ns";
constexpr std::string_view kMessageHeader = "m_bytes,time_ns";
constexpr std::string_view kFlowHeader = "round,from,to,time_ns";
constexpr std::string_view kHosts = "# hosts:";
constexpr double kNsPerUs = 1e3;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  return text;
}

std::vector<std::string_view> words(std::string_view line, std::string_view separators) {
  std::vector<std::string_view> found;
  const bool blanks = separators.find(' ') != std::string_view::npos;  // several count as one
  while (!line.empty()) {
    const std::size_t end = std::min(line.find_first_of(separators), line.size());
    const std::string_view word = trimmed(line.substr(0, end));
    if (!blanks || !word.empty()) found.push_back(word);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return found;
}

template <class Number>
std::optional<Number> number(std::string_view word) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// One pass over the lines of a text; the meaning of a line depends on the lines above it.
class Import {
 public:
  Import(std::string_view what, std::optional<std::int64_t> ranks) : what_(what), given_(ranks) {}

  void read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      read_line(trimmed(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  Imported result() {
    if (result_.tool.empty()) {
      throw Error(Fault::kUsage, fmt::format("{}: not CSV with the header {}[,rep], and not the "
                                             "output of osu_alltoall, osu_latency "
                                             "or IMB-MPI1",
                                             what_, kCsvHeader));
    }
    return std::move(result_);
  }

 private:
  enum class Table { kNone, kAlltoall, kMessages, kFlows, kOther };

  void read_line(std::string_view line) {
    if (line.empty()) return;
    if (line.starts_with(kHosts)) {
      result_.hosts = std::string(trimmed(line.substr(kHosts.size())));
    } else if (line.find(kIntel) != std::string_view::npos) {
      result_.tool = kIntel;
    } else if (line.starts_with(kOsu)) {
      result_.tool = "OSU micro-benchmarks";
      begin_osu(line);
    } else if (line.starts_with(kCsvHeader) || line.starts_with(kMessageHeader) ||
               line.starts_with(kFlowHeader)) {
      result_.tool = "CSV";
      csv_ = true;
      table_ = line.starts_with(kCsvHeader)    ? Table::kAlltoall
               : line.starts_with(kFlowHeader) ? Table::kFlows
                                               : Table::kMessages;
    } else if (result_.tool == kIntel && (line.front() == '#' || !number<double>(first(line)))) {
      read_intel_comment(line);
    } else if (line.front() == '#') {
      if (line.starts_with("# Size")) begin_columns(line);
    } else if (result_.tool.empty()) {
      return;  // output of mpirun before the tool starts
    } else if (csv_) {
      read_csv(line);
    } else if (table_ == Table::kAlltoall || table_ == Table::kMessages) {
      read_row(line);
    } else if (table_ == Table::kNone && number<double>(first(line))) {
      unread(line, "numbers before any heading");
    }
  }

  static std::string_view first(std::string_view line) {
    return line.substr(0, line.find_first_of(" \t,"));
  }

  void unread(std::string_view line, std::string_view problem) {
    result_.unread.push_back({line_, fmt::format("'{}': {}", json::printable(line, 60), problem)});
  }

  void begin_osu(std::string_view line) {
    table_ = Table::kOther;
    if (line.find("All-to-All") != std::string_view::npos) {
      table_ = Table::kAlltoall;
      ranks_ = given_.value_or(0);
      if (ranks_ == 0) {
        throw Error(
            Fault::kUsage,
            fmt::format("{}: osu_alltoall does not print the number of ranks; give it with -n",
                        what_));
      }
    } else if (line.find("Latency") != std::string_view::npos) {
      table_ = Table::kMessages;
    }
  }

  void read_intel_comment(std::string_view line) {
    const auto after = [&](std::string_view name) -> std::string_view {
      const std::size_t at = line.find(name);
      return at == line.npos ? std::string_view() : trimmed(line.substr(at + name.size()));
    };
    if (const std::string_view name = after("# Benchmarking "); !name.empty()) {
      table_ = name == "Alltoall"   ? Table::kAlltoall
               : name == "PingPong" ? Table::kMessages
                                    : Table::kOther;
      ranks_ = 0;
    } else if (const std::string_view count = after("#processes = "); !count.empty()) {
      ranks_ = number<std::int64_t>(first(count)).value_or(0);
    } else if (line.starts_with("#bytes")) {
      begin_columns(line);
    }
  }

  // The heading above the rows gives the unit, and the column with the slowest rank's time.
  void begin_columns(std::string_view line) {
    // OSU's headings contain blanks: "Avg Latency(us)".
    std::string heading(line);
    for (const std::string_view name : {"Avg ", "Min ", "Max ", "# "}) {
      for (std::size_t at = heading.find(name); at != heading.npos; at = heading.find(name)) {
        heading.erase(at + name.size() - 1, 1);
      }
    }
    if (const std::size_t at = heading.find("Latency ("); at != heading.npos) {
      heading.erase(at + std::string_view("Latency").size(), 1);
    }
    const auto columns = words(heading, " \t");
    time_column_ = 0;
    repetitions_column_ = 0;
    for (std::size_t i = 1; i < columns.size(); ++i) {
      const bool microseconds = columns[i].ends_with("(us)") || columns[i].ends_with("[usec]");
      const bool slowest = columns[i].starts_with("Max") || columns[i].starts_with("t_max");
      if (microseconds && (time_column_ == 0 || slowest)) time_column_ = i;
      if (columns[i] == "#repetitions" || columns[i] == "Iterations") repetitions_column_ = i;
    }
    if (time_column_ == 0 && (table_ == Table::kAlltoall || table_ == Table::kMessages)) {
      unread(line, "the heading has no time in microseconds; the rows below it are left out");
      table_ = Table::kOther;
    }
  }

  void read_row(std::string_view line) {
    const auto cells = words(line, " \t");
    if (time_column_ == 0) return unread(line, "numbers before a heading of columns");
    if (cells.size() <= std::max(time_column_, repetitions_column_)) {
      return unread(line, "cells are missing");
    }
    const auto time_us = number<double>(cells[time_column_]);
    const auto repetitions = repetitions_column_ == 0
                                 ? std::optional<std::uint32_t>(1)
                                 : number<std::uint32_t>(cells[repetitions_column_]);
    if (!repetitions) return unread(line, "no number of repetitions");
    add(line, ranks_, cells[0], time_us ? std::optional(*time_us * kNsPerUs) : std::nullopt,
        *repetitions);
  }

  // The index of a node, by its name.
  std::size_t node(std::string_view name) {
    const auto known = nodes_.find(name);
    if (known != nodes_.end()) return known->second;
    result_.flow_hosts.emplace_back(name);
    return nodes_.emplace(name, nodes_.size()).first->second;
  }

  void read_flow(std::string_view line, const std::vector<std::string_view>& cells) {
    if (cells.size() != 4) {
      return unread(line, "the row and the header have different numbers of cells");
    }
    const auto round = number<std::uint32_t>(cells[0]);
    const auto duration_ns = number<double>(cells[3]);
    if (!round) return unread(line, "the round is not a number");
    if (!duration_ns || !std::isfinite(*duration_ns) || *duration_ns <= 0) {
      return unread(line, "a time is a positive number, without a unit");
    }
    if (cells[1].empty() || cells[2].empty() || cells[1] == cells[2]) {
      return unread(line, "a message goes from one node to another");
    }
    const std::size_t from = node(cells[1]);
    result_.flows.push_back({*round, from, node(cells[2]), *duration_ns});
  }

  void read_csv(std::string_view line) {
    const auto cells = words(line, ",");
    if (table_ == Table::kFlows) return read_flow(line, cells);
    const std::size_t offset = table_ == Table::kAlltoall ? 1 : 0;
    if (cells.size() < offset + 2 || cells.size() > offset + 3) {
      return unread(line, "the row and the header have different numbers of cells");
    }
    std::int64_t ranks = 0;
    if (offset == 1) {
      const auto read = number<std::int64_t>(cells[0]);
      if (!read) return unread(line, fmt::format("'{}' is not a number of ranks", cells[0]));
      ranks = *read;
    }
    add(line, ranks, cells[offset], number<double>(cells[offset + 1]), 1);
  }

  void add(std::string_view line, std::int64_t ranks, std::string_view size,
           std::optional<double> duration_ns, std::uint32_t operations) {
    const auto size_bytes = number<std::uint64_t>(size);
    const bool alltoall = table_ == Table::kAlltoall;
    if (!size_bytes) return unread(line, "the size is not a whole number of bytes");
    if (!duration_ns) return unread(line, "the time is not a plain number, without a unit");
    if (!std::isfinite(*duration_ns) || *duration_ns <= 0) {
      return unread(line, "a time is positive");
    }
    if (operations == 0) return unread(line, "no repetitions");
    if (alltoall && ranks < 2) return unread(line, "an alltoall has at least 2 ranks");
    if (alltoall && *size_bytes == 0) {
      if (csv_) unread(line, "m = 0: an empty exchange moves nothing");
      return;  // the Intel benchmarks always print it
    }
    result_.times.push_back({alltoall ? ranks : 0, *size_bytes, *duration_ns, operations});
  }

  std::string_view what_;
  std::optional<std::int64_t> given_;
  Imported result_;
  Table table_ = Table::kNone;
  bool csv_ = false;
  std::map<std::string, std::size_t, std::less<>> nodes_;
  std::size_t line_ = 0;
  std::int64_t ranks_ = 0;
  std::size_t time_column_ = 0;
  std::size_t repetitions_column_ = 0;
};

}  // namespace

Imported import_times(std::string_view text, std::string_view what,
                      std::optional<std::int64_t> ranks) {
  Import import(what, ranks);
  import.read(text);
  return import.result();
}

bool needs_ranks(std::string_view text) {
  const std::size_t at = text.find(kOsu);
  if (at == std::string_view::npos) return false;
  const std::string_view line = text.substr(at, text.find('\n', at) - at);
  return line.find("All-to-All") != std::string_view::npos;
}

}  // namespace nmt::contention
