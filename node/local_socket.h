// SPDX-License-Identifier: BSD-3-Clause
//
// A connected Unix socket between two processes of one user that can only pass each other a text.
//
// The listening process makes an address and gives it to the peer by the channel that they already
// have. The address is abstract, so that no file remains, and random, so that no other process can
// take it first. Both ask the kernel for the user and process of the other end, and accept only the
// expected one. The socket hangs up when the peer's process ends in any way: this is how its death
// is noticed.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>

#include "core/deadline.h"
#include "core/descriptor.h"

namespace nmt::node {

class LocalSocket {
 public:
  // Process `peer` must have made the other end. Error(kPeer) at the deadline.
  static LocalSocket connect(const std::string& address, pid_t peer, const Deadline& deadline);

  int descriptor() const { return descriptor_.get(); }
  bool peer_gone() const;  // hung up; does not block

 private:
  friend class LocalListener;
  explicit LocalSocket(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  Descriptor descriptor_;
};

class LocalListener {
 public:
  LocalListener();                                         // Error(kFailed)
  const std::string& address() const { return address_; }  // 32 hex digits

  // Drops connections from other processes and goes on waiting.
  LocalSocket accept(pid_t peer, const Deadline& deadline);

 private:
  std::string address_;
  Descriptor descriptor_;
};

}  // namespace nmt::node
