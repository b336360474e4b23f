// SPDX-License-Identifier: BSD-3-Clause
//
// One end of the shm rail: two rings of shared memory, and the memory of the other process.
//
// copy and iovec go through the ring, so they are copied twice; copy joins the message first, iovec
// lets the ring gather it. A rendezvous sends the addresses of its bodies through the ring. The
// receiver reads them directly into the posted buffer (process_vm_readv) and reports that by a
// counter. Polling an idle rail only reads memory. The socket that shows a dead peer is checked
// once in many such polls.
#pragma once

#include <string>
#include <vector>

#include "drivers/message.h"
#include "drivers/shm/ring.h"
#include "node/node.h"

namespace nmt::drivers {

// The contents of a rail's shared segment: one ring per direction.
struct ShmRings {
  Ring from_near;
  Ring from_far;
};

// One body of a rendezvous, in the memory of the sending process.
struct ShmPiece {
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
};

class ShmEndpoint final : public Endpoint {
 public:
  ShmEndpoint(std::string rail, Side side, node::SharedSegment segment, node::LocalSocket socket,
              pid_t peer);

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
  node::SharedSegment segment_;
  node::LocalSocket socket_;  // shows that the peer died
  pid_t peer_;
  Ring& out_ring_;
  Ring& in_ring_;
  RingWriter writer_;
  RingReader reader_;

  Outbox outbox_;
  std::size_t pushed_ = 0;  // of the outbox: completely in the ring, not counted as sent
  std::uint32_t sends_started_ = 0;
  std::vector<ShmPiece> offered_;      // by the rendezvous that is being started
  std::uint64_t rendezvous_sent_ = 0;  // completed

  Incoming incoming_;
  ConstBytes cell_;               // the rest of the cell that is being read
  bool cell_open_ = false;        // a cell is being read, even if its rest is empty
  std::vector<ShmPiece> pieces_;  // of the incoming rendezvous
  std::uint32_t receives_begun_ = 0;
  std::uint64_t rendezvous_received_ = 0;
  unsigned idle_polls_ = 0;
};

}  // namespace nmt::drivers
