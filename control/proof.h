// SPDX-License-Identifier: BSD-3-Clause
//
// Proofs of knowing the secret: HMAC-SHA256 over the nonces of both ends and the role of the
// prover.
//
// The nonces make every old proof invalid. The role prevents an end from sending the other end's
// proof back as its own.
#pragma once

#include <array>
#include <cstdint>

#include "control/secret.h"

namespace nmt::control {

using Nonce = std::array<std::uint8_t, 32>;
using Proof = std::array<std::uint8_t, 32>;

enum class Role : std::uint8_t { kConnecting = 'c', kListening = 'l' };

Nonce random_bytes();  // from the kernel

Proof prove(const Secret& secret, Role role, const Nonce& connecting, const Nonce& listening);
bool equal(const Proof& a, const Proof& b);  // in constant time

}  // namespace nmt::control
