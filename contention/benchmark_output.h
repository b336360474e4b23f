// SPDX-License-Identifier: BSD-3-Clause
//
// Reads alltoalls and ping-pongs as other tools print them.
//
// It reads the text of the OSU micro-benchmarks (osu_alltoall, osu_latency), that of Intel's
// IMB-MPI1 (Alltoall, PingPong), and CSV with the header n,m_bytes,time_ns[,rep] or, for messages
// alone, m_bytes,time_ns, or for messages between nodes that were under way together
// round,from,to,time_ns (contention/groups.h). If a tool prints several times of an alltoall, the
// slowest rank's is used: it is nearest to the last end minus the first start. A line "# hosts:
// node[01-16]" names the nodes of the ranks, in order. A line with unreadable numbers is reported,
// never guessed. A file without any known line throws Error(kUsage).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/flow_time.h"

namespace nmt::contention {

struct ImportedTime {
  std::int64_t ranks = 0;  // 0: a message alone, half a round trip
  std::uint64_t size_bytes = 0;
  double duration_ns = 0;        // of one operation
  std::uint32_t operations = 1;  // it is the mean of this many
  bool operator==(const ImportedTime&) const = default;
};

struct UnreadLine {
  std::size_t line = 0;
  std::string problem;  // quotes the wrong text
  bool operator==(const UnreadLine&) const = default;
};

struct Imported {
  std::string tool;  // "OSU micro-benchmarks", "Intel MPI Benchmarks", "CSV"
  std::vector<ImportedTime> times;
  std::vector<FlowTime> flows;
  std::vector<std::string> flow_hosts;  // the nodes of the flows, by index
  std::string hosts;                    // as expand_hosts() reads them; empty: not named
  std::vector<UnreadLine> unread;
};

// `what` names the text in messages; `ranks` is used for alltoalls in a text without it.
Imported import_times(std::string_view text, std::string_view what,
                      std::optional<std::int64_t> ranks);

// Whether the text has alltoalls without a number of ranks.
bool needs_ranks(std::string_view text);

}  // namespace nmt::contention
