// SPDX-License-Identifier: BSD-3-Clause
//
// The implementation of nmt_profile, and how structs cross the C ABI.
//
// An open profile is immutable. Its first cache line has what decisions use.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "core/fields.h"
#include "core/signature.h"
#include "include/nmadtune.h"
#include "runtime/collective_rules.h"
#include "runtime/snapshot.h"
#include "runtime/storage.h"

struct alignas(64) nmt_profile {
  nmt::runtime::View view;
  std::vector<nmt::Signature> signatures;
  nmt::runtime::CollectiveRules collective_rules;
  std::uint32_t advice_flags = 0;         // NMT_ADVICE_FOREIGN, _UNCONFIRMED or 0
  std::vector<std::uint32_t> path_flags;  // the same of each path; empty: all have advice_flags
  nmt::runtime::Storage storage;
  std::string file;
  std::vector<nmt::Difference> differences;
};

namespace nmt::runtime {

// Copies the part of the caller's struct that both sides know; the rest is 0. False if it cannot be
// such a struct.
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

// Writes the part that fits. `theirs` must be is_writable(); its struct_bytes stays.
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

// Of advice over a path, which must be one.
inline std::uint32_t flags_of(const nmt_profile& profile, std::size_t path) {
  return profile.path_flags.empty() ? profile.advice_flags : profile.path_flags[path];
}

// Whether profile, path and size are valid together: NMT_OK, or the status that says why not.
inline int check_question(const nmt_profile* profile, int path, std::uint64_t size_bytes) {
  if (profile == nullptr || size_bytes > kSizeBytesMax) [[unlikely]]
    return NMT_INVALID;
  if (!is_path(profile, path)) [[unlikely]]
    return NMT_UNKNOWN;
  return NMT_OK;
}

}  // namespace nmt::runtime
