// SPDX-License-Identifier: BSD-3-Clause
//
// Proofs that one knows the secret: HMAC-SHA256 over both sides' nonces and who is proving.
//
// Both nonces are in it, so that no old proof is ever right again; the role is in it, so that
// nobody's proof can be sent back as one's own.
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
bool equal(const Proof& a, const Proof& b);  // takes the same time wherever they differ

}  // namespace nmt::control
