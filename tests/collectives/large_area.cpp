// SPDX-License-Identifier: BSD-3-Clause
#include "tests/collectives/large_area.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace nmt::testing {
namespace {

void require(bool done, const char* what) {
  if (done) return;
  std::perror(what);
  std::abort();
}

}  // namespace

LargeArea::LargeArea(std::size_t blocks, std::size_t block_bytes)
    : blocks_(blocks), block_bytes_(block_bytes) {
  void* all =
      ::mmap(nullptr, size_bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  require(all != MAP_FAILED, "mmap");
  data_ = static_cast<unsigned char*>(all);
  const int memory = ::memfd_create("nmadtune-test", MFD_CLOEXEC);
  require(memory >= 0, "memfd_create");
  require(::ftruncate(memory, static_cast<off_t>(blocks * own_bytes())) == 0, "ftruncate");
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t begin = block * block_bytes, tail = begin + block_bytes - tail_bytes();
    const std::size_t own = block * own_bytes();
    map(memory, begin, own, kPartBytes);
    for (std::size_t at = begin + kPartBytes; at < tail; at += kPartBytes) {
      map(memory, at, own + kPartBytes, kPartBytes);
    }
    map(memory, tail, own + 2 * kPartBytes, tail_bytes());
  }
  ::close(memory);
}

LargeArea::~LargeArea() { ::munmap(data_, size_bytes()); }

void LargeArea::map(int memory, std::size_t at, std::size_t offset, std::size_t bytes) const {
  require(::mmap(data_ + at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory,
                 static_cast<off_t>(offset)) != MAP_FAILED,
          "mmap of a part");
}

std::vector<std::span<unsigned char>> LargeArea::parts(std::size_t block) const {
  unsigned char* begin = data_ + block * block_bytes_;
  return {{begin, kPartBytes},
          {begin + kPartBytes, kPartBytes},
          {begin + block_bytes_ - tail_bytes(), tail_bytes()}};
}

void LargeArea::fill(std::size_t block, unsigned seed) {
  std::minstd_rand random(seed + 1);
  for (const std::span<unsigned char> part : parts(block)) {
    auto* words = reinterpret_cast<std::uint32_t*>(part.data());
    for (std::size_t i = 0; i < part.size() / sizeof *words; ++i) {
      words[i] = static_cast<std::uint32_t>(random());
    }
  }
}

std::vector<unsigned char> LargeArea::content() const {
  std::vector<unsigned char> all;
  for (std::size_t block = 0; block < blocks_; ++block) {
    for (const std::span<unsigned char> part : parts(block)) {
      all.insert(all.end(), part.begin(), part.end());
    }
  }
  return all;
}

}  // namespace nmt::testing
