// SPDX-License-Identifier: BSD-3-Clause
//
// Two hosts with rails of given rates for one part of the group: made by scripts/lab, gone with the
// object. Commands run in them as a user would run them, and tell what they found as JSON.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/json.h"

namespace nmt::bench {

// One strategy at one size, as nmad-bench tells it.
struct Measured {
  double latency_ns = 0;
  double bandwidth = 0;  // bytes per second
  double messages_per_second = 0;
  double processor_ns_per_megabyte = 0;
  double chunks_apart = 0;   // ends of a message's chunks, of its duration
  double release_error = 0;  // of the predicted ends of transfers, of their durations
};
using BySize = std::map<std::uint64_t, Measured>;
using ByStrategy = std::map<std::string, BySize>;

class TwoHosts {
 public:
  explicit TwoHosts(const std::vector<unsigned>& rates_mbits_per_s);
  ~TwoHosts();
  TwoHosts(const TwoHosts&) = delete;

  unsigned rails() const { return static_cast<unsigned>(rates_.size()); }
  std::string name() const;  // "1000+600 Mbit/s"

  // What a command said, run in host "one". Ends the group where it fails.
  std::string run(const std::string& command) const;

  // nmad-sample between the two, into the profiles that the other calls decide by.
  void sample(const std::string& budget) const;

  // nmad-bench between the two over the first `rails` rails; 0: all.
  ByStrategy measure(const std::string& strategies, const std::string& sizes,
                     const std::string& more = "", unsigned rails = 0) const;

  // nmad-bench between two processes of host "one" on these cores ("0,1"), through shared memory.
  BySize measure_shared_memory(const std::string& cores, const std::string& sizes,
                               const std::string& more = "") const;

  // By the profile: a message over all rails, idle at first; nanoseconds.
  double optimum_ns(std::uint64_t size_bytes) const;

  // From now on rail "rN" has this rate, both ways.
  void rate(const std::string& rail, unsigned mbits_per_s) const;

  // Moves the calling thread into the network of a host, for good.
  void enter(const std::string& host) const;

  // The file that commands in a host use as their profile.
  std::string profile_file(const std::string& host) const;

  const std::string& lab() const { return lab_; }

 private:
  std::string lab_name_;
  std::string lab_;  // the command that makes it, and runs in it
  std::vector<unsigned> rates_;
};

// "single:r0,single:r1" of so many rails.
std::string singles(unsigned rails);

}  // namespace nmt::bench
