// SPDX-License-Identifier: BSD-3-Clause
//
// How fast the uplinks of switches are, from measured alltoalls, where no file states it.
//
// Private. One speed is searched for all switches of unknown uplink: the one for which the ratios
// of durations to bounds differ least, over numbers of ranks and over the places of jobs. Sizes
// below the middle one say little about it (start-ups) and are left out. It is known best where
// some jobs were below one switch and others not: where an uplink bounds every job, gamma and the
// uplink cannot be told apart, and need not be.
#pragma once

#include <optional>
#include <string>

#include "contention/fit.h"

namespace nmt::contention {

struct UplinkSearch {
  AlltoallTimes times;          // with the uplinks known, if they could be found
  std::optional<double> found;  // in NICs of a node
  std::string remark;           // for the reader of the fit; may be empty
};
UplinkSearch with_uplinks(const AlltoallTimes& measured);

}  // namespace nmt::contention
