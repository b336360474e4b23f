// SPDX-License-Identifier: BSD-3-Clause
//
// Memory for messages. After an error the MPI may still write to it, so then it is never freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>

namespace nmt::collectives {

class MessageMemory {
 public:
  explicit MessageMemory(std::uint64_t bytes)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(bytes)) {}
  ~MessageMemory() {
    if (std::uncaught_exceptions() > exceptions_) bytes_.release();
  }
  MessageMemory(const MessageMemory&) = delete;
  std::byte* data() const { return bytes_.get(); }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace nmt::collectives
