// SPDX-License-Identifier: BSD-3-Clause
//
// Proving the secret to each other, as seen from the listening side: any number of strangers at
// once, each with a fixed number of bytes of memory and a deadline of its own.
//
//   connecting                     listening
//   kHello      its nonce      ->
//                              <-  kChallenge  its nonce
//   kProof      HMAC           ->
//                              <-  kWelcome    HMAC, or kRefusal with the reason
//
// The connecting side proves itself first: a listener gives proofs to nobody unproven.
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

// Kinds of messages here; those who talk over a proven connection have their own.
enum Kind : std::uint16_t { kHello = 1, kChallenge, kProof, kWelcome, kRefusal };

inline constexpr std::chrono::seconds kProofTimeout{3};
inline constexpr std::size_t kReasonBytesMax = 512;  // of a refusal

// Somebody who connected and has not proven anything yet.
class PendingConnection {
 public:
  PendingConnection(Descriptor descriptor, std::string address);

  enum class State { kTalking, kProven, kGone };
  State advance(const Secret& secret);  // never waits
  bool late() const { return deadline_.passed(); }
  void refuse(const std::string& reason);  // tells it, as far as it listens

  const std::string& address() const { return address_; }
  const std::string& reason() const { return reason_; }  // why it is gone
  int descriptor() const { return descriptor_.get(); }
  Descriptor take() { return std::move(descriptor_); }

 private:
  static constexpr std::size_t kBytes = kFrameBytes + sizeof(Nonce);  // of each message

  bool hear();  // true where a message is there
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
