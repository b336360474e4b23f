// SPDX-License-Identifier: BSD-3-Clause
//
// Traffic that keeps the rails beside the measured one busy, at one end of them.
//
// The measuring thread also drives these rails, as an engine drives all rails of a gate. While this
// end sends on the measured rail, messages go in the same direction on each other rail, two at a
// time. The receiver reports how many it has taken, so that the bytes in transit are bounded, and
// few compared with the measured transfer. Small messages go eagerly and large ones by rendezvous,
// as an engine would send them. The traffic stops when the other end reports that the transfer has
// arrived and its own has begun. docs/method.md, "Rails together".
//
// Every message has the complete state, so only the latest one counts and none needs an answer. The
// near end ends the traffic (finish()), the far end confirms, and then nothing is in transit.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "drivers/drivers.h"

namespace nmt::sampler {

class BusyRails {
 public:
  explicit BusyRails(drivers::Side side);
  BusyRails(BusyRails&&) noexcept;
  BusyRails& operator=(BusyRails&&) noexcept;
  ~BusyRails();

  // Adds a rail with these methods that is open at both ends; both ends add rails in the same
  // order.
  void add(std::unique_ptr<drivers::Endpoint> endpoint, const std::vector<Method>& methods);

  // This end has begun a transfer of this size on the measured rail.
  void begin_transfer(std::size_t size_bytes);
  void finish();                             // near end: the last transfer has come back
  void poll();                               // advances without waiting
  bool settled() const;                      // nothing is in transit, and nothing was begun since
  bool watch(std::vector<pollfd>& watched);  // on all of them, as Endpoint::watch()

 private:
  class Lane;
  drivers::Side side_;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace nmt::sampler
