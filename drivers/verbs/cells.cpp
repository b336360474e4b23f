// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/verbs/cells.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace nmt::drivers {
namespace {

constexpr std::size_t kMemoryBytes =
    std::size_t{VerbsCells::kReceives + VerbsCells::kSends} * VerbsCells::kCellBytes;

}  // namespace

void VerbsCells::Unmapper::operator()(std::byte* memory) const { ::munmap(memory, kMemoryBytes); }

VerbsCells::VerbsCells(std::string rail, VerbsConnection& connection)
    : rail_(std::move(rail)), connection_(connection) {
  void* memory =
      ::mmap(nullptr, kMemoryBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw system_error(Fault::kFailed, rail_ + ": mmap", errno);
  memory_.reset(static_cast<std::byte*>(memory));
  region_ = connection_.register_memory({memory_.get(), kMemoryBytes}, VerbsAccess::kOwn);
}

bool VerbsCells::can_send(CellKind kind) const {
  if (connection_.room() == 0 || !connection_.done(busy_until_[sends_ % kSends])) return false;
  return kind != CellKind::kMessage || sent_ - freed_by_peer_ < kCredits;
}

Bytes VerbsCells::payload() { return {sent_cell() + sizeof(CellHead), kPayloadBytes}; }

std::uint64_t VerbsCells::send(CellKind kind, std::size_t size_bytes,
                               std::span<const VerbsPiece> behind, bool signaled) {
  NMT_CHECK(can_send(kind) && size_bytes <= kPayloadBytes);
  const CellHead head{.kind = kind, .freed = freed_};
  std::memcpy(sent_cell(), &head, sizeof head);
  freed_told_ = freed_;
  std::size_t total_bytes = size_bytes;
  std::array<VerbsPiece, 32> pieces;
  NMT_CHECK(behind.size() < pieces.size());
  pieces[0] = {sent_cell(), static_cast<std::uint32_t>(sizeof head + size_bytes),
               region_->local_key()};
  for (std::size_t i = 0; i < behind.size(); ++i) {
    pieces[i + 1] = behind[i];
    total_bytes += behind[i].size_bytes;
  }
  const bool inlined = inlines(total_bytes);
  const std::uint64_t number =
      connection_.send(std::span(pieces).first(behind.size() + 1), inlined, signaled);
  if (!inlined) busy_until_[sends_++ % kSends] = number;  // an inlined one stays free and warm
  if (kind == CellKind::kMessage) ++sent_;
  return number;
}

void VerbsCells::send_credits() {
  if (freed_ - freed_told_ >= kCredits / 2 && can_send(CellKind::kCredits)) {
    send(CellKind::kCredits, 0, {}, false);
  }
}

void VerbsCells::post_receives() {
  for (std::uint64_t index = 0; index < kReceives; ++index) post_receive(index);
}

void VerbsCells::post_receive(std::uint64_t index) {
  connection_.receive({received_cell(index), kCellBytes, region_->local_key()}, index);
}

bool VerbsCells::poll(Listener& listener) {
  const std::span<const VerbsArrival> arrivals = connection_.poll();
  if (arrivals.empty()) post_freed();
  for (const VerbsArrival& arrival : arrivals) {
    CellHead head;
    if (arrival.size_bytes >= sizeof head) {
      std::memcpy(&head, received_cell(arrival.place), sizeof head);
    } else {
      head.magic = 0;
    }
    if (head.magic != CellHead::kMagic || head.kind < CellKind::kMessage ||
        head.kind > CellKind::kBye) {
      throw Error(Fault::kPeer, fmt::format("{}: the peer sent a cell of unknown kind {}", rail_,
                                            static_cast<unsigned>(head.kind)));
    }
    accept_credits(head.freed);
    if (head.kind == CellKind::kMessage) {
      if (waiting_ == kCredits) {
        throw Error(Fault::kPeer, rail_ + ": the peer sent more than its credits allow");
      }
      waiting_cells_[(first_waiting_ + waiting_++) % kCredits] = {
          static_cast<std::uint32_t>(arrival.place), arrival.size_bytes};
      continue;
    }
    listener.control(
        head.kind, {received_cell(arrival.place) + sizeof head, arrival.size_bytes - sizeof head});
    post_receive(arrival.place);
  }
  return !arrivals.empty();
}

void VerbsCells::accept_credits(std::uint32_t freed) {
  if (freed - freed_by_peer_ > sent_ - freed_by_peer_) {
    throw Error(Fault::kPeer, rail_ + ": the peer freed a cell that was not sent");
  }
  freed_by_peer_ = freed;
}

ConstBytes VerbsCells::front() const {
  const Waiting& first = waiting_cells_[first_waiting_];
  return {received_cell(first.cell) + sizeof(CellHead), first.size_bytes - sizeof(CellHead)};
}

// Posts freed cells later, because the caller may be waiting for this message. A cell counts as
// freed when it is posted.
void VerbsCells::free() {
  unposted_[unposted_count_++] = waiting_cells_[first_waiting_].cell;
  first_waiting_ = (first_waiting_ + 1) % kCredits;
  --waiting_;
  if (unposted_count_ == kUnpostedMax) post_freed();
}

void VerbsCells::post_freed() {
  for (; unposted_count_ > 0; ++freed_) post_receive(unposted_[--unposted_count_]);
}

}  // namespace nmt::drivers
