// SPDX-License-Identifier: BSD-3-Clause
//
// Described rails whose submission occupies a core, as programmed I/O does: the core that sends a
// message is busy for a start-up and for each byte, and then the message is with the peer.
//
// What "busy" means is the caller's: a test adds the time up, a benchmark really computes for so
// long. Messages without a body, which only confirm others, take no time. Beneath is a real rail
// that several threads may use (shm), because helpers send from other cores.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/plan.h"
#include "engine/engine.h"

namespace nmt::engine {

struct ProgrammedIoRail {
  std::string name;
  double startup_ns = 0;
  double ns_per_byte = 0;

  double submission_ns(std::size_t size_bytes) const {
    return startup_ns + ns_per_byte * static_cast<double>(size_bytes);
  }
};

// Myri-10G and Quadrics by their published latencies (paper "multi-rail strategies", 3.1) and
// bandwidths (paper "multirail on multicore", IV-A); all durations so many times as long.
std::vector<ProgrammedIoRail> published_rails(double times_as_slow = 1);

// A profile that knows these rails as they are. Every message that an engine may send without a
// request goes eagerly.
Plan plan_of(const std::vector<ProgrammedIoRail>& rails, std::vector<OffloadCost> handing_over);

// Keeps the core of the calling thread busy for so long.
using Occupy = std::function<void(double duration_ns)>;

// Two engines of this thread, and such rails from the near one to the far one. The far one only
// receives and confirms.
class ProgrammedIoCouple {
 public:
  // Options of the near engine, with a clock. This thread and the helpers call `occupy`.
  ProgrammedIoCouple(const std::vector<ProgrammedIoRail>& rails, const EngineOptions& options,
                     const Occupy& occupy);

  // Sends one message, in these segments of memory, and returns how long it took until all of it
  // had come, by the clock of the options.
  double transfer_ns(const std::vector<std::size_t>& segments_bytes);

  // Bodies sent over a rail so far.
  std::size_t bytes_sent(std::size_t rail) const { return near_->links(0)[rail].bytes_sent; }

 private:
  const Clock& clock_;
  std::unique_ptr<Engine> near_, far_;
  std::vector<std::byte> message_, room_;
};

}  // namespace nmt::engine
