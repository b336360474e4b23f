// SPDX-License-Identifier: BSD-3-Clause
//
// Copies data between the ranks of one group, all on one node, without an MPI.
//
// Each rank has a slot in shared memory. The owner of data publishes in its slot where the data is
// and how much of it is ready. The readers fetch it in one copy from the owner's memory
// (cross-memory attach, paper "HierKNEM", 3.1), so that the owner can go on with other work. Each
// pair of ranks tests whether the kernel allows that. For readers that may not read it, the owner
// copies the data through an area in shared memory; the other readers are not affected. A reader
// that loses the permission later, because one of the two changed its user, asks the owner for the
// bytes; from the next meeting on, all ranks use areas.
//
// All members run the same operations in the same order, and start each with begin(). In one
// operation an owner publishes one stream of bytes, and each reader reads from one owner at most.
//
// A short message goes through the slots themselves: the sender copies it in, and the receiver
// copies it out. The sender waits for the receivers only when it writes its next short message. No
// begin() is needed for them.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectives/counter.h"
#include "node/node.h"

namespace nmt::collectives {

inline constexpr std::size_t kAddressBytes = 33;  // of a LocalListener's address, terminated

// Warns that ranks of this node copy by messages, with the reason. Only the first time, because
// programs make many communicators.
void warn_of_messages(const std::string& reason);

// Throws the Error for a program whose ranks pass different arguments to one operation.
[[noreturn]] void fail_on_different_counts();

class NodeSharedMemory {
 public:
  // Member 0 makes the slots and sends them to the processes `pids`, each of which listens at one
  // of the addresses. The others receive them at the same time, within seconds. Error if that
  // fails.
  static node::SharedSegment make_slots(std::size_t members);
  static void send_slots(const node::SharedSegment& segment, const std::vector<pid_t>& pids,
                         const std::vector<std::string>& addresses);
  static node::SharedSegment receive_slots(node::LocalListener& listener,
                                           const std::vector<pid_t>& pids);

  NodeSharedMemory(node::SharedSegment slots, int self, std::vector<pid_t> pids);

  // Called by all members, one after the other, with a barrier after each: finds which member can
  // read which member's memory. `attach` false: no member reads another's.
  void publish_process();
  void try_pairs(bool attach);

  int self() const { return self_; }
  int members() const { return static_cast<int>(pids_.size()); }
  bool can_read(int reader, int owner) const;
  bool all_can_read() const;

  // Called by all members, however late the last one is: gives each an area of at least this size,
  // and drops the contents of previous areas. False on all members if there is no memory for it;
  // the same size is not requested again.
  bool allocate_areas(std::size_t least_bytes_each, const WaitPolicy& waiting);
  std::span<std::byte> area(int member) const;
  std::span<std::byte> areas() const;  // of all members, one after the other

  // Called by all members between operations; the last one may come as late as it likes. Numbers of
  // operations have 33 bits. So after millions of operations the members meet, and number
  // operations from 0 again.
  void renumber(const WaitPolicy& waiting);
  void begin() { ++operation_; }

  // All members meet before an operation to which all contribute. Error on all of them if one
  // passes another number. Call it before asking how this memory copies, because the meeting may
  // change that.
  void check_same_size(std::uint64_t bytes, const WaitPolicy& waiting);

  // For the owner. begin_stream: starts a stream for these readers; `data` is the address of its
  // bytes. publish: the first `bytes` of it are ready; `fresh` are those that were not before;
  // `are_all`: there will be no more. wait_for_readers: until all readers have left.
  void begin_stream(const void* data, std::vector<int> readers);
  void publish(std::uint64_t bytes, std::span<const std::byte> fresh, const WaitPolicy& waiting,
               bool are_all = false);
  void wait_for_readers(const WaitPolicy& waiting);

  // For a reader. fetch: waits for and copies the bytes of the stream from `position` on, which are
  // `offset` bytes after the owner's `data`; returns the number copied, fewer at the end of the
  // stream. leave: this reader is done.
  std::uint64_t fetch(int owner, std::uint64_t position, std::uint64_t offset,
                      std::span<std::byte> to, const WaitPolicy& waiting);
  void leave(int owner, const WaitPolicy& waiting);
  // Whether the stream has more bytes than those fetched, which end at `position`. Call it before
  // leave(); the owner must publish with `are_all`.
  bool has_more(int owner, std::uint64_t position) const;

  // Short messages from all other members to one. Each other member calls give(). The one member
  // calls wait_until_given(); then given_by() is valid until it calls collected().
  static constexpr std::size_t kShortBytesMax = 16 << 10;
  void give(std::span<const std::byte> bytes, int to, const WaitPolicy& waiting);
  void wait_until_given(const WaitPolicy& waiting);
  std::span<const std::byte> given_by(int member) const;
  void collected();

  // A short message from one member to all others. The one member calls show(). Each other member
  // calls take(), which copies what fits into `to` and returns how many bytes the message has.
  void show(std::span<const std::byte> bytes, const WaitPolicy& waiting);
  std::uint64_t take(int owner, std::span<std::byte> to, const WaitPolicy& waiting);

  // Gives bytes of the stream to readers that have asked for them. Call it while this member waits
  // for anything outside this memory; waits inside call it themselves.
  void answer();

  // For work on segments. put: this member has put this many segments of its data into its area.
  // worked: this member has finished this many segments.
  void put(std::uint64_t segments);
  void wait_for_put(int member, std::uint64_t segments, const WaitPolicy& waiting);
  void worked(std::uint64_t segments);
  void wait_for_work(int member, std::uint64_t segments, const WaitPolicy& waiting);

 private:
  struct MailboxSlot;
  static std::size_t slots_bytes(std::size_t members);
  MailboxSlot& slot(int member) const;
  std::uint8_t& reads(int reader, int owner) const;
  std::uint64_t base() const;
  std::uint64_t await_stream(int owner, Counter& counter, std::uint64_t least,
                             const WaitPolicy& waiting);
  void feed(std::span<const std::byte> fresh, const WaitPolicy& waiting);
  void wait(Counter& counter, std::uint64_t least, const WaitPolicy& waiting);
  void read(int owner, std::uint64_t offset, std::span<std::byte> to, const WaitPolicy& waiting);
  void ask(int owner, std::uint64_t offset, std::span<std::byte> to, const WaitPolicy& waiting);
  void meet(const WaitPolicy& waiting);
  void wait_until_short_is_free(const WaitPolicy& waiting);
  void put_short(std::span<const std::byte> bytes, const WaitPolicy& waiting);
  std::optional<node::SharedSegment> new_areas(std::size_t size_bytes, std::string* reason,
                                               const WaitPolicy& waiting);

  node::SharedSegment slots_;
  int self_;
  std::vector<pid_t> pids_;
  std::optional<node::SharedSegment> areas_;
  std::size_t area_bytes_ = 0;
  std::size_t refused_area_bytes_ = ~std::size_t{0};  // smallest size that failed
  std::uint64_t operation_ = 0;
  std::uint64_t meetings_ = 0;         // of all members, so far
  std::uint64_t visits_expected_ = 0;  // of this member's slot, so far
  std::uint64_t fed_bytes_ = 0;        // copied into the area in this operation,
  std::uint64_t shown_bytes_ = 0;      // and published
  std::vector<int> fed_readers_;       // readers that cannot read this member's memory
  std::vector<char> refused_;          // by owner: can no longer be read
  std::uint64_t questions_ = 0;        // of other members, answered
  bool reads_nobody_ = false;          // agreed by all members
  std::uint64_t collections_ = 0;      // of short messages, by any member, so far
  std::uint64_t shows_ = 0;            // by any member, so far
  std::uint64_t gifts_expected_ = 0;   // to this member, so far
  std::uint64_t takes_expected_ = 0;   // of what this member shows, so far
  std::optional<int> given_to_;        // the last gift of this member,
  std::uint64_t given_in_ = 0;         // and the number of its collection
  mutable std::optional<bool> all_can_read_;
};

}  // namespace nmt::collectives
