// SPDX-License-Identifier: BSD-3-Clause
//
// The current profile: one pointer. A thread that loads it sees the complete profile, because the
// profile was complete before the pointer was stored.
#include <atomic>
#include <new>

#include "include/nmadtune.h"

struct nmt_current {
  std::atomic<nmt_profile*> profile;
};

int nmt_current_new(nmt_profile* profile, nmt_current** current) {
  if (profile == nullptr || current == nullptr) return NMT_INVALID;
  *current = new (std::nothrow) nmt_current{profile};
  return *current != nullptr ? NMT_OK : NMT_NO_MEMORY;
}

void nmt_current_free(nmt_current* current) { delete current; }

nmt_profile* nmt_current_profile(const nmt_current* current) {
  return current != nullptr ? current->profile.load(std::memory_order_acquire) : nullptr;
}

nmt_profile* nmt_current_replace(nmt_current* current, nmt_profile* by) {
  if (current == nullptr || by == nullptr) return nullptr;
  return current->profile.exchange(by, std::memory_order_acq_rel);
}
