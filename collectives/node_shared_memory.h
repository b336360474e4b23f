// SPDX-License-Identifier: BSD-3-Clause
//
// What the ranks of one group, all on one node, copy from each other, without an MPI.
//
// Each has a slot in shared memory. The owner of data says there where it is and how much of it is
// there already; the others fetch it in one copy out of his memory (cross-memory attach, papers
// "HierKNEM" 3.1), so that the owner can go on with something else. Whether that is allowed is
// tried for each pair. Where it is not, the owner copies through an area in shared memory for those
// who cannot read him; nobody else notices. Who could read him and no longer can, since one of the
// two has become another user, asks him for the bytes; from the next meeting on all use areas.
//
// The members do the same operations in the same order, each of which begins with begin(). In one,
// an owner shows one stream of bytes, and each reader reads from one owner at most.
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

inline constexpr std::size_t kAddressBytes = 33;  // of a LocalListener, with its end

// That ranks of this node copy by messages, and why. Only the first time: programs make many
// communicators.
void warn_of_messages(const std::string& reason);

// Error: a program whose ranks say different things to one operation.
[[noreturn]] void fail_on_different_counts();

class NodeSharedMemory {
 public:
  // By member 0: slots for so many, and to the ranks that are processes `pids`, each of which
  // listens at one of the addresses. By the others meanwhile: received there, in seconds. Error
  // where that cannot be.
  static SharedSegment make_slots(std::size_t members);
  static void send_slots(const SharedSegment& segment, const std::vector<pid_t>& pids,
                         const std::vector<std::string>& addresses);
  static SharedSegment receive_slots(LocalListener& listener, const std::vector<pid_t>& pids);

  NodeSharedMemory(SharedSegment slots, int self, std::vector<pid_t> pids);

  // By all, one after the other with a barrier after each: who can read whose memory. `attach`
  // false: nobody reads anybody's.
  void publish_process();
  void try_pairs(bool attach);

  int self() const { return self_; }
  int members() const { return static_cast<int>(pids_.size()); }
  bool can_read(int reader, int owner) const;
  bool all_can_read() const;

  // An area of at least so many bytes for each member, by all of them, whenever the last one comes;
  // false, for all, where there is no memory for it, which is not asked for again. What areas held
  // before is gone.
  bool allocate_areas(std::size_t least_bytes_each, const WaitPolicy& waiting);
  std::span<std::byte> area(int member) const;

  void begin() { ++operation_; }

  // A meeting of all members, before an operation to which all of them give: Error, on all, where
  // one says another number. Before this memory is asked how it copies: that may change here.
  void check_same_size(std::uint64_t bytes, const WaitPolicy& waiting);

  // The owner's part: a stream for these readers, whose bytes lie behind `data`; that the first
  // `bytes` of it are there, the last of which, `fresh`, were not before, and whether there will be
  // no more; that all have left.
  void begin_stream(const void* data, std::vector<int> readers);
  void publish(std::uint64_t bytes, std::span<const std::byte> fresh, const WaitPolicy& waiting,
               bool are_all = false);
  void wait_for_readers(const WaitPolicy& waiting);

  // A reader's part: copies, once they are there, the bytes from `position` of the stream on, which
  // lie `offset` behind the owner's `data`, or as many as the stream has, and tells how many; is
  // done.
  std::uint64_t fetch(int owner, std::uint64_t position, std::uint64_t offset,
                      std::span<std::byte> to, const WaitPolicy& waiting);
  void leave(int owner, const WaitPolicy& waiting);
  // Before it leaves, whether the stream has more than what it fetched, which ends at `position`:
  // for an owner who says which bytes are the last.
  bool has_more(int owner, std::uint64_t position) const;

  // Gives to those who have asked for bytes of the stream; whenever this member waits for something
  // else than this memory, which does it by itself.
  void answer();

  // Work on segments: a member has put its data of so many into its area; is done with so many.
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
  std::optional<SharedSegment> new_areas(std::size_t size_bytes, std::string* reason,
                                         const WaitPolicy& waiting);

  SharedSegment slots_;
  int self_;
  std::vector<pid_t> pids_;
  std::optional<SharedSegment> areas_;
  std::size_t area_bytes_ = 0;
  std::size_t refused_area_bytes_ = ~std::size_t{0};  // of the least that could not be had
  std::uint64_t operation_ = 0;
  std::uint64_t meetings_ = 0;         // of all members
  std::uint64_t visits_expected_ = 0;  // ever, of this member's slot
  std::uint64_t fed_bytes_ = 0;        // of this operation,
  std::uint64_t shown_bytes_ = 0;      // and there
  std::vector<int> fed_readers_;       // who cannot read this member's memory
  std::vector<char> refused_;          // by owner: can no longer be read
  std::uint64_t questions_ = 0;        // of others, answered
  bool reads_nobody_ = false;          // agreed
  mutable std::optional<bool> all_can_read_;
};

}  // namespace nmt::collectives
