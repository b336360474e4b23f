// SPDX-License-Identifier: BSD-3-Clause
//
// Two engines over described rails, in virtual time, with a profile that describes them as they
// are.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "tests/runtime/planted.h"

namespace nmt::engine {

struct DescribedRail {
  std::string name;
  std::vector<Point> copy;        // up to the rendezvous threshold
  std::vector<Point> rendezvous;  // from there on
  std::uint64_t threshold_bytes = 32768;
  std::uint64_t aggregate_below_bytes = 0;
  // Messages that start between these times take `change_factor` times as long.
  double change_from_ns = 0;
  double change_to_ns = 1e18;
  double change_factor = 1;
};

class VirtualCouple {
 public:
  VirtualCouple(const std::vector<DescribedRail>& rails, const std::string& strategy,
                bool with_profile = true)
      : VirtualCouple(rails, strategy, with_profile ? &rails : nullptr) {}
  // The profile says that the rails are like `believed`; null: there is none.
  VirtualCouple(const std::vector<DescribedRail>& rails, const std::string& strategy,
                const std::vector<DescribedRail>* believed);

  Engine& near() { return *near_; }
  Engine& far() { return *far_; }
  double now_ns() const { return static_cast<double>(driver_->virtual_clock()->now_ns()); }

  // Sends these at once, with receives posted, and returns how long it took until all had come.
  // Each message lies in so many equal parts of the sender's memory.
  double transfer_ns(const std::vector<std::size_t>& sizes_bytes, std::size_t segments = 1);
  // Of the last transfer: when each message had come, from its start.
  const std::vector<double>& arrivals_ns() const { return arrivals_ns_; }

 private:
  std::unique_ptr<planted::Profile> profile_;  // or none
  std::unique_ptr<drivers::Driver> driver_;
  std::unique_ptr<Engine> near_, far_;
  std::vector<double> arrivals_ns_;
  std::uint64_t tag_ = 0;
};

// The rails of paper "multirail on multicore", IV-A, with the latencies of paper "multi-rail
// strategies", 3.1.
std::vector<DescribedRail> paper_rails();

// A rail that is a straight line, with a start-up for small packets and one for large ones.
DescribedRail straight_rail(const std::string& name, double latency_ns, double bytes_per_ns,
                            double rendezvous_ns);

}  // namespace nmt::engine
