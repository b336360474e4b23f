// SPDX-License-Identifier: BSD-3-Clause
//
// Memory shared by two processes, without a name in any shared folder.
//
// A memfd, sealed against shrinking, all its pages reserved when it is made (so that a full
// machine is an error there and not SIGBUS later). It travels as a descriptor over a Unix socket
// whose other end's user is checked. Nothing is left behind however the processes end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace nmt {

class SharedSegment {
 public:
  static SharedSegment create(std::size_t size_bytes);       // zeroed; Error(kFailed)
  static SharedSegment receive(int socket, std::size_t size_bytes_expected);  // Error(kPeer)
  void send(int socket) const;

  SharedSegment(SharedSegment&&) noexcept;
  SharedSegment& operator=(SharedSegment&&) noexcept;
  SharedSegment(const SharedSegment&) = delete;
  ~SharedSegment();

  std::span<std::byte> memory() const { return memory_; }

 private:
  SharedSegment(int descriptor, std::span<std::byte> memory);
  int descriptor_ = -1;
  std::span<std::byte> memory_;
};

// A connected Unix socket between two processes of one user that know only each other's text:
// the listening side makes an address (abstract, random), the other connects; both check the
// other's user and process. Error(kPeer) at the deadline (monotonic, nanoseconds from now).
class LocalSocket {
 public:
  static LocalSocket listen();
  std::string address() const { return address_; }
  void accept(pid_t peer, std::uint64_t timeout_ns);  // drops strangers and goes on waiting
  static LocalSocket connect(const std::string& address, pid_t peer, std::uint64_t timeout_ns);

  LocalSocket(LocalSocket&&) noexcept;
  LocalSocket& operator=(LocalSocket&&) noexcept;
  LocalSocket(const LocalSocket&) = delete;
  ~LocalSocket();

  int descriptor() const { return descriptor_; }
  bool peer_gone() const;  // hung up; does not block

 private:
  LocalSocket() = default;
  int descriptor_ = -1;
  std::string address_;
};

}  // namespace nmt
