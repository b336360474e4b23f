// SPDX-License-Identifier: BSD-3-Clause
//
// The handshake, as the listening end runs it. It serves any number of unproven connections at
// once; each has a fixed number of bytes of memory and its own deadline.
//
//   connecting                     listening
//   kHello      its nonce      ->
//                              <-  kChallenge  its nonce
//   kProof      HMAC           ->
//                              <-  kWelcome    HMAC, or kRefusal with the reason
//
// The connecting end proves itself first: a listener sends its proof to no unproven end.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "control/frame.h"
#include "control/proof.h"
#include "core/deadline.h"
#include "core/descriptor.h"

namespace nmt::control {

// Kinds of messages of the handshake. Users of a proven connection define their own.
enum Kind : std::uint16_t { kHello = 1, kChallenge, kProof, kWelcome, kRefusal };

inline constexpr std::chrono::seconds kProofTimeout{3};
inline constexpr std::size_t kReasonBytesMax = 512;  // of a refusal

// A connection that has not proven anything yet.
class PendingConnection {
 public:
  PendingConnection(Descriptor descriptor, std::string address);

  enum class State { kTalking, kProven, kGone };
  State advance(const Secret& secret);  // never waits
  bool late() const { return deadline_.passed(); }
  void refuse(const std::string& reason);  // sends the reason, if the other end reads it

  const std::string& address() const { return address_; }
  const std::string& reason() const { return reason_; }  // why it is kGone
  int descriptor() const { return descriptor_.get(); }
  Descriptor take() { return std::move(descriptor_); }

 private:
  static constexpr std::size_t kBytes = kFrameBytes + sizeof(Nonce);  // of each message

  bool hear();  // true if a whole message has arrived
  State answer(const Secret& secret);
  State leave(std::string reason);

  Descriptor descriptor_;
  std::string address_;
  Deadline deadline_{kProofTimeout};
  std::array<std::uint8_t, kBytes> heard_{};
  std::size_t heard_bytes_ = 0;
  Kind expected_ = kHello;
  Nonce connecting_{};
  Nonce listening_ = random_bytes();
  std::string reason_;
};

}  // namespace nmt::control
