// SPDX-License-Identifier: BSD-3-Clause
//
// Which bytes of a message have come, whatever the order of its pieces.
//
// A value. Neighbouring pieces are one, so that it stays as small as there are gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nmt::engine {

class Coverage {
 public:
  // Gaps that a message may have; an honest sender has about one per link.
  static constexpr std::size_t kPartsMax = 4096;

  // False, with nothing changed, where some of it had come before or there are too many gaps.
  bool add(std::uint64_t offset_bytes, std::uint64_t size_bytes);

  std::uint64_t bytes() const { return bytes_; }

 private:
  struct Part {
    std::uint64_t from;
    std::uint64_t to;
  };
  std::vector<Part> parts_;  // in order, with gaps between
  std::uint64_t bytes_ = 0;
};

}  // namespace nmt::engine
