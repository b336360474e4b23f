// SPDX-License-Identifier: BSD-3-Clause
//
// Where the bytes of a snapshot live: on the heap, or mapped read-only from a file, so that all
// ranks of a node share one copy. Aligned as a snapshot must be; freed with the object.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace nmt {

class Storage {
 public:
  static Storage allocate(std::size_t size_bytes);  // of zeros; throws std::bad_alloc
  // A regular file that nobody writes to any more; throws Error(kDatabase).
  static Storage map(const std::string& file);

  Storage() = default;
  Storage(Storage&& other) noexcept;
  Storage& operator=(Storage&& other) noexcept;
  ~Storage();

  std::span<std::byte> writable() { return {data_, size_}; }  // not where mapped
  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  bool mapped_ = false;
};

}  // namespace nmt
