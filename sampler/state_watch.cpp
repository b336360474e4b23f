// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/state_watch.h"

#include <algorithm>
#include <cmath>

namespace nmt::sampler {
namespace {

constexpr std::size_t kBlocksMin = 5;  // with fewer, there is no usual state

bool alike(const SentinelTimes& a, const SentinelTimes& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::abs(a[i] - b[i]) > kStateTolerance) return false;
  }
  return true;
}

}  // namespace

const SentinelTimes* StateWatch::centre() const {
  if (settled_) return &*settled_;
  if (blocks_.size() < kBlocksMin) return nullptr;
  const SentinelTimes* centre = nullptr;
  std::ptrdiff_t most = -1;
  for (const SentinelTimes& candidate : blocks_) {
    const auto count =
        std::count_if(blocks_.begin(), blocks_.end(),
                      [&](const SentinelTimes& other) { return alike(candidate, other); });
    if (count > most) {
      most = count;
      centre = &candidate;
    }
  }
  return centre;
}

void StateWatch::settle() {
  if (const SentinelTimes* now = centre()) settled_ = *now;
}

std::vector<bool> StateWatch::usual() const {
  const SentinelTimes* usual = centre();
  std::vector<bool> all;
  for (const SentinelTimes& block : blocks_) {
    all.push_back(usual == nullptr || alike(*usual, block));
  }
  return all;
}

}  // namespace nmt::sampler
