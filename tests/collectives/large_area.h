// SPDX-License-Identifier: BSD-3-Clause
//
// More bytes of address space than a call has memory for: a block begins with a part of its own and
// ends with one; between them it has one part again and again.
//
// What a call writes there comes out the same in whatever order the parts are written, if each is
// written last with what belongs there. The size of a part divides no power of two above 4 pages,
// so that bytes at an offset that was cut to 31 or 32 bits are others.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace nmt::testing {

class LargeArea {
 public:
  // Blocks of so many bytes each, one after the other: a multiple of a page, above 16 MiB.
  LargeArea(std::size_t blocks, std::size_t block_bytes);
  ~LargeArea();
  LargeArea(const LargeArea&) = delete;

  unsigned char* data() const { return data_; }
  std::size_t size_bytes() const { return blocks_ * block_bytes_; }
  std::size_t block_bytes() const { return block_bytes_; }

  void fill(std::size_t block, unsigned seed);  // with what `seed` gives
  std::vector<unsigned char> content() const;   // all that is there, each part once

 private:
  static constexpr std::size_t kPartBytes = (std::size_t{4} << 20) + 3 * 4096;

  std::size_t tail_bytes() const { return block_bytes_ % kPartBytes + kPartBytes; }
  std::size_t own_bytes() const { return 2 * kPartBytes + tail_bytes(); }  // memory of a block
  void map(int memory, std::size_t at, std::size_t offset, std::size_t bytes) const;
  std::vector<std::span<unsigned char>> parts(std::size_t block) const;  // each once

  std::size_t blocks_, block_bytes_;
  unsigned char* data_ = nullptr;
};

}  // namespace nmt::testing
