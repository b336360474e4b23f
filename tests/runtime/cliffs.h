// SPDX-License-Identifier: BSD-3-Clause
//
// What nmt_split loses on two planted rails whose curves jump where a protocol changes, with noise:
// the end of its division against the best end that a search over all divisions finds. A test
// bounds the losses, and scripts/bench prints them.
#pragma once

namespace nmt::planted {

// Of the best end: 0.01 is 1 %.
struct CliffLosses {
  double mean = 0;
  double worst = 0;
};

// Over 60 pairs of rails, sizes from 2 KiB to 16 MiB, and rails that are idle or busy at first. The
// same in every run.
CliffLosses cliff_losses();

}  // namespace nmt::planted
