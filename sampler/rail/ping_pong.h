// SPDX-License-Identifier: BSD-3-Clause
//
// The ping-pong that every point-to-point sample comes from: both ends of one rail follow the same
// steps, so that nothing but the measured messages crosses the rail inside a block.
//
// A sample is half a symmetric round trip: the far side answers each exchange with the same
// traffic. Initiator times, Responder answers; the Responder advances one poll at a time, so that
// both can share a thread in virtual time (docs/method.md). Experiments beside other
// rails keep those busy in the direction of each transfer (sampler/rail/busy_rails.h).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sampler/rail/benchmark.h"
#include "sampler/rail/buffers.h"
#include "sampler/rail/busy_rails.h"

namespace nmt {

// This end of the measured rail, and of those beside it.
struct OpenRails {
  std::unique_ptr<Endpoint> measured;
  BusyRails busy;

  // Of all of them, as Endpoint::watch().
  bool watch(std::vector<pollfd>& watched) {
    return measured->watch(watched) && busy.watch(watched);
  }
};

// One side's share of one experiment over an endpoint: the messages it sends and awaits in one
// exchange. Both sides use it; headers are constant bytes.
class PingPongProtocol {
 public:
  PingPongProtocol(Endpoint& endpoint, Buffers buffers);

  void start(const Experiment& experiment);  // the buffers' next place, first receive posted
  void send();                               // all messages of this direction, back to back
  bool poll();                               // true where something completed
  bool received() const { return received_ == traffic_->messages; }
  bool sent() const { return sent_ == traffic_->messages; }
  void copy();  // of a local experiment

 private:
  void post_receive();

  Endpoint& endpoint_;
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
  bool advance();  // one poll; true where something completed on the measured rail

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

// The other end, wherever it runs.
class Partner {
 public:
  virtual ~Partner() = default;
  virtual OpenRails& rails() = 0;  // this end's
  virtual void begin(std::span<const Step> block) = 0;
  // Nothing completed at this end of the measured rail, for so many polls in a row (from 1): lets
  // the other end work, or checks on it. Error(kPeer) where it is gone or past its deadline.
  virtual void idle(std::uint64_t polls_in_vain) = 0;
  virtual Interference finish() = 0;  // waits for the other end to be through; what disturbed it
  virtual const Clock& clock() const = 0;
};

class PingPong final : public Benchmark {
 public:
  PingPong(Partner& partner, Buffers buffers, const InterferenceMeter* meter);
  BlockResult run(std::span<const Step> block) override;
  const Clock& clock() const override { return partner_.clock(); }

 private:
  void exchange(const Experiment& experiment);
  template <class Done>
  void poll_until(Done done);

  Partner& partner_;
  BusyRails& busy_;
  PingPongProtocol protocol_;
  const InterferenceMeter* meter_;  // null in virtual time
};

}  // namespace nmt
