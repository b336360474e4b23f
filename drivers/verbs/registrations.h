// SPDX-License-Identifier: BSD-3-Clause
//
// Registers memory of the caller once and reuses the registration: registering costs more than
// sending a page.
//
// It registers whole pages. No cached region lies within another, so regions ordered by their begin
// are also ordered by their end, and one lookup finds whether a region covers a range. The least
// recently used regions are dropped if the cache exceeds `kept_bytes_max`, or if the device takes
// no more. A region whose memory is unmapped is dropped at once (node/unmap_watch.h), and released
// at the next registration. If the kernel does not report unmapping, nothing is cached. A region in
// use lives until its last user is done. Belongs to one endpoint and its thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "drivers/verbs/device.h"
#include "node/node.h"

namespace nmt::drivers {

class VerbsRegistrations final : private node::UnmapWatch::Listener {
 public:
  // `connection` must outlive this object and all its regions; `watch` may be null.
  VerbsRegistrations(VerbsConnection& connection, VerbsAccess access,
                     std::shared_ptr<node::UnmapWatch> watch, std::size_t kept_bytes_max);
  ~VerbsRegistrations() override;

  // A region that covers all of `memory`, which is not empty. Error(kFailed) if it cannot be
  // registered.
  std::shared_ptr<const VerbsRegion> get(ConstBytes memory);

  std::uint64_t made() const { return made_; }  // registrations so far

 private:
  struct Kept {
    std::uintptr_t end = 0;
    std::uint64_t used = 0;  // value of uses_ at its last use
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
  std::shared_ptr<node::UnmapWatch> watch_;
  std::size_t kept_bytes_max_;
  std::uint64_t made_ = 0;
  std::uint64_t uses_ = 0;

  // Below: only with the watch's lock held. Under it nothing may be allocated or freed.
  Regions regions_;
  std::size_t kept_bytes_ = 0;
  std::uint64_t changes_ = 0;  // of mappings, as reported by the watch
};

}  // namespace nmt::drivers
