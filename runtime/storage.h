// SPDX-License-Identifier: BSD-3-Clause
//
// The bytes of a snapshot in private memory. A file is read, not mapped: if the file is truncated
// or overwritten later, the checked bytes here do not change. Aligned as a snapshot requires; freed
// with the object.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace nmt::runtime {

class Storage {
 public:
  static Storage allocate(std::size_t size_bytes);  // all zero; throws std::bad_alloc
  // The bytes of a regular file. Throws Error(kDatabase).
  static Storage read(const std::string& file);

  Storage() = default;
  Storage(Storage&& other) noexcept;
  Storage& operator=(Storage&& other) noexcept;
  ~Storage();

  std::span<std::byte> writable() { return {data_, size_}; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  static Storage uninitialized(std::size_t size_bytes);

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace nmt::runtime
