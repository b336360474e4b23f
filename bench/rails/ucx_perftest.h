// SPDX-License-Identifier: BSD-3-Clause
//
// ucx_perftest between two hosts of the lab, or between two processes of one host: runs tests of it
// and keeps their results. UCX can poll while it waits, or sleep, and it takes settings from its
// environment. Several such ways to run it are tried, and at each size the best one counts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nmt::bench {

// What runs the server and the client of ucx_perftest.
struct UcxEnds {
  std::string server;   // in front of the server's command
  std::string client;   // in front of the client's command
  std::string address;  // of the server, as the client reaches it
  std::string both;     // runs both of them in one shell; empty: each runs on its own
};

struct UcxTest {
  std::string name;  // "tag_lat", "tag_bw"
  std::uint64_t size_bytes = 0;
  unsigned iterations = 0;
  unsigned outstanding = 1;  // sends under way; of tag_bw
};

// All ways to wait, for each of some settings ("UCX_TLS=tcp UCX_NET_DEVICES=r0").
class UcxPerftest {
 public:
  static bool is_installed();

  UcxPerftest(const UcxEnds& ends, const std::vector<std::string>& settings);

  // Runs a test in each way: once, or twice where the first run gives no result. A way that gives
  // none then is reported and not run again; what it gave before still counts.
  void run(const UcxTest& test);

  // Of the best way: the median of its runs at this size, in nanoseconds. Of tag_lat half a round
  // trip, of tag_bw the time per message. nullopt: no way gave a result.
  std::optional<double> best_ns(std::uint64_t size_bytes) const;

 private:
  struct Way {
    std::string settings;
    std::string wait;   // "poll", "sleep"
    bool works = true;  // else it is not run again

    std::map<std::uint64_t, std::vector<double>> times_ns;  // by size
  };

  UcxEnds ends_;
  std::vector<Way> ways_;
};

}  // namespace nmt::bench
