// SPDX-License-Identifier: BSD-3-Clause
//
// Which bytes of a message have come and which were announced, whatever the order of its pieces.
//
// A value. Neighbouring pieces that have come are one, so that it stays as small as there are gaps
// and pieces on their way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nmt::engine {

class Coverage {
 public:
  // Gaps that a message may have; an honest sender has about one per link.
  static constexpr std::size_t kPartsMax = 4096;

  // A piece is about to come over this link. False, with nothing changed, where some of it was
  // announced before, over any link, or there are too many gaps. The piece of a message without
  // bytes is announced once, too.
  bool announce(std::uint64_t offset_bytes, std::uint64_t size_bytes, std::size_t link);
  // It has come. False, with nothing changed, where that piece was not announced over this link.
  bool come(std::uint64_t offset_bytes, std::uint64_t size_bytes, std::size_t link);
  // Nothing more comes over this link: what it had announced may be announced again.
  void forget(std::size_t link);

  std::uint64_t bytes() const { return bytes_; }  // that have come

 private:
  struct Part {
    std::uint64_t from;
    std::uint64_t to;
    std::optional<std::size_t> link = {};  // over which it was announced; none: it has come
  };
  using Parts = std::vector<Part>;

  Parts::iterator find(std::uint64_t offset_bytes);  // the first that does not begin before
  static bool join(const Part& before, const Part& after);

  Parts parts_;  // in order, none over another
  std::uint64_t bytes_ = 0;
};

}  // namespace nmt::engine
