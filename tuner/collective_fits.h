// SPDX-License-Identifier: BSD-3-Clause
//
// The costs of each algorithm of a collective, fitted over some shapes (tuner/collective_model.h
// says how).
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/collective_terms.h"

namespace nmt::tuner {

// One measured duration.
struct CollectiveObservation {
  CollectiveShape shape;
  CollectiveChoice choice;
  std::uint64_t size_bytes = 0;
  double duration_ns = 0;
};

struct ChoiceAtSize {
  CollectiveChoice choice;
  std::uint64_t size_bytes = 0;
  auto operator<=>(const ChoiceAtSize&) const = default;

  // Of one message of the network: the segment, or the whole.
  std::uint64_t message_bytes() const {
    return choice.segment_bytes == 0 ? size_bytes : std::min(choice.segment_bytes, size_bytes);
  }
};

class CollectiveFits {
 public:
  // Fits what is needed to predict these choices, from observations of one operation.
  CollectiveFits(std::string operation, std::span<const CollectiveObservation> observations,
                 std::span<const ChoiceAtSize> predicted);

  // The logarithm of the duration in ns; nullopt if nothing of the algorithm was observed near that
  // size.
  std::optional<double> log_duration(const ChoiceAtSize& asked, const CollectiveShape& shape) const;

 private:
  struct Fit {
    std::vector<double> coefficients;
    double remainder = 0;  // in logarithms
  };
  std::string operation_;
  std::map<ChoiceAtSize, Fit> fits_;
};

}  // namespace nmt::tuner
