// SPDX-License-Identifier: BSD-3-Clause
//
// One end of a verbs rail: a reliable connection, cells for small data, and the caller's own memory
// for large data.
//
// copy joins a message into cells. iovec lets the device gather frame and headers from a cell, and
// the bodies from their own memory. A rendezvous moves bodies without a copy, in one of two ways.
// With rdma_read the request offers the bodies; the receiver reads them and reports that. With
// rdma_write the sender waits until the receiver grants memory, writes there and reports that. The
// memory of each end is registered only for this access, and stays registered until it is unmapped
// (drivers/verbs/registrations.h). The bodies of all posted receives move at the same time, so the
// device need not wait for this processor between two messages; grants and reports go in the order
// of the messages, so they need not name one. A peer that closes sends a cell for that. A dead peer
// or a cut link shows as work that is never acknowledged; if there is no work, an empty write is
// sent now and then.
#pragma once

#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "drivers/message.h"
#include "drivers/verbs/cells.h"
#include "drivers/verbs/registrations.h"

namespace nmt::drivers {

enum class VerbsRendezvous : unsigned { kRead, kWrite };
inline constexpr std::array<std::string_view, 2> kVerbsRendezvous = {"rdma_read", "rdma_write"};

// A range of memory of the other end: offered for reading, or granted for writing.
struct VerbsTarget {
  std::uint64_t address = 0;
  std::uint32_t key = 0;
  std::uint32_t size_bytes = 0;
};

// Registered ranges of memory in order, and how far they are used.
class VerbsList {
 public:
  void clear();
  bool done() const { return first_ == pieces_.size(); }
  void add(ConstBytes memory, std::shared_ptr<const VerbsRegion> region);
  // The next pieces, at most `room.size()` and at most `size_bytes_max` bytes; advances.
  std::span<const VerbsPiece> take(std::span<VerbsPiece> room, std::size_t size_bytes_max);
  std::vector<VerbsTarget> targets(std::size_t count_max);  // the next ranges; advances
  std::size_t left_bytes() const { return left_bytes_; }

 private:
  std::vector<VerbsPiece> pieces_;
  std::vector<std::shared_ptr<const VerbsRegion>> regions_;  // null if sent inline
  std::size_t first_ = 0;
  std::size_t left_bytes_ = 0;
};

class VerbsEndpoint final : public Endpoint, private VerbsCells::Listener {
 public:
  // Opens `port_name` ("mlx5_0/1"). After connect() it is an end of a rail.
  VerbsEndpoint(std::string rail, const std::string& port_name);
  ~VerbsEndpoint() override;

  const VerbsConnection& connection() const { return connection_; }
  bool keeps_registrations() const { return watch_ != nullptr; }
  const std::string& why_not() const { return why_not_; }
  void connect(const VerbsAddress& far);

  std::uint64_t registrations() const { return sources_.made() + targets_.made(); }

  void send(Method method, std::span<const Packet> packets) override;
  void receive(Bytes headers, Bytes bodies, Delivery delivery) override;
  void listen(Bytes headers) override;
  void accept(std::span<const Bytes> bodies) override;
  std::size_t receives_max() const override { return kReceivesMax; }
  Progress poll() override;
  bool watch(std::vector<pollfd>& watched) override;
  void use(Method method, unsigned variant) override;
  bool prepare(ConstBytes memory) override;
  void copy(Bytes to, ConstBytes from) override;
  std::size_t size_bytes_max(Method method) const override;

 private:
  // What a message being sent needs besides its Outgoing.
  struct Sending {
    VerbsList bodies;                  // of iovec and rendezvous
    std::vector<VerbsTarget> granted;  // of a rendezvous: where the bodies go
    std::size_t first_granted = 0;     // the first that is not used up
    bool taken = false;                // nothing of it stays in the caller's memory
    bool asked = false;                // the request has been sent
    bool offered = false;              // it offers the bodies for reading, and takes no grant
    bool moved = false;                // the bodies are in place
    bool pushed = false;               // completely posted, as far as possible now
    std::uint64_t last = 0;            // number of its last work
  };
  // What the bodies of a rendezvous wait for at the receiver, or what the receiver does next.
  enum class Moving { kNo, kGrant, kWritten, kReads, kAnswer };
  struct Receiving {
    Incoming incoming;
    Moving moving = Moving::kNo;
    VerbsList places;                  // for the bodies that are being moved
    std::vector<VerbsTarget> offered;  // where to read them; empty: the sender writes them
    std::size_t first_offered = 0;     // the first that is not used up
    std::uint64_t last_read = 0;       // number of its last work
  };
  // One message is being reported to the caller, and the caller looks for the place of another one.
  // Meanwhile the device moves the bodies of two more.
  static constexpr std::uint32_t kReceivesMax = 4;

  void control(CellKind kind, ConstBytes payload) override;
  void granted(ConstBytes payload);
  void read_by_peer();

  bool send_at_once(Method method, const Frame& frame, std::span<const Packet> packets);
  void push();
  bool push_cells(Outgoing& message, Sending& sending);
  bool push_bodies(Sending& sending);
  unsigned count_sent();
  bool is_sent(const Outgoing& message, const Sending& sending) const;
  Sending& sending(std::size_t index) {
    return sending_[outbox_[index].frame.number % kSendsInFlightMax];
  }
  void register_bodies(Sending& sending, std::span<const Packet> packets);

  // drivers/verbs/endpoint_receive.cpp
  void take_cells();
  ConstBytes begin_message(Receiving& own, ConstBytes cell);
  void start_moving(Receiving& own);
  void move_bodies();
  bool push_grant(Receiving& own);
  bool push_reads(Receiving& own);
  void written();
  void report_received(Progress& progress);
  Receiving& receiving(std::uint32_t number) { return receiving_[number % kReceivesMax]; }

  void check_peer();
  void look_for_peer();
  void say_bye();

  std::string rail_;
  std::string why_not_;
  std::shared_ptr<node::UnmapWatch> watch_;
  VerbsConnection connection_;
  VerbsCells cells_;
  VerbsRegistrations sources_;
  VerbsRegistrations targets_;
  VerbsRendezvous way_ = VerbsRendezvous::kRead;
  bool connected_ = false;
  bool peer_closed_ = false;

  Outbox outbox_;
  std::array<Sending, kSendsInFlightMax> sending_;  // by message number
  std::uint32_t sends_started_ = 0;
  unsigned sent_at_once_ = 0;       // not yet counted by poll()
  std::vector<VerbsTarget> offer_;  // by the rendezvous that is being started

  // By message number. Of receives from `ended` to `taken`, all cells have arrived, but the bodies
  // of a rendezvous may still move. Receives from `taken` to `posted` still wait for cells.
  std::array<Receiving, kReceivesMax> receiving_;
  std::uint32_t receives_ended_ = 0;
  std::uint32_t receives_taken_ = 0;
  std::uint32_t receives_posted_ = 0;
  ConstBytes cell_;         // the rest of the cell that is being read
  bool cell_open_ = false;  // a cell is being read, even if its rest is empty

  unsigned idle_polls_ = 0;
  std::uint64_t looked_ = 0;  // number of the last empty write
  std::chrono::steady_clock::time_point heard_;
};

}  // namespace nmt::drivers
