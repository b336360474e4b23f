// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/storage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "core/descriptor.h"
#include "core/error.h"
#include "runtime/layout.h"

namespace nmt::runtime {
namespace {

constexpr std::align_val_t kAlignment{kSectionAlignment};

// The size of the file; checks that it is regular and may be a snapshot.
std::size_t checked_size(int descriptor, const std::string& file) {
  struct stat status {};
  int error = 0;
  if (::fstat(descriptor, &status) != 0) {
    error = errno;
  } else if (!S_ISREG(status.st_mode) || status.st_size == 0) {
    error = EINVAL;
  } else if (static_cast<std::uint64_t>(status.st_size) > kSnapshotBytesMax) {
    error = EFBIG;
  }
  if (error != 0) throw system_error(Fault::kDatabase, fmt::format("open({})", file), error);
  return static_cast<std::size_t>(status.st_size);
}

void read_all(int descriptor, std::span<std::byte> bytes, const std::string& file) {
  while (!bytes.empty()) {
    const ssize_t count = ::read(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw system_error(Fault::kDatabase, fmt::format("read({})", file), errno);
    if (count == 0) {
      throw Error(Fault::kDatabase, fmt::format("{}: truncated while it was read; write it again "
                                                "with nmad-tune compile, which replaces "
                                                "the whole file",
                                                file));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

}  // namespace

Storage Storage::uninitialized(std::size_t size_bytes) {
  Storage storage;
  storage.data_ = static_cast<std::byte*>(::operator new(size_bytes, kAlignment));
  storage.size_ = size_bytes;
  return storage;
}

Storage Storage::allocate(std::size_t size_bytes) {
  Storage storage = uninitialized(size_bytes);
  std::memset(storage.data_, 0, size_bytes);
  return storage;
}

Storage Storage::read(const std::string& file) {
  // O_NONBLOCK: opening a FIFO must not wait for its writer.
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!descriptor) throw system_error(Fault::kDatabase, fmt::format("open({})", file), errno);
  Storage storage = uninitialized(checked_size(descriptor.get(), file));
  read_all(descriptor.get(), storage.writable(), file);
  return storage;
}

Storage::Storage(Storage&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Storage& Storage::operator=(Storage&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Storage::~Storage() { ::operator delete(data_, kAlignment); }

}  // namespace nmt::runtime
