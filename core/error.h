// SPDX-License-Identifier: BSD-3-Clause
//
// The two kinds of error of this project.
//
// A bug aborts with a message (NMT_CHECK). An operation that can fail throws one Error, but never
// on the hot path. Its Fault is also the exit code of the commands, so the code that knows the
// cause decides what the caller's script sees. A message names the thing, the cause and the way
// out: "tcp:r0: no route to peer 10.0.0.2; bring the interface up (ip link set dev r0 up)".
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace nmt {

// Exit codes of the commands (docs/reference/exit-codes.md).
enum class Fault {
  kFailed = 1,    // the operation failed
  kUsage = 2,     // the caller asked for something that does not exist or makes no sense
  kNoRail = 3,    // no usable rail
  kPartial = 4,   // partial, or too disturbed to trust
  kPeer = 5,      // peer lost or timed out
  kDatabase = 6,  // profile database unusable
  kStale = 7,     // the profile does not hold for this platform as it is now
};

class Error : public std::runtime_error {
 public:
  Error(Fault fault, const std::string& message) : std::runtime_error(message), fault_(fault) {}
  Fault fault() const { return fault_; }

 private:
  Fault fault_;
};

// An Error for a failed system call: "CALL: strerror(errno_value); REMEDY". `call` carries its
// arguments ("open(/etc/x)"); `remedy` may be empty.
Error system_error(Fault fault, std::string_view call, int errno_value,
                   std::string_view remedy = {});

// Prints the message with its place and aborts.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace nmt

// A condition that only a bug can break. Release builds check it too. Never used on the decision
// path.
#define NMT_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::nmt::check_failed(#condition, __FILE__, __LINE__))
