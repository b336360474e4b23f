// SPDX-License-Identifier: BSD-3-Clause
//
// Other people's alltoalls and ping-pongs, as their tools print them.
//
// Known are the text of the OSU micro-benchmarks (osu_alltoall, osu_latency), that of Intel's
// IMB-MPI1 (Alltoall, PingPong), and CSV with the header n,m_bytes,time_ns[,rep] or, for messages
// alone, m_bytes,time_ns. Where a tool prints several times of an alltoall, the slowest rank's is
// taken: it is nearest to the last end minus the first start. A line with numbers that cannot be
// read is named, never guessed; a file in which nothing is known throws Error(kUsage).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

struct ImportedTime {
  std::int64_t ranks = 0;  // 0: a message alone, half a round trip
  std::uint64_t size_bytes = 0;
  double duration_ns = 0;        // of each
  std::uint32_t operations = 1;  // that it is the mean of
  bool operator==(const ImportedTime&) const = default;
};

struct UnreadLine {
  std::size_t line = 0;
  std::string problem;  // with what is wrong quoted
  bool operator==(const UnreadLine&) const = default;
};

struct Imported {
  std::string tool;  // "OSU micro-benchmarks", "Intel MPI Benchmarks", "CSV"
  std::vector<ImportedTime> times;
  std::vector<UnreadLine> unread;
};

// `what` names the text; `ranks` are those of alltoalls in a text that does not say them.
Imported import_times(std::string_view text, std::string_view what,
                      std::optional<std::int64_t> ranks);

// Whether the text holds alltoalls and does not say of how many ranks.
bool needs_ranks(std::string_view text);

}  // namespace nmt
