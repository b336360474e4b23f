// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/storage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "core/error.h"
#include "runtime/layout.h"

namespace nmt {
namespace {

constexpr std::align_val_t kAlignment{kSectionAlignment};

}  // namespace

Storage Storage::allocate(std::size_t size_bytes) {
  Storage storage;
  storage.data_ = static_cast<std::byte*>(::operator new(size_bytes, kAlignment));
  storage.size_ = size_bytes;
  std::memset(storage.data_, 0, size_bytes);
  return storage;
}

Storage Storage::map(const std::string& file) {
  // O_NONBLOCK: a FIFO must not make us wait for its writer.
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    throw system_error(Fault::kDatabase, fmt::format("open({})", file), errno);
  }
  struct stat status {};
  void* data = MAP_FAILED;
  int error = 0;
  if (::fstat(descriptor, &status) != 0) {
    error = errno;
  } else if (!S_ISREG(status.st_mode) || status.st_size == 0) {
    error = EINVAL;
  } else if (static_cast<std::uint64_t>(status.st_size) > kSnapshotBytesMax) {
    error = EFBIG;
  } else {
    data = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_SHARED,
                  descriptor, 0);
    error = errno;
  }
  ::close(descriptor);
  if (data == MAP_FAILED)
    throw system_error(Fault::kDatabase, fmt::format("mmap({})", file), error);
  Storage storage;
  storage.data_ = static_cast<std::byte*>(data);
  storage.size_ = static_cast<std::size_t>(status.st_size);
  storage.mapped_ = true;
  return storage;
}

Storage::Storage(Storage&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      mapped_(other.mapped_) {}

Storage& Storage::operator=(Storage&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

Storage::~Storage() {
  if (data_ == nullptr) return;
  if (mapped_) {
    ::munmap(data_, size_);
  } else {
    ::operator delete(data_, kAlignment);
  }
}

}  // namespace nmt
