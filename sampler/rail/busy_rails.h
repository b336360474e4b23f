// SPDX-License-Identifier: BSD-3-Clause
//
// Traffic that keeps the rails beside the measured one busy, at one end of them.
//
// The thread that measures drives these rails too, as an engine drives all rails of a gate. While
// this end sends on the measured rail, messages go the same way on each of the others, two at a
// time: the receiver says how many it has taken, so that what is on its way stays bounded, and
// small beside the measured transfer. They stop when the other end says that the transfer has
// arrived and its own has begun. docs/method.md, "Rails together".
//
// Every message says all there is to say, so that only the latest counts and none is owed. The near
// end ends the traffic (finish()), the far end agrees, and from then on nothing is on its way.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "drivers/drivers.h"

namespace nmt {

class BusyRails {
 public:
  explicit BusyRails(Side side);
  BusyRails(BusyRails&&) noexcept;
  BusyRails& operator=(BusyRails&&) noexcept;
  ~BusyRails();

  // A rail that is open at both ends, added there in the same order.
  void add(std::unique_ptr<Endpoint> endpoint, Method method);

  // This end has begun such a transfer on the measured rail.
  void begin_transfer(std::size_t size_bytes);
  void finish();                             // near end: the last transfer has come back
  void poll();                               // moves on, without waiting
  bool settled() const;                      // nothing is on its way, nor was begun since
  bool watch(std::vector<pollfd>& watched);  // all of them, as Endpoint::watch()

 private:
  class Lane;
  Side side_;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace nmt
