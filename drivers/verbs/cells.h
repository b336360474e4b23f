// SPDX-License-Identifier: BSD-3-Clause
//
// Cells of registered memory that cross a connection. No more are in transit than the other end has
// posted receives for.
//
// A part of a message (kMessage) needs a credit. The receiver reports in every cell how many cells
// it has freed. When half of them are free and it has nothing else to send, it sends a cell for
// that. All other kinds are control cells and need no credit: fewer of them can be unread at a time
// than there are reserved receives (two of credits; one kGrant or kRead per send in flight; one
// kWritten per posted receive; one kBye). They are handled at once, even if messages wait before
// them. A cell that is small enough is sent inline, from within the posted work, and is free again
// at once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "drivers/verbs/device.h"

namespace nmt::drivers {

enum class CellKind : std::uint16_t {
  kMessage = 1,
  kCredits = 2,
  kGrant = 3,    // VerbsTargets: where to write the bodies of a rendezvous
  kWritten = 4,  // the bodies are written
  kRead = 5,     // the bodies of a rendezvous have been read
  kBye = 6,      // the other end closes
};

struct CellHead {
  static constexpr std::uint16_t kMagic = 0x6e76;
  std::uint16_t magic = kMagic;
  CellKind kind = CellKind::kMessage;
  std::uint32_t freed = 0;  // cells of messages freed by the sender of this cell, modulo 2^32
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
  Bytes payload();  // of the cell that is sent next
  bool inlines(std::size_t payload_bytes) const {
    return sizeof(CellHead) + payload_bytes <= connection_.inline_bytes_max();
  }
  // Sends the first `size_bytes` of payload(), and then `behind` from its own memory: at most
  // pieces_max() pieces. Their keys are used unless inlines() all of it. Returns the number of the
  // work.
  std::uint64_t send(CellKind kind, std::size_t size_bytes, std::span<const VerbsPiece> behind,
                     bool signaled);
  std::size_t pieces_max() const { return connection_.pieces_max() - 1; }
  void send_credits();  // if it is time

  // -- Receiving ----------------------------------------------------------------------------------

  void post_receives();  // before the connection is made
  // Takes what has arrived and passes control cells to `listener`. Error(kPeer) for a cell that no
  // VerbsCells sends. True if anything arrived.
  bool poll(Listener& listener);
  bool ready() const { return waiting_ > 0; }
  ConstBytes front() const;  // payload of the first cell of messages
  void free();               // frees that cell; it is posted again when nothing arrives

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
  std::unique_ptr<std::byte[], Unmapper> memory_;  // cells to receive into, then cells to send from
  std::shared_ptr<VerbsRegion> region_;

  std::uint64_t sends_ = 0;
  std::array<std::uint64_t, kSends> busy_until_{};  // numbers of work
  std::uint32_t sent_ = 0;                          // cells of messages, modulo 2^32
  std::uint32_t freed_by_peer_ = 0;                 // cells of messages

  std::array<Waiting, kCredits> waiting_cells_;  // a ring
  std::array<std::uint32_t, kUnpostedMax> unposted_;
  std::uint32_t unposted_count_ = 0;
  std::uint32_t first_waiting_ = 0;
  std::uint32_t waiting_ = 0;
  std::uint32_t freed_ = 0;
  std::uint32_t freed_told_ = 0;
};

}  // namespace nmt::drivers
