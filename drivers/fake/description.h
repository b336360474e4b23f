// SPDX-License-Identifier: BSD-3-Clause
//
// Rails described by a file, without hardware, in virtual time. Most tests run on them, and a user
// can plan with them for machines that are not available.
//
// Nothing waits: when every open endpoint has been polled without news, time moves to the next
// event. So a campaign of minutes takes moments, and the same seeds give the same result. The file
// gives durations as piecewise linear points, and the noise of measurements:
//
//   {"seed":1,"rails":[{"name":"myri",
//     "methods":{"copy":[[bytes,ns],...],"iovec":[...],"rendezvous":[...],"memcpy":[...],
//                "eager":[...],"two_packets":[...],"aggregate":[...]},
//     "noise":{"cv":0.02,"outlier_rate":0.01,"outlier_factor":20,"session_drift":0.08},
//     "bus":{"name":"pci","slowdown":1.3},
//     "change":{"from_ns":1e9,"to_ns":2e9,"factor":2}}]}
//
// At least one of copy, iovec and rendezvous is required; the rest may be absent. eager defaults to
// the better of copy and iovec plus memcpy; two_packets to twice the better of both; aggregate to
// one packet of twice the size. In two_packets and aggregate the size is that of one packet. A
// message takes `slowdown` times as long if another rail on the same bus carries a message when it
// starts, and `factor` times as long if it starts at `from_ns` or later, and before `to_ns` if that
// is given.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/curve.h"
#include "core/json.h"
#include "core/method.h"

namespace nmt::drivers {

struct FakeNoise {
  double cv = 0;              // of the log-normal factor of each repetition
  double outlier_rate = 0;    // share of repetitions that are also multiplied
  double outlier_factor = 1;  // by this factor
  double session_drift = 0;   // the common factor of one launch is uniform in 1 -+ this
};

struct FakeRail {
  static constexpr double kNoEnd = 1e18;

  std::string name;
  std::optional<Curve> copy, iovec, rendezvous, memcpy, eager, two_packets, aggregate;
  FakeNoise noise;
  std::string bus;  // empty: its own bus
  double slowdown = 1;
  double change_from_ns = 0;
  double change_to_ns = kNoEnd;
  double change_factor = 1;

  // True durations without noise, in nanoseconds; sizes as in Condition.
  double transfer_ns(Method method, double size_bytes) const;
  double unexpected_copy_ns(double size_bytes) const;  // the extra time of eager at the receiver
  double second_packet_ns(Method method, double size_bytes) const;  // after the first of two
  double aggregate_ns(Method method, double packets, double total_bytes) const;
  bool offers(Method method) const;
};

struct FakeDescription {
  std::uint64_t seed = 0;
  std::vector<FakeRail> rails;
};

// Error(kFailed) names the place of the error.
FakeDescription fake_description_from_json(const json::Reader& reader);

}  // namespace nmt::drivers
