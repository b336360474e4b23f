// SPDX-License-Identifier: BSD-3-Clause
#include "control/pending_connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "core/error.h"

namespace nmt::control {
namespace {

// The kernel takes such a short message at once, or not at all.
bool send_now(int descriptor, Kind kind, std::span<const std::uint8_t> bytes) {
  const auto frame = encode({.kind = kind, .length_bytes = bytes.size()});
  std::vector<std::uint8_t> all(frame.begin(), frame.end());
  all.insert(all.end(), bytes.begin(), bytes.end());
  return ::send(descriptor, all.data(), all.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(all.size());
}

}  // namespace

PendingConnection::PendingConnection(Descriptor descriptor, std::string address)
    : descriptor_(std::move(descriptor)), address_(std::move(address)) {}

PendingConnection::State PendingConnection::leave(std::string reason) {
  reason_ = std::move(reason);
  return State::kGone;
}

void PendingConnection::refuse(const std::string& reason) {
  send_now(descriptor_.get(), kRefusal,
           std::span(reinterpret_cast<const std::uint8_t*>(reason.data()), reason.size()));
}

bool PendingConnection::hear() {
  const ssize_t n =
      ::recv(descriptor_.get(), heard_.data() + heard_bytes_, kBytes - heard_bytes_, 0);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (n <= 0)
    throw Error(Fault::kPeer,
                address_ + ": closed the connection before it proved that it knows the secret");
  heard_bytes_ += static_cast<std::size_t>(n);
  if (heard_bytes_ >= kFrameBytes) {
    const Frame frame = decode(std::span(heard_).first<kFrameBytes>(), sizeof(Nonce), address_);
    if (frame.kind != expected_ || frame.length_bytes != sizeof(Nonce)) {
      throw Error(Fault::kPeer, address_ + ": unexpected message in the handshake");
    }
  }
  return heard_bytes_ == kBytes;
}

PendingConnection::State PendingConnection::answer(const Secret& secret) {
  Nonce said{};
  std::copy(heard_.begin() + kFrameBytes, heard_.end(), said.begin());
  heard_bytes_ = 0;
  if (expected_ == kHello) {
    connecting_ = said;
    expected_ = kProof;
    return send_now(descriptor_.get(), kChallenge, listening_)
               ? State::kTalking
               : leave(address_ + ": does not read what is sent to it");
  }
  if (!equal(said, prove(secret, Role::kConnecting, connecting_, listening_))) {
    refuse("wrong secret");
    return leave(address_ + ": wrong secret");
  }
  const Proof proof = prove(secret, Role::kListening, connecting_, listening_);
  return send_now(descriptor_.get(), kWelcome, proof)
             ? State::kProven
             : leave(address_ + ": does not read what is sent to it");
}

PendingConnection::State PendingConnection::advance(const Secret& secret) {
  try {
    return hear() ? answer(secret) : State::kTalking;
  } catch (const Error& error) {
    refuse(error.what());
    return leave(error.what());
  }
}

}  // namespace nmt::control
