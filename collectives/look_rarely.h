// SPDX-License-Identifier: BSD-3-Clause
//
// Which calls the ranks of a communicator look at together, where none knows the size of a call
// alone: after one that was left to the MPI, twice as many as before are left to it without a look.
// So looking costs little where it does not pay. All ranks make the same calls and find the same,
// so all look at the same ones. Not thread-safe: collectives of one communicator follow each other.
#pragma once

#include <algorithm>
#include <cstdint>

namespace nmt::collectives {

class LookRarely {
 public:
  static constexpr std::uint32_t kLeftMax = 64;  // what a look costs is little beside so many calls

  // Called at each call. True: this one is looked at; found() follows, if no rank fails.
  bool looks() {
    if (left_ == 0) return true;
    --left_;
    return false;
  }
  void found(bool is_replaced) {
    left_ = is_replaced ? 0 : next_;
    next_ = is_replaced ? 1 : std::min(2 * next_, kLeftMax);
  }

 private:
  std::uint32_t left_ = 0;  // calls before the next look
  std::uint32_t next_ = 1;  // so many, if a look finds another call to leave
};

}  // namespace nmt::collectives
