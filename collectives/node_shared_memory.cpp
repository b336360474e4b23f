// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/node_shared_memory.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>
#include <thread>

#include "core/error.h"

namespace nmt::collectives {
namespace {

constexpr std::chrono::seconds kPatience{10};        // for an answer of a process of this node
constexpr std::chrono::seconds kUntilTheJobEnds{3};  // when a process of it is gone
constexpr std::uint64_t kProbe = 0x6e6d61647475ffeeu;
// The lower bits count the bytes of one operation, at most 1 GiB. The upper bits count operations.
constexpr int kOperationShift = 31;
constexpr std::uint64_t kOperationsMax = 1 << 24;  // before they are numbered from 0 again
// In place of a number of bytes: the stream is complete. Larger than any size.
constexpr std::uint64_t kAllThere = (std::uint64_t{1} << kOperationShift) - 1;
constexpr std::size_t kPartsOfArea = 4;  // one is filled while others are read
constexpr int kNobody = -1;

// If that process is gone, its launcher is about to end the job with the reason; an error from here
// would only hide it, so this waits first.
void read_from_rank(pid_t pid, std::uint64_t address, std::span<std::byte> to) {
  try {
    node::read_from_process(pid, address, to);
  } catch (const Error& error) {
    if (error.fault() == Fault::kPeer) std::this_thread::sleep_for(kUntilTheJobEnds);
    throw;
  }
}

node::SharedSegment receive_from(node::LocalListener& listener, pid_t pid, std::size_t size_bytes) {
  const Deadline deadline(kPatience);
  node::LocalSocket socket = listener.accept(pid, deadline);
  return node::SharedSegment::receive(socket, size_bytes, deadline);
}

}  // namespace

void warn_of_messages(const std::string& reason) {
  static std::atomic_flag warned = ATOMIC_FLAG_INIT;
  if (warned.test_and_set()) return;
  std::fprintf(stderr, "nmadtune: ranks of one node use messages instead of shared memory: %s\n",
               reason.c_str());
}

void fail_on_different_counts() {
  throw Error(Fault::kUsage,
              "the ranks of one collective passed different counts; MPI requires the same count on "
              "all ranks");
}

// Counters that different ranks write are on different cache lines.
struct NodeSharedMemory::MailboxSlot {
  alignas(64) Counter shown;    // bytes of the stream that are ready
  alignas(64) Counter fed;      // bytes of the stream copied into the area
  alignas(64) Counter drained;  // bytes copied out of another's area
  alignas(64) Counter visits;   // by readers, so far
  alignas(64) Counter work;     // segments done
  alignas(64) Counter met;      // meetings so far
  alignas(64) std::uint64_t data_address = 0;
  std::uint64_t stream_bytes = 0;  // valid once all are ready
  std::uint64_t probe_address = 0;
  std::uint64_t probe = kProbe;
  std::uint64_t says[2] = {};  // in turns: no member is two meetings ahead
  bool was_refused[2] = {};    // by a member that it could read before
  std::uint32_t ready = 0;     // to meet for areas; read between the first and the second meeting
  std::uint32_t has_areas = 0;
  std::uint32_t knows_why = 0;  // why it has none
  char listener[kAddressBytes] = {};
  alignas(64) Counter questions;                 // from other members to this one, so far
  alignas(64) std::atomic<int> asked = kNobody;  // the member that should answer this one
  std::uint64_t asked_offset = 0;
  std::uint64_t asked_bytes = 0;
  Counter answers;                // so far
  alignas(64) Counter given;      // short messages from other members, so far
  alignas(64) Counter collected;  // the number of the last collection by this member
  alignas(64) Counter taken;      // by other members, of what this one shows, so far
  // The shortest messages are on one cache line with their counter.
  alignas(64) Counter is_shown;  // the number of the last show by this member
  std::uint64_t short_bytes = 0;
  std::byte bytes[kShortBytesMax];  // a short message of this member, or an answer to it
};

// The slots, and a table of which member reads which.
std::size_t NodeSharedMemory::slots_bytes(std::size_t members) {
  return members * sizeof(MailboxSlot) + members * members;
}

node::SharedSegment NodeSharedMemory::make_slots(std::size_t members) {
  node::SharedSegment segment = node::SharedSegment::create(slots_bytes(members));
  for (std::size_t i = 0; i < members; ++i) {
    new (segment.memory().data() + i * sizeof(MailboxSlot)) MailboxSlot;
  }
  return segment;
}

// A member that cannot be reached does not delay the others.
void NodeSharedMemory::send_slots(const node::SharedSegment& segment,
                                  const std::vector<pid_t>& pids,
                                  const std::vector<std::string>& addresses) {
  const Deadline deadline(kPatience);
  std::optional<Error> failure;
  for (std::size_t i = 1; i < pids.size(); ++i) {
    try {
      node::LocalSocket socket = node::LocalSocket::connect(addresses[i], pids[i], deadline);
      segment.send(socket);
    } catch (const Error& error) {
      failure.emplace(error);
    }
  }
  if (failure) throw Error(*failure);
}

node::SharedSegment NodeSharedMemory::receive_slots(node::LocalListener& listener,
                                                    const std::vector<pid_t>& pids) {
  return receive_from(listener, pids.front(), slots_bytes(pids.size()));
}

NodeSharedMemory::NodeSharedMemory(node::SharedSegment slots, int self, std::vector<pid_t> pids)
    : slots_(std::move(slots)), self_(self), pids_(std::move(pids)), refused_(pids_.size()) {
  slots_.close();  // a program needs its descriptors and has many communicators
}

NodeSharedMemory::MailboxSlot& NodeSharedMemory::slot(int member) const {
  return reinterpret_cast<MailboxSlot*>(slots_.memory().data())[member];
}

std::uint8_t& NodeSharedMemory::reads(int reader, int owner) const {
  const std::size_t index = pids_.size() * sizeof(MailboxSlot) +
                            static_cast<std::size_t>(reader) * pids_.size() +
                            static_cast<std::size_t>(owner);
  return *reinterpret_cast<std::uint8_t*>(slots_.memory().data() + index);
}

void NodeSharedMemory::publish_process() {
  node::allow_cross_memory_attach();
  slot(self_).probe_address = reinterpret_cast<std::uint64_t>(&slot(self_).probe);
}

void NodeSharedMemory::try_pairs(bool attach) {
  for (int owner = 0; owner < members(); ++owner) {
    std::uint64_t seen = 0;
    try {
      if (attach || owner == self_) {
        node::read_from_process(pids_[owner], slot(owner).probe_address,
                                std::as_writable_bytes(std::span(&seen, 1)));
      }
    } catch (const Error&) {  // forbidden: use the area
    }
    reads(self_, owner) = owner == self_ || seen == kProbe;
  }
}

bool NodeSharedMemory::can_read(int reader, int owner) const {
  return reads(reader, owner) != 0 && (!reads_nobody_ || reader == owner);
}

bool NodeSharedMemory::all_can_read() const {
  if (!all_can_read_) {
    const std::uint8_t* pairs = &reads(0, 0);
    all_can_read_ =
        !reads_nobody_ && std::ranges::count(pairs, pairs + pids_.size() * pids_.size(), 0) == 0;
  }
  return *all_can_read_;
}

// Other members may compute for long before they arrive. Meanwhile this member lets its MPI make
// progress, because they may wait for a message from it.
void NodeSharedMemory::meet(const WaitPolicy& waiting) {
  slot(self_).met.raise_to(++meetings_);
  for (int member = 0; member < members(); ++member) {
    wait(slot(member).met, meetings_, waiting);
  }
}

// A member that has come to the first meeting no longer waits for the counter of an operation, so
// each member can set its counters to 0. After the second meeting, all counters are 0.
void NodeSharedMemory::renumber(const WaitPolicy& waiting) {
  if (operation_ < kOperationsMax) return;
  meet(waiting);
  MailboxSlot& own = slot(self_);
  for (Counter* counter : {&own.shown, &own.fed, &own.drained, &own.work}) counter->restart();
  meet(waiting);
  operation_ = 0;
}

void NodeSharedMemory::check_same_size(std::uint64_t bytes, const WaitPolicy& waiting) {
  const std::size_t turn = meetings_ % 2;
  slot(self_).says[turn] = bytes;
  slot(self_).was_refused[turn] = std::ranges::count(refused_, 0) != members();
  meet(waiting);
  for (int member = 0; member < members(); ++member) {
    if (!slot(member).was_refused[turn]) continue;
    reads_nobody_ = true;
    all_can_read_ = false;
  }
  for (int member = 0; member < members(); ++member) {
    if (slot(member).says[turn] != bytes) fail_on_different_counts();
  }
}

// A member waits for a socket only after all are ready, so seconds are enough. Without areas,
// `reason` says why, or is empty if another member knows.
std::optional<node::SharedSegment> NodeSharedMemory::new_areas(std::size_t size_bytes,
                                                               std::string* reason,
                                                               const WaitPolicy& waiting) {
  std::optional<node::SharedSegment> segment;
  std::optional<node::LocalListener> listener;
  slot(self_).ready = 0;
  try {
    if (self_ == 0) {
      segment.emplace(node::SharedSegment::create(size_bytes));
    } else {
      listener.emplace();
      std::memcpy(slot(self_).listener, listener->address().c_str(), kAddressBytes);
    }
    slot(self_).ready = 1;
  } catch (const Error& error) {
    *reason = error.what();
  }
  meet(waiting);
  std::vector<std::string> addresses;
  for (int member = 0; member < members(); ++member) {
    if (slot(member).ready == 0) return std::nullopt;
    addresses.emplace_back(slot(member).listener);
  }
  try {
    if (self_ != 0) return receive_from(*listener, pids_.front(), size_bytes);
    send_slots(*segment, pids_, addresses);
    return segment;
  } catch (const Error& error) {
    *reason = error.what();
    return std::nullopt;
  }
}

bool NodeSharedMemory::allocate_areas(std::size_t least_bytes_each, const WaitPolicy& waiting) {
  if (area_bytes_ >= least_bytes_each) return true;
  // Aligned for any type; rounded up, so that a slightly larger operation needs no new areas.
  const std::size_t size_bytes_each = std::bit_ceil(least_bytes_each);
  if (size_bytes_each >= refused_area_bytes_) return false;
  std::string reason;
  std::optional<node::SharedSegment> segment =
      new_areas(size_bytes_each * pids_.size(), &reason, waiting);
  slot(self_).has_areas = segment.has_value();
  slot(self_).knows_why = !reason.empty();
  meet(waiting);
  std::optional<int> knows;
  bool all_have = true;
  for (int member = 0; member < members(); ++member) {
    all_have = all_have && slot(member).has_areas != 0;
    if (slot(member).knows_why != 0 && !knows) knows = member;
  }
  if (!all_have) {
    refused_area_bytes_ = size_bytes_each;
    if (knows == self_) warn_of_messages(reason);
    return false;
  }
  area_bytes_ = size_bytes_each;
  areas_.reset();
  areas_.emplace(std::move(*segment));
  areas_->close();
  return true;
}

std::span<std::byte> NodeSharedMemory::area(int member) const {
  return areas_->memory().subspan(static_cast<std::size_t>(member) * area_bytes_, area_bytes_);
}

std::span<std::byte> NodeSharedMemory::areas() const {
  return areas_->memory().first(area_bytes_ * pids_.size());
}

std::uint64_t NodeSharedMemory::base() const { return operation_ << kOperationShift; }

void NodeSharedMemory::begin_stream(const void* data, std::vector<int> readers) {
  slot(self_).data_address = reinterpret_cast<std::uint64_t>(data);
  fed_bytes_ = shown_bytes_ = 0;
  visits_expected_ += readers.size();
  std::erase_if(readers, [&](int reader) { return can_read(reader, self_); });
  fed_readers_ = std::move(readers);
  slot(self_).shown.raise_to(base());
}

void NodeSharedMemory::publish(std::uint64_t bytes, std::span<const std::byte> fresh,
                               const WaitPolicy& waiting, bool are_all) {
  shown_bytes_ = bytes;
  if (are_all) slot(self_).stream_bytes = bytes;
  slot(self_).shown.raise_to(base() + (are_all ? kAllThere : bytes));
  if (!fed_readers_.empty()) feed(fresh, waiting);
}

// The area is used as a ring.
void NodeSharedMemory::feed(std::span<const std::byte> fresh, const WaitPolicy& waiting) {
  while (!fresh.empty()) {
    const std::size_t at = fed_bytes_ % area_bytes_;
    const std::size_t bytes =
        std::min({fresh.size(), area_bytes_ / kPartsOfArea, area_bytes_ - at});
    if (fed_bytes_ + bytes > area_bytes_) {
      for (const int reader : fed_readers_) {
        wait(slot(reader).drained, base() + fed_bytes_ + bytes - area_bytes_, waiting);
      }
    }
    std::memcpy(area(self_).data() + at, fresh.data(), bytes);
    fed_bytes_ += bytes;
    slot(self_).fed.raise_to(base() + fed_bytes_);
    fresh = fresh.subspan(bytes);
  }
}

void NodeSharedMemory::wait_for_readers(const WaitPolicy& waiting) {
  slot(self_).stream_bytes = shown_bytes_;
  slot(self_).shown.raise_to(base() + kAllThere);
  if (!fed_readers_.empty()) slot(self_).fed.raise_to(base() + kAllThere);
  wait(slot(self_).visits, visits_expected_, waiting);
}

// Returns how many bytes are ready: at least `least`, or all of the stream. A reader that expects
// more belongs to a program whose ranks pass different counts.
std::uint64_t NodeSharedMemory::await_stream(int owner, Counter& counter, std::uint64_t least,
                                             const WaitPolicy& waiting) {
  wait(counter, base() + least, waiting);
  const std::uint64_t there = counter.value() - base();
  return there != kAllThere ? there : slot(owner).stream_bytes;
}

std::uint64_t NodeSharedMemory::fetch(int owner, std::uint64_t position, std::uint64_t offset,
                                      std::span<std::byte> to, const WaitPolicy& waiting) {
  if (can_read(self_, owner)) {
    const std::uint64_t all = await_stream(owner, slot(owner).shown, position + to.size(), waiting);
    to = to.first(std::min<std::uint64_t>(to.size(), all - std::min(all, position)));
    if (!to.empty()) read(owner, offset, to, waiting);
    return to.size();
  }
  const std::uint64_t begin = position;
  while (!to.empty()) {
    const std::uint64_t fed = await_stream(owner, slot(owner).fed, position + 1, waiting);
    if (fed <= position) break;
    const std::size_t at = position % area_bytes_;
    const std::size_t bytes = std::min({fed - position, to.size(), area_bytes_ - at});
    std::memcpy(to.data(), area(owner).data() + at, bytes);
    position += bytes;
    slot(self_).drained.raise_to(base() + position);
    to = to.subspan(bytes);
  }
  return position - begin;
}

// After one refusal by the kernel it does not try again.
void NodeSharedMemory::read(int owner, std::uint64_t offset, std::span<std::byte> to,
                            const WaitPolicy& waiting) {
  if (!refused_[owner]) {
    try {
      return read_from_rank(pids_[owner], slot(owner).data_address + offset, to);
    } catch (const Error& error) {
      if (error.fault() == Fault::kPeer) throw;
      refused_[owner] = true;
    }
  }
  ask(owner, offset, to, waiting);
}

// The owner waits for visits sooner or later, so it is woken there.
void NodeSharedMemory::ask(int owner, std::uint64_t offset, std::span<std::byte> to,
                           const WaitPolicy& waiting) {
  MailboxSlot& own = slot(self_);
  wait_until_short_is_free(waiting);
  while (!to.empty()) {
    const std::size_t bytes = std::min(to.size(), kShortBytesMax);
    const std::uint64_t answers = own.answers.value();
    own.asked_offset = offset;
    own.asked_bytes = bytes;
    own.asked.store(owner);
    slot(owner).questions.add_one();
    slot(owner).visits.wake_all();
    wait(own.answers, answers + 1, waiting);
    std::memcpy(to.data(), own.bytes, bytes);
    offset += bytes;
    to = to.subspan(bytes);
  }
}

void NodeSharedMemory::answer() {
  const std::uint64_t questions = slot(self_).questions.value();
  if (questions == questions_) return;
  questions_ = questions;
  for (int member = 0; member < members(); ++member) {
    MailboxSlot& reader = slot(member);
    if (reader.asked.load() != self_) continue;
    const std::uint64_t from = slot(self_).data_address + reader.asked_offset;
    const std::size_t bytes = std::min<std::uint64_t>(reader.asked_bytes, kShortBytesMax);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): of this process
    std::memcpy(reader.bytes, reinterpret_cast<const void*>(from), bytes);
    reader.asked.store(kNobody);
    reader.answers.add_one();
  }
}

// Other members read a message after this one has gone on.
void NodeSharedMemory::wait_until_short_is_free(const WaitPolicy& waiting) {
  wait(slot(self_).taken, takes_expected_, waiting);
  if (given_to_) wait(slot(*given_to_).collected, given_in_, waiting);
}

void NodeSharedMemory::put_short(std::span<const std::byte> bytes, const WaitPolicy& waiting) {
  wait_until_short_is_free(waiting);
  slot(self_).short_bytes = bytes.size();
  std::memcpy(slot(self_).bytes, bytes.data(), bytes.size());
}

void NodeSharedMemory::give(std::span<const std::byte> bytes, int to, const WaitPolicy& waiting) {
  put_short(bytes, waiting);
  given_to_ = to;
  given_in_ = ++collections_;
  slot(to).given.add_one();
}

void NodeSharedMemory::wait_until_given(const WaitPolicy& waiting) {
  ++collections_;
  gifts_expected_ += pids_.size() - 1;
  wait(slot(self_).given, gifts_expected_, waiting);
}

std::span<const std::byte> NodeSharedMemory::given_by(int member) const {
  return std::span(slot(member).bytes).first(slot(member).short_bytes);
}

void NodeSharedMemory::collected() { slot(self_).collected.raise_to(collections_); }

void NodeSharedMemory::show(std::span<const std::byte> bytes, const WaitPolicy& waiting) {
  put_short(bytes, waiting);
  takes_expected_ += pids_.size() - 1;
  slot(self_).is_shown.raise_to(++shows_);
}

std::uint64_t NodeSharedMemory::take(int owner, std::span<std::byte> to,
                                     const WaitPolicy& waiting) {
  wait(slot(owner).is_shown, ++shows_, waiting);
  const std::uint64_t bytes = slot(owner).short_bytes;
  std::memcpy(to.data(), slot(owner).bytes, std::min<std::uint64_t>(bytes, to.size()));
  slot(owner).taken.add_one();
  return bytes;
}

// Answers while it waits, because two members may ask each other.
void NodeSharedMemory::wait(Counter& counter, std::uint64_t least, const WaitPolicy& waiting) {
  struct Both {
    NodeSharedMemory* shared_memory;
    const WaitPolicy* waiting;
  } both{this, &waiting};
  const auto make_progress = [](void* object) {
    const auto [shared_memory, own] = *static_cast<Both*>(object);
    shared_memory->answer();
    if (own->make_progress != nullptr) own->make_progress(own->mpi);
  };
  answer();
  counter.wait_for(
      least,
      {.oversubscribed = waiting.oversubscribed, .make_progress = make_progress, .mpi = &both});
}

// Waits for the owner's stream first: a reader with nothing to fetch must not count as a visitor of
// the previous operation. The owner does not wait for a reader that wants less than there is.
void NodeSharedMemory::leave(int owner, const WaitPolicy& waiting) {
  wait(slot(owner).shown, base(), waiting);
  if (!can_read(self_, owner)) slot(self_).drained.raise_to(base() + kAllThere);
  slot(owner).visits.add_one();
}

bool NodeSharedMemory::has_more(int owner, std::uint64_t position) const {
  const bool are_all_there = slot(owner).shown.value() == base() + kAllThere;
  return !are_all_there || slot(owner).stream_bytes > position;
}

void NodeSharedMemory::put(std::uint64_t segments) { slot(self_).fed.raise_to(base() + segments); }

void NodeSharedMemory::wait_for_put(int member, std::uint64_t segments, const WaitPolicy& waiting) {
  wait(slot(member).fed, base() + segments, waiting);
}

void NodeSharedMemory::worked(std::uint64_t segments) {
  slot(self_).work.raise_to(base() + segments);
}

void NodeSharedMemory::wait_for_work(int member, std::uint64_t segments,
                                     const WaitPolicy& waiting) {
  wait(slot(member).work, base() + segments, waiting);
}

}  // namespace nmt::collectives
