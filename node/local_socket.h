// SPDX-License-Identifier: BSD-3-Clause
//
// A connected Unix socket between two processes of one user that know only each other's text.
//
// The listening side makes an address (abstract, so nothing is left in a file system; random, so
// that nobody sits there first) and gives it to the other by whatever brought them together. Both
// ask the kernel for the other's user and process, and accept no one else. The socket hangs up
// when the other process ends, however it ends: that is how its death is noticed.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>

#include "core/deadline.h"
#include "core/descriptor.h"

namespace nmt {

class LocalSocket {
 public:
  // Both ends are processes `peer` of each other; Error(kPeer) at the deadline.
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

  // Drops strangers and goes on waiting.
  LocalSocket accept(pid_t peer, const Deadline& deadline);

 private:
  std::string address_;
  Descriptor descriptor_;
};

}  // namespace nmt
