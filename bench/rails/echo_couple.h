// SPDX-License-Identifier: BSD-3-Clause
//
// Two engines of this process, over all rails between two hosts of the lab, each in a thread of its
// own: the far one sends back what it receives. So each message is timed, where nmad-bench times
// repetitions.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/rails/two_hosts.h"
#include "core/clock.h"
#include "engine/engine.h"
#include "tests/drivers/pair.h"

namespace nmt::bench {

class EchoCouple {
 public:
  // Both engines decide by `profile`, which must outlive the object.
  EchoCouple(const TwoHosts& hosts, const std::string& strategy, const nmt_profile* profile,
             std::size_t size_bytes_max);
  ~EchoCouple();
  EchoCouple(const EchoCouple&) = delete;

  // Half of the time of one message there and back.
  double half_round_trip_ns(std::size_t size_bytes);

 private:
  std::vector<engine::LinkDescription> open_links(const TwoHosts& hosts, drivers::Side side);
  void echo(engine::Engine& far);

  RealClock clock_;
  std::vector<drivers::ExchangePair> exchanges_;  // one for each rail
  std::vector<std::byte> out_, in_, echoed_;
  std::unique_ptr<engine::Engine> near_;
  std::atomic<bool> far_ended_ = false;
  std::thread far_;
};

}  // namespace nmt::bench
