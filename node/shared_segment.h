// SPDX-License-Identifier: BSD-3-Clause
//
// Memory shared by two processes, without a name in any shared folder.
//
// It is a memfd, sealed against any change of its size. create() reserves all pages, so that a full
// machine is an error there and not SIGBUS later. The descriptor travels over a local socket
// (node/local_socket.h). Nothing remains, however the processes end.
#pragma once

#include <cstddef>
#include <span>

#include "core/descriptor.h"
#include "node/local_socket.h"

namespace nmt::node {

class SharedSegment {
 public:
  static SharedSegment create(std::size_t size_bytes);  // zeroed; Error(kFailed)

  // The segment that the other end sent. Error(kPeer) if nothing arrives before the deadline, or if
  // it is not a sealed segment of this size.
  static SharedSegment receive(LocalSocket& socket, std::size_t size_bytes_expected,
                               const Deadline& deadline);
  void send(LocalSocket& socket) const;  // Error(kPeer)
  void close() { descriptor_ = {}; }     // it cannot be sent any more; the memory stays

  SharedSegment(SharedSegment&& other) noexcept;
  SharedSegment& operator=(SharedSegment&&) = delete;
  ~SharedSegment();

  std::span<std::byte> memory() const { return memory_; }

 private:
  SharedSegment(Descriptor descriptor, std::size_t size_bytes);  // maps it
  Descriptor descriptor_;
  std::span<std::byte> memory_;
};

}  // namespace nmt::node
