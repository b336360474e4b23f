// SPDX-License-Identifier: BSD-3-Clause
#include "profiledb/repetitions.h"

#include <cstdint>
#include <limits>

#include "core/error.h"

namespace nmt::profiledb {
namespace {

void append_varint(std::uint64_t value, std::string* bytes) {
  while (value >= 0x80) {
    *bytes += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *bytes += static_cast<char>(value);
}

// Differences wrap around, so every pair of values has one.
void append_difference(std::uint64_t before, std::uint64_t now, std::string* bytes) {
  const std::uint64_t difference = now - before;
  const std::uint64_t sign = difference >> 63;
  append_varint((difference << 1) ^ (0 - sign), bytes);
}

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : left_(bytes) {}

  bool at_end() const { return left_.empty(); }
  std::size_t bytes_left() const { return left_.size(); }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (left_.empty()) refuse();
      const auto byte = static_cast<std::uint8_t>(left_.front());
      left_.remove_prefix(1);
      const std::uint64_t bits = byte & 0x7Fu;
      if ((bits << shift) >> shift != bits) refuse();
      value |= bits << shift;
      if ((byte & 0x80) == 0) return value;
    }
    refuse();
  }

  std::uint64_t after(std::uint64_t before) {
    const std::uint64_t zigzag = varint();
    return before + ((zigzag >> 1) ^ (0 - (zigzag & 1)));
  }

  std::uint32_t after32(std::uint32_t before) {
    const std::uint64_t value = after(before);
    if (value > std::numeric_limits<std::uint32_t>::max()) refuse();
    return static_cast<std::uint32_t>(value);
  }

  [[noreturn]] static void refuse() {
    throw Error(Fault::kFailed, "repetitions in an unknown layout");
  }

 private:
  std::string_view left_;
};

}  // namespace

std::string encode_repetitions(std::span<const Repetition> repetitions) {
  std::string bytes;
  Repetition before{.total_ns = 0, .batch = 0};
  while (!repetitions.empty()) {
    const Repetition& first = repetitions.front();
    std::size_t length = 1;
    while (length < repetitions.size() && repetitions[length].batch == first.batch &&
           repetitions[length].round == first.round &&
           repetitions[length].disturbed == first.disturbed) {
      ++length;
    }
    append_varint(2 * length + (first.disturbed ? 1 : 0), &bytes);
    append_difference(before.batch, first.batch, &bytes);
    append_difference(before.round, first.round, &bytes);
    for (const Repetition& repetition : repetitions.first(length)) {
      append_difference(before.total_ns, repetition.total_ns, &bytes);
      before = repetition;
    }
    repetitions = repetitions.subspan(length);
  }
  return bytes;
}

std::vector<Repetition> decode_repetitions(std::string_view bytes) {
  std::vector<Repetition> repetitions;
  Repetition current{.total_ns = 0, .batch = 0};
  Decoder decoder(bytes);
  while (!decoder.at_end()) {
    const std::uint64_t head = decoder.varint();
    const std::uint64_t length = head / 2;
    current.disturbed = head % 2 == 1;
    current.batch = decoder.after32(current.batch);
    current.round = decoder.after32(current.round);
    if (length == 0 || length > decoder.bytes_left() || current.batch == 0) Decoder::refuse();
    for (std::uint64_t i = 0; i < length; ++i) {
      current.total_ns = decoder.after(current.total_ns);
      repetitions.push_back(current);
    }
  }
  return repetitions;
}

}  // namespace nmt::profiledb
