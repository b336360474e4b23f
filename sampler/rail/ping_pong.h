// SPDX-License-Identifier: BSD-3-Clause
//
// The ping-pong behind every point-to-point sample. Both ends of one rail follow the same steps, so
// that only measured messages cross the rail inside a block.
//
// A sample is half a symmetric round trip: the far side answers each exchange with the same
// traffic. The initiator times, the Responder answers. The Responder advances one poll at a time,
// so that both can share a thread in virtual time (docs/method.md). Experiments beside other rails
// keep those busy in the direction of each transfer (sampler/rail/busy_rails.h).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "sampler/rail/benchmark.h"
#include "sampler/rail/buffers.h"
#include "sampler/rail/busy_rails.h"

namespace nmt::sampler {

// This end of the measured rail, and of the busy rails.
struct OpenRails {
  std::unique_ptr<drivers::Endpoint> measured;
  BusyRails busy;

  // On all of them, as Endpoint::watch().
  bool watch(std::vector<pollfd>& watched) {
    return measured->watch(watched) && busy.watch(watched);
  }
};

// One side's part of one experiment over an endpoint: the messages that it sends and expects in one
// exchange. Both sides use it; headers are constant bytes.
class PingPongProtocol {
 public:
  PingPongProtocol(drivers::Endpoint& endpoint, Buffers buffers);

  void start(const Experiment& experiment);  // moves the buffers on, posts the first receive
  void send();                               // all messages of this direction, back to back
  bool poll();                               // true if something completed
  bool received() const { return received_ == traffic_->messages; }
  bool sent() const { return sent_ == traffic_->messages; }
  void copy();  // for a local experiment

 private:
  void post_receive();

  drivers::Endpoint& endpoint_;
  Buffers buffers_;
  Experiment experiment_;
  const Traffic* traffic_ = nullptr;
  unsigned received_ = 0;
  unsigned sent_ = 0;
  std::byte header_[kHeaderBytes];
  std::byte headers_in_[kHeaderBytes * kPacketsPerDirectionMax];
};

class Responder {
 public:
  Responder(OpenRails& rails, Buffers buffers)
      : busy_(rails.busy), protocol_(*rails.measured, std::move(buffers)) {}

  void begin(std::vector<Step> steps);
  bool done() const { return step_ == steps_.size() && busy_.settled(); }
  bool advance();  // one poll; true if something completed on the measured rail

 private:
  bool contended() const { return steps_[step_].experiment.contended; }
  void next_exchange();

  BusyRails& busy_;
  PingPongProtocol protocol_;
  std::vector<Step> steps_;
  std::size_t step_ = 0;
  std::uint64_t exchanges_left_ = 0;
  bool answered_ = false;
};

// The other end, in this process or in another.
class Partner {
 public:
  virtual ~Partner() = default;
  virtual OpenRails& rails() = 0;  // of this end
  virtual void begin(std::span<const Step> block) = 0;
  // Called when nothing completed at this end of the measured rail, for this many polls in a row
  // (from 1). Lets the other end work, or checks it. Error(kPeer) if it is gone or past its
  // deadline.
  virtual void idle(std::uint64_t polls_in_vain) = 0;
  virtual node::Interference
  finish() = 0;  // waits until the other end is done; returns its interference
  virtual const Clock& clock() const = 0;
};

class PingPong final : public Benchmark {
 public:
  // `line_up`: called before the timed repetitions of each step that is more than a probe.
  PingPong(
      Partner& partner, Buffers buffers, const node::InterferenceMeter* meter,
      std::function<void()> line_up = [] {});
  BlockResult run(std::span<const Step> block) override;
  const Clock& clock() const override { return partner_.clock(); }

 private:
  void exchange(const Experiment& experiment);
  template <class Done>
  void poll_until(Done done);

  Partner& partner_;
  BusyRails& busy_;
  PingPongProtocol protocol_;
  const node::InterferenceMeter* meter_;  // null in virtual time
  std::function<void()> line_up_;
};

}  // namespace nmt::sampler
