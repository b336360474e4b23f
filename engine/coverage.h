// SPDX-License-Identifier: BSD-3-Clause
//
// Which bytes of a message have arrived and which were announced, for pieces in any order.
//
// A value. Neighbouring pieces that have arrived are joined, so its size is the number of gaps and
// of pieces in transit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <vector>

namespace nmt::engine {

class Coverage {
 public:
  // Gaps that a message may have; a correct sender causes about one per link.
  static constexpr std::size_t kPartsMax = 4096;

  explicit Coverage(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : parts_(memory) {}

  // A piece is about to arrive over this link. False, with nothing changed, if any byte of it was
  // announced before over any link, or if there are too many gaps. The piece of a message without
  // bytes is also announced only once.
  bool announce(std::uint64_t offset_bytes, std::uint64_t size_bytes, std::size_t link);
  // The piece has arrived. False, with nothing changed, if it was not announced over this link.
  bool come(std::uint64_t offset_bytes, std::uint64_t size_bytes, std::size_t link);
  // A piece that was announced over this link will not arrive now: it may be announced again.
  void withdraw(std::uint64_t offset_bytes, std::uint64_t size_bytes, std::size_t link);
  // Nothing more arrives over this link: pieces that it announced may be announced again.
  void forget(std::size_t link);

  std::uint64_t bytes() const { return bytes_; }  // bytes that have arrived

 private:
  struct Part {
    std::uint64_t from;
    std::uint64_t to;
    std::optional<std::size_t> link = {};  // the link that announced it; none: it has arrived
  };
  using Parts = std::pmr::vector<Part>;

  Parts::iterator find(std::uint64_t offset_bytes);  // first part from this offset on
  // The part for this piece, if the piece was announced over this link; else end().
  Parts::iterator find_announced(std::uint64_t offset_bytes, std::uint64_t size_bytes,
                                 std::size_t link);
  static bool join(const Part& before, const Part& after);

  Parts parts_;  // in order, without overlaps
  std::uint64_t bytes_ = 0;
};

}  // namespace nmt::engine
