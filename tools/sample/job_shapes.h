// SPDX-License-Identifier: BSD-3-Clause
//
// Which shapes a campaign in a job samples collectives on, in which order, and which of them its
// budget has no time for. All of them share one budget.
#pragma once

#include <string>
#include <vector>

#include "core/id.h"
#include "profiledb/profiledb.h"
#include "sampler/sampler.h"

namespace nmt::tools {

// Shapes on which complete campaigns on this platform have sampled each of these operations under
// this MPI.
std::vector<sampler::SubShape> known_shapes(const profiledb::ProfileDb& db, const Id& platform,
                                            const std::string& mpi_library,
                                            const std::vector<std::string>& operations);

class ShapeQueue {
 public:
  // With `resume`, known shapes are not sampled again; else they come last.
  ShapeQueue(std::vector<sampler::SubShape> shapes, const std::vector<sampler::SubShape>& known,
             bool resume, double budget_ns);

  // For people, before anything is measured: what will be sampled in that time, and what not.
  std::string forecast() const;
  // The next shape and its part of the time that is left, an even one. False if there is none, or
  // too little time for it; the first one is always sampled.
  bool next(double left_ns, sampler::SubShape* shape, double* budget_ns);
  // Empty, or that the remaining shapes were not sampled, and the way out.
  std::string not_sampled() const;

 private:
  double budget_ns_;
  std::vector<sampler::SubShape> shapes_;  // in order
  std::vector<sampler::SubShape> kept_;
  std::size_t planned_ = 0;  // that many of the shapes
  std::size_t done_ = 0;
};

}  // namespace nmt::tools
