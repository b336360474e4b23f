// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/verbs/registrations.h"

#include <unistd.h>

#include <algorithm>

#include "core/error.h"

namespace nmt::drivers {

VerbsRegistrations::VerbsRegistrations(VerbsConnection& connection, VerbsAccess access,
                                       std::shared_ptr<node::UnmapWatch> watch,
                                       std::size_t kept_bytes_max)
    : connection_(connection),
      access_(access),
      watch_(std::move(watch)),
      kept_bytes_max_(kept_bytes_max) {
  if (watch_) watch_->subscribe(*this);
}

VerbsRegistrations::~VerbsRegistrations() {
  if (watch_) watch_->unsubscribe(*this);
}

std::shared_ptr<const VerbsRegion> VerbsRegistrations::get(ConstBytes memory) {
  const auto page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::uintptr_t begin = address / page_bytes * page_bytes;
  const std::uintptr_t end = (address + memory.size() + page_bytes - 1) / page_bytes * page_bytes;
  if (!watch_) return make(begin, end);
  if (auto found = find(begin, end)) return found;

  Regions dropped;  // released after the lock
  std::uint64_t changes = 0;
  {
    const auto lock = watch_->settled();
    changes = changes_;
    drop_stale(dropped);
  }
  dropped.clear();
  const bool watched = watch_->add(begin, end);
  Regions one;
  Kept& kept = one[begin];
  kept = {.end = end, .used = ++uses_, .stale = false, .region = make(begin, end)};
  auto region = kept.region;
  if (watched) keep(one, changes, dropped);
  return region;
}

std::shared_ptr<const VerbsRegion> VerbsRegistrations::find(std::uintptr_t begin,
                                                            std::uintptr_t end) {
  const auto lock = watch_->settled();
  auto after = regions_.upper_bound(begin);
  if (after == regions_.begin()) return nullptr;
  Kept& kept = std::prev(after)->second;
  if (kept.end < end || kept.stale) return nullptr;
  kept.used = ++uses_;
  return kept.region;
}

// Drops cached regions if the device has no space for a new one.
std::shared_ptr<const VerbsRegion> VerbsRegistrations::make(std::uintptr_t begin,
                                                            std::uintptr_t end) {
  const ConstBytes memory(reinterpret_cast<const std::byte*>(begin), end - begin);
  ++made_;
  for (;;) {
    try {
      return connection_.register_memory(memory, access_);
    } catch (const Error&) {
      Regions dropped;
      if (watch_) {
        const auto lock = watch_->settled();
        drop_oldest(dropped);
      }
      if (dropped.empty()) throw;
    }
  }
}

void VerbsRegistrations::keep(Regions& one, std::uint64_t changes, Regions& dropped) {
  const auto lock = watch_->settled();
  if (changes != changes_) return;  // perhaps of these pages: use it only once
  const std::uintptr_t begin = one.begin()->first, end = one.begin()->second.end;
  for (auto at = regions_.lower_bound(begin); at != regions_.end() && at->second.end <= end;) {
    move(at++, dropped);
  }
  kept_bytes_ += end - begin;
  regions_.merge(one);
  while (kept_bytes_ > kept_bytes_max_ && regions_.size() > 1) drop_oldest(dropped);
}

void VerbsRegistrations::drop_stale(Regions& dropped) {
  for (auto at = regions_.begin(); at != regions_.end();) {
    const auto next = std::next(at);
    if (at->second.stale) move(at, dropped);
    at = next;
  }
}

void VerbsRegistrations::drop_oldest(Regions& dropped) {
  const auto oldest =
      std::ranges::min_element(regions_, {}, [](const auto& region) { return region.second.used; });
  if (oldest != regions_.end()) move(oldest, dropped);
}

void VerbsRegistrations::move(Regions::iterator from, Regions& to) {
  kept_bytes_ -= from->second.end - from->first;
  to.insert(regions_.extract(from));
}

void VerbsRegistrations::unmapped(std::uintptr_t begin, std::uintptr_t end) noexcept {
  ++changes_;
  for (auto& [first, kept] : regions_) {
    if (first < end && begin < kept.end) kept.stale = true;
  }
}

}  // namespace nmt::drivers
