// SPDX-License-Identifier: BSD-3-Clause
//
// One end of the shm rail: two rings of shared memory, and the other process's memory.
//
// copy and iovec go through the ring and are copied twice; copy flattens the message first, iovec
// lets the ring gather it. A rendezvous sends the addresses of its bodies through the ring, the
// receiver reads them straight into the posted buffer (process_vm_readv) and says so by a counter.
// Polling an idle rail reads memory only; the socket that would show a dead peer is looked at once
// in many such polls.
#pragma once

#include <string>
#include <vector>

#include "drivers/message.h"
#include "drivers/shm/ring.h"
#include "node/node.h"

namespace nmt {

// What the segment of a rail holds: one ring per direction.
struct ShmRings {
  Ring from_near;
  Ring from_far;
};

// One body of a rendezvous, in the memory of the process that sends it.
struct ShmPiece {
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
};

class ShmEndpoint final : public Endpoint {
 public:
  ShmEndpoint(std::string rail, Side side, SharedSegment segment, LocalSocket socket, pid_t peer);

  void send(Method method, std::span<const Packet> packets) override;
  void receive(Bytes headers, Bytes bodies, Delivery delivery) override;
  void listen(Bytes headers) override;
  void accept(std::span<const Bytes> bodies) override;
  Progress poll() override;
  void copy(Bytes to, ConstBytes from) override;
  std::size_t size_bytes_max(Method method) const override;

 private:
  void push();
  unsigned count_completed();
  bool take_cells();
  ConstBytes begin_message(ConstBytes cell);
  void read_bodies();
  void check_peer();

  std::string rail_;
  SharedSegment segment_;
  LocalSocket socket_;  // shows when the peer dies
  pid_t peer_;
  Ring& out_ring_;
  Ring& in_ring_;
  RingWriter writer_;
  RingReader reader_;

  Outbox outbox_;
  std::size_t pushed_ = 0;  // of the outbox: wholly in the ring, not yet counted as sent
  std::uint32_t sends_started_ = 0;
  std::vector<ShmPiece> offered_;      // of the rendezvous being started
  std::uint64_t rendezvous_sent_ = 0;  // completed

  Incoming incoming_;
  ConstBytes cell_;               // what is left of the cell being read
  bool cell_open_ = false;        // there is one, even if nothing is left of it
  std::vector<ShmPiece> pieces_;  // of the rendezvous that comes in
  std::uint32_t receives_begun_ = 0;
  std::uint64_t rendezvous_received_ = 0;
  unsigned idle_polls_ = 0;
};

}  // namespace nmt
