// SPDX-License-Identifier: BSD-3-Clause
//
// What stands behind an nmt_profile, and how structs cross the C ABI.
//
// A profile is immutable once it is open. Its first cache line holds what decisions ask for.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "core/fields.h"
#include "core/signature.h"
#include "include/nmadtune.h"
#include "runtime/snapshot.h"
#include "runtime/storage.h"

struct alignas(64) nmt_profile {
  nmt::View view;
  std::vector<nmt::Signature> signatures;
  std::uint32_t advice_flags = 0;  // NMT_ADVICE_FOREIGN or 0
  nmt::Storage storage;
  std::string file;
  std::vector<nmt::Difference> differences;
};

namespace nmt {

// A struct of the caller's, as much of it as both sides know; the rest 0. False where it cannot
// be one.
template <class Struct>
bool get(const Struct* theirs, Struct& ours) {
  ours = {};
  if (theirs == nullptr || theirs->struct_bytes < 2 * sizeof(std::uint32_t)) return false;
  std::memcpy(&ours, theirs, std::min<std::size_t>(theirs->struct_bytes, sizeof(Struct)));
  return true;
}

template <class Struct>
bool is_writable(const Struct* theirs) {
  return theirs != nullptr && theirs->struct_bytes >= 2 * sizeof(std::uint32_t);
}

// Writes what fits. `theirs` is_writable(); its struct_bytes stays.
template <class Struct>
void put(Struct* theirs, Struct ours) {
  ours.struct_bytes = theirs->struct_bytes;
  if (ours.struct_bytes >= sizeof(Struct)) {
    *theirs = ours;
  } else {
    std::memcpy(theirs, &ours, ours.struct_bytes);
  }
}

inline bool is_path(const nmt_profile* profile, int path) {
  return static_cast<std::uint32_t>(path) < profile->view.paths.size();
}

// Whether a profile, a path and a size make sense together; NMT_OK or why not.
inline int check_question(const nmt_profile* profile, int path, std::uint64_t size_bytes) {
  if (profile == nullptr || size_bytes > kSizeBytesMax) [[unlikely]]
    return NMT_INVALID;
  if (!is_path(profile, path)) [[unlikely]]
    return NMT_UNKNOWN;
  return NMT_OK;
}

}  // namespace nmt
