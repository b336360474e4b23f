// SPDX-License-Identifier: BSD-3-Clause
//
// Clusters whose collectives have durations of closed forms: other than the terms of the model
// (tuner/collective_terms.h), with a protocol that changes at 64 KiB, and noise.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/plan.h"
#include "tuner/collective_model.h"

namespace nmt::tuner {

inline constexpr std::uint64_t kSizes[] = {4 << 10,   16 << 10, 64 << 10,
                                           256 << 10, 1 << 20,  4 << 20};
inline constexpr std::uint64_t kSegments[] = {0, 8 << 10, 32 << 10, 128 << 10};

struct Cluster {
  double alpha_ns = 20e3;       // of a message between nodes
  double beta_ns = 8;           // of a byte
  double rendezvous_ns = 40e3;  // from 64 KiB on
  double handover_ns = 3e3;     // to a rank of the same node
  double copy_ns = 0.4;         // of a byte, by one rank
  double shared_copy_ns = 0.1;  // of a byte, of all ranks of a node together
  double noise = 0;
  bool scatters = false;  // the library scatters and gathers: 2 (n - 1) / n of the bytes
  std::uint64_t seed = 1;

  double message_ns(double bytes) const {
    return alpha_ns + beta_ns * bytes + (bytes >= 65536 ? rendezvous_ns : 0);
  }
  double node_ns(double bytes, double ranks) const {
    if (ranks < 2) return 0;
    return handover_ns * ranks + bytes * std::max(copy_ns, shared_copy_ns * (ranks - 1));
  }

  // A Bcast by segments; each is copied while the next one comes in.
  double bcast_ns(const CollectiveChoice& choice, double bytes,
                  const CollectiveShape& shape) const {
    const double n = static_cast<double>(shape.nodes), p = double(shape.ranks_per_node);
    const double levels = std::ceil(std::log2(n));
    if (choice.algorithm == "library" && scatters) {
      return 2 * levels * alpha_ns + 2 * beta_ns * bytes * (n - 1) / n + node_ns(bytes, p);
    }
    if (choice.algorithm == "library") {  // a binomial tree of all ranks, the whole at once
      return levels * message_ns(bytes) +
             std::ceil(std::log2(p)) * (handover_ns + 2 * copy_ns * bytes);
    }
    const double segment = choice.segment_bytes == 0
                               ? bytes
                               : std::min(bytes, static_cast<double>(choice.segment_bytes));
    const double segments = std::ceil(bytes / segment);
    const bool chain = choice.algorithm == "chain";
    const double fill = chain ? n - 1 : levels;
    const double width = chain ? 1 : levels;
    const double step_ns = std::max(width * message_ns(segment), node_ns(segment, p));
    return fill * message_ns(segment) + (segments - 1) * step_ns + node_ns(segment, p);
  }
};

using Duration =
    std::function<double(const CollectiveChoice&, double bytes, const CollectiveShape&)>;

// What a campaign would find, if calls took so long.
inline std::vector<CollectiveCell> cells_of(const std::string& operation,
                                            const std::vector<std::string>& algorithms,
                                            std::span<const std::uint64_t> segments,
                                            const std::vector<CollectiveShape>& shapes,
                                            const Duration& duration_ns) {
  std::vector<CollectiveCell> cells;
  for (const CollectiveShape& shape : shapes) {
    for (const std::uint64_t size_bytes : kSizes) {
      CollectiveCell& cell = cells.emplace_back(
          CollectiveCell{"Some MPI", operation, shape.nodes, shape.ranks_per_node, size_bytes, {}});
      for (const std::string& algorithm : algorithms) {
        for (const std::uint64_t segment_bytes : segments) {
          const bool library = algorithm == "library";
          if ((library && segment_bytes > 0) || segment_bytes >= size_bytes) continue;
          const CollectiveChoice choice{algorithm, segment_bytes, 1};
          cell.times.push_back(
              {.algorithm = algorithm,
               .segment_bytes = segment_bytes,
               .leaders = 1,
               .median_ns = duration_ns(choice, static_cast<double>(size_bytes), shape)});
        }
      }
      std::ranges::stable_sort(cell.times, {}, &CollectiveTime::median_ns);
    }
  }
  return cells;
}

inline std::vector<CollectiveCell> measured(const Cluster& cluster,
                                            const std::vector<CollectiveShape>& shapes) {
  std::mt19937_64 random(cluster.seed);
  std::normal_distribution<double> noise(0, cluster.noise);
  return cells_of("bcast", {"library", "chain", "binomial"}, kSegments, shapes,
                  [&](const CollectiveChoice& choice, double bytes, const CollectiveShape& shape) {
                    return cluster.bcast_ns(choice, bytes, shape) * std::exp(noise(random));
                  });
}

inline const std::vector<CollectiveShape> kSampled = {{2, 1}, {2, 4}, {4, 1}, {4, 4}, {8, 2}};

inline double duration_of(const CollectiveCell& cell, const SegmentRule& rule) {
  for (const CollectiveTime& time : cell.times) {
    const bool whole = time.segment_bytes == 0 && rule.segment_bytes >= cell.size_bytes;
    if (time.algorithm == rule.algorithm && (whole || time.segment_bytes == rule.segment_bytes)) {
      return time.median_ns;
    }
  }
  return NAN;
}

}  // namespace nmt::tuner
