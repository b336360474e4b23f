// SPDX-License-Identifier: BSD-3-Clause
#include "engine/wire.h"

#include <fmt/format.h>

#include <cstring>

#include "core/error.h"

namespace nmt::engine {
namespace {

// The error of a label by itself; null if there is none.
const char* fault_of(const Label& label) {
  const bool is_piece = carries_bytes(label.kind);
  if (label.kind < Kind::kEager || label.kind > Kind::kAhead) return "a packet of unknown kind";
  if (!is_piece && label.body_bytes != 0) return "an unexpected body";
  if (label.total_bytes > kTotalBytesMax) return "a message of an impossible size";
  if (label.offset_bytes > label.total_bytes ||
      (is_piece && label.body_bytes > label.total_bytes - label.offset_bytes)) {
    return "a piece beyond the end of its message";
  }
  if (is_piece && label.body_bytes == 0 && label.total_bytes != 0) return "an empty piece";
  return nullptr;
}

}  // namespace

void parse(drivers::ConstBytes headers, std::size_t body_bytes, std::string_view rail,
           Parsed& parsed) {
  const auto refuse = [&](const char* what) {
    throw Error(Fault::kPeer, fmt::format("{}: malformed message from the peer: {}", rail, what));
  };
  parsed.labels.clear();
  if (headers.size() < sizeof(Head) + sizeof(Label) ||
      (headers.size() - sizeof(Head)) % sizeof(Label) != 0) {
    refuse("its headers have an impossible size");
  }
  std::memcpy(&parsed.head, headers.data(), sizeof(Head));
  if (parsed.head.version != Head::kVersion)
    refuse("it has another version; install the same version on both ends");
  const drivers::ConstBytes rest = headers.subspan(sizeof(Head));
  std::size_t left_bytes = body_bytes;
  for (std::size_t at = 0; at < rest.size(); at += sizeof(Label)) {
    Label& label = parsed.labels.emplace_back();
    std::memcpy(&label, rest.data() + at, sizeof label);
    if (const char* fault = fault_of(label)) refuse(fault);
    if (label.body_bytes > left_bytes) refuse("it has fewer bytes than its headers announce");
    left_bytes -= label.body_bytes;
  }
  if (left_bytes != 0) refuse("it has more bytes than its headers announce");
}

}  // namespace nmt::engine
