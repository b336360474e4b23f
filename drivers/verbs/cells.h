// SPDX-License-Identifier: BSD-3-Clause
//
// Cells of registered memory that cross a connection: so many on their way as the other end has
// receives posted for.
//
// Parts of messages (kMessage) need a credit each: the receiver says in every cell how many it has
// given free, and in a cell of its own when half of them are and nothing else goes. All other kinds
// are control and need none: fewer of them can be unread at a time than receives are held in
// reserve (two of credits, one grant and one answer to it, one kRead per send in flight, one kBye),
// and they are read at once, whatever waits before them. What is small enough goes inline, from
// within the posted work, and its cell is free again at once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "drivers/verbs/device.h"

namespace nmt {

enum class CellKind : std::uint16_t {
  kMessage = 1,
  kCredits = 2,
  kGrant = 3,    // VerbsTargets: where the bodies of a rendezvous are to be written
  kWritten = 4,  // they are
  kRead = 5,     // the bodies of a rendezvous are read
  kBye = 6,      // the other end closes
};

struct CellHead {
  static constexpr std::uint16_t kMagic = 0x6e76;
  std::uint16_t magic = kMagic;
  CellKind kind = CellKind::kMessage;
  std::uint32_t freed = 0;  // cells of messages, by the sender of this, modulo 2^32
};
static_assert(sizeof(CellHead) == 8);

class VerbsCells {
 public:
  static constexpr std::uint32_t kCellBytes = 8192;
  static constexpr std::uint32_t kCredits = 64;
  static constexpr std::uint32_t kReserve = 16;
  static constexpr std::uint32_t kReceives = kCredits + kReserve;
  static constexpr std::uint32_t kSends = 64;
  static constexpr std::uint32_t kUnpostedMax = kCredits / 4;
  static constexpr std::size_t kPayloadBytes = kCellBytes - sizeof(CellHead);

  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void control(CellKind kind, ConstBytes payload) = 0;
  };

  VerbsCells(std::string rail, VerbsConnection& connection);

  // -- Sending ------------------------------------------------------------------------------------

  bool can_send(CellKind kind) const;
  Bytes payload();  // of the cell that goes next
  bool inlines(std::size_t payload_bytes) const {
    return sizeof(CellHead) + payload_bytes <= connection_.inline_bytes_max();
  }
  // Sends the first `size_bytes` of payload(), and `behind` from where it lies: at most
  // pieces_max() of them, whose keys count unless inlines() all of it. Returns the work's number.
  std::uint64_t send(CellKind kind, std::size_t size_bytes, std::span<const VerbsPiece> behind,
                     bool signaled);
  std::size_t pieces_max() const { return connection_.pieces_max() - 1; }
  void send_credits();  // if it is time

  // -- Receiving ----------------------------------------------------------------------------------

  void post_receives();  // before the connection is made
  // Takes what has arrived; what is control goes to `listener`. Error(kPeer) for what no such
  // object sends. True where anything has.
  bool poll(Listener& listener);
  bool ready() const { return waiting_ > 0; }
  ConstBytes front() const;  // payload of the first cell of messages
  void free();               // that cell; posted again once nothing arrives

 private:
  struct Waiting {
    std::uint32_t cell = 0;
    std::uint32_t size_bytes = 0;
  };
  struct Unmapper {
    void operator()(std::byte* memory) const;
  };

  std::byte* received_cell(std::uint64_t index) const { return memory_.get() + index * kCellBytes; }
  std::byte* sent_cell() const { return received_cell(kReceives + sends_ % kSends); }
  void post_receive(std::uint64_t index);
  void post_freed();
  void accept_credits(std::uint32_t freed);

  std::string rail_;
  VerbsConnection& connection_;
  std::unique_ptr<std::byte[], Unmapper> memory_;  // cells to receive into, then those sent from
  std::shared_ptr<VerbsRegion> region_;

  std::uint64_t sends_ = 0;
  std::array<std::uint64_t, kSends> busy_until_{};  // numbers of work
  std::uint32_t sent_ = 0;                          // cells of messages, modulo 2^32
  std::uint32_t freed_by_peer_ = 0;                 // of them

  std::array<Waiting, kCredits> waiting_cells_;  // a ring
  std::array<std::uint32_t, kUnpostedMax> unposted_;
  std::uint32_t unposted_count_ = 0;
  std::uint32_t first_waiting_ = 0;
  std::uint32_t waiting_ = 0;
  std::uint32_t freed_ = 0;
  std::uint32_t freed_told_ = 0;
};

}  // namespace nmt
