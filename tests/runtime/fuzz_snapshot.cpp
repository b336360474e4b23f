// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as a snapshot, with the length and the digest that they should have, since the checks
// must stand without these: refused, or every question answered without harm (runtime/snapshot.h).
#include <cstring>

#include "core/error.h"
#include "runtime/older_version.h"
#include "runtime/snapshot.h"
#include "runtime/storage.h"
#include "tests/runtime/ask_everything.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::size_t padded = (size + nmt::runtime::kSectionAlignment - 1) /
                             nmt::runtime::kSectionAlignment * nmt::runtime::kSectionAlignment;
  nmt::runtime::Storage snapshot = nmt::runtime::Storage::allocate(padded);
  if (size > 0) std::memcpy(snapshot.writable().data(), data, size);
  if (padded >= sizeof(nmt::runtime::SnapshotHeader)) {
    auto* header = reinterpret_cast<nmt::runtime::SnapshotHeader*>(snapshot.writable().data());
    header->file_bytes = padded;
    header->digest = nmt::runtime::snapshot_digest(snapshot.bytes());
  }
  try {
    snapshot = nmt::runtime::completed(std::move(snapshot), "fuzz");
    nmt::planted::ask_everything(snapshot.bytes());
  } catch (const nmt::Error&) {  // refused
  }
  return 0;
}
