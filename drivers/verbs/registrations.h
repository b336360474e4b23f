// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of the caller, registered once and used again: registering costs more than sending a page.
//
// Whole pages are registered. No kept region lies within another, so that regions in order of their
// beginnings are in order of their ends, and whether one covers a stretch of memory is one look.
// The least recently used ones go where more is kept than `kept_bytes_max`, or where the device
// takes no more. Memory that is unmapped is forgotten at once (node/unmap_watch.h), and given free
// with the next registration; where the kernel does not tell of that, nothing is kept. A region in
// use lives on until its last user is done. Belongs to one endpoint and its thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "drivers/verbs/device.h"
#include "node/node.h"

namespace nmt {

class VerbsRegistrations final : private UnmapWatch::Listener {
 public:
  // `connection` must outlive it and all its regions; `watch` may be null.
  VerbsRegistrations(VerbsConnection& connection, VerbsAccess access,
                     std::shared_ptr<UnmapWatch> watch, std::size_t kept_bytes_max);
  ~VerbsRegistrations() override;

  // Covers all of `memory`, which is not empty. Error(kFailed) where it cannot be registered.
  std::shared_ptr<const VerbsRegion> get(ConstBytes memory);

  std::uint64_t made() const { return made_; }  // registrations so far

 private:
  struct Kept {
    std::uintptr_t end = 0;
    std::uint64_t used = 0;  // at which of all uses, the last time
    bool stale = false;
    std::shared_ptr<const VerbsRegion> region;
  };
  using Regions = std::map<std::uintptr_t, Kept>;

  void unmapped(std::uintptr_t begin, std::uintptr_t end) noexcept override;
  std::shared_ptr<const VerbsRegion> find(std::uintptr_t begin, std::uintptr_t end);
  std::shared_ptr<const VerbsRegion> make(std::uintptr_t begin, std::uintptr_t end);
  void keep(Regions& one, std::uint64_t changes, Regions& dropped);
  void drop_stale(Regions& dropped);
  void drop_oldest(Regions& dropped);
  void move(Regions::iterator from, Regions& to);

  VerbsConnection& connection_;
  VerbsAccess access_;
  std::shared_ptr<UnmapWatch> watch_;
  std::size_t kept_bytes_max_;
  std::uint64_t made_ = 0;
  std::uint64_t uses_ = 0;

  // Below: only with the watch's lock held, under which nothing may be allocated or given free.
  Regions regions_;
  std::size_t kept_bytes_ = 0;
  std::uint64_t changes_ = 0;  // of mappings that the watch told of
};

}  // namespace nmt
