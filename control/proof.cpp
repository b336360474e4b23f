// SPDX-License-Identifier: BSD-3-Clause
#include "control/proof.h"

#include <openssl/crypto.h>
#include <openssl/hmac.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace nmt::control {

Nonce random_bytes() {
  Nonce nonce{};
  // Up to 256 bytes arrive complete or not at all (getrandom(2)).
  while (::getrandom(nonce.data(), nonce.size(), 0) != static_cast<ssize_t>(nonce.size())) {
    if (errno != EINTR) throw system_error(Fault::kFailed, "getrandom", errno);
  }
  return nonce;
}

Proof prove(const Secret& secret, Role role, const Nonce& connecting, const Nonce& listening) {
  constexpr std::string_view kPurpose = "nmadtune control";
  std::vector<std::uint8_t> text(kPurpose.begin(), kPurpose.end());
  text.push_back(static_cast<std::uint8_t>(role));
  text.insert(text.end(), connecting.begin(), connecting.end());
  text.insert(text.end(), listening.begin(), listening.end());
  Proof proof{};
  unsigned length = 0;
  const unsigned char* made =
      ::HMAC(EVP_sha256(), secret.bytes().data(), static_cast<int>(secret.bytes().size()),
             text.data(), text.size(), proof.data(), &length);
  if (made == nullptr || length != proof.size()) {
    throw Error(Fault::kFailed, "HMAC-SHA256: the crypto library refuses");
  }
  return proof;
}

bool equal(const Proof& a, const Proof& b) {
  return ::CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace nmt::control
