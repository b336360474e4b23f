// SPDX-License-Identifier: BSD-3-Clause
#include "control/secret.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "control/proof.h"
#include "core/descriptor.h"
#include "core/error.h"
#include "core/hex.h"

namespace nmt::control {
namespace {

constexpr std::size_t kTextBytesMax = 256;  // limit of the first line; a secret has 64

// Reads byte by byte, so that it takes nothing after the line from standard input.
std::string first_line(int descriptor, const std::string& where) {
  std::string line;
  char byte = 0;
  while (line.size() < kTextBytesMax) {
    const ssize_t n = ::read(descriptor, &byte, 1);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw system_error(Fault::kUsage, fmt::format("read({})", where), errno);
    if (n == 0 || byte == '\n') break;
    line += byte;
  }
  return line;
}

std::string read_private_file(const std::string& file) {
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!descriptor) throw system_error(Fault::kUsage, fmt::format("open({})", file), errno);
  struct stat status = {};
  if (::fstat(descriptor.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    throw Error(Fault::kUsage, fmt::format("{}: the secret must be in a regular file", file));
  }
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    throw Error(
        Fault::kUsage,
        fmt::format("{}: other users can read or write this secret; run chmod 600 {}", file, file));
  }
  return first_line(descriptor.get(), file);
}

}  // namespace

Secret Secret::random() {
  Secret secret;
  secret.bytes_ = random_bytes();
  return secret;
}

Secret Secret::parse(std::string_view text, std::string_view where) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  text = text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
  Secret secret;
  if (!from_hex(text, secret.bytes_)) {
    throw Error(Fault::kUsage,
                fmt::format("{}: not a secret; a secret is 64 hex digits, as nmad-sample --serve "
                            "prints them",
                            where));
  }
  return secret;
}

std::string Secret::hex() const { return to_hex(bytes_); }

std::optional<Secret> find_secret(const std::string& file) {
  if (file == "-") {
    return Secret::parse(first_line(STDIN_FILENO, "standard input"), "standard input");
  }
  if (!file.empty()) return Secret::parse(read_private_file(file), file);
  const char* text = std::getenv(kSecretVariable);
  if (text == nullptr) return std::nullopt;
  const Secret secret = Secret::parse(text, fmt::format("${}", kSecretVariable));
  ::unsetenv(kSecretVariable);
  return secret;
}

}  // namespace nmt::control
