// SPDX-License-Identifier: BSD-3-Clause
//
// Durations of one collective, under one MPI, on shapes that were not sampled.
//
// A duration is a sum of costs, each of which is a number that follows from the algorithm, the
// shape and the size, times a coefficient that is not negative (tuner/collective_terms.h): messages
// that fill and drain a chain, a binary or a binomial tree or a ring, segments that follow each
// other, copies within a node. The coefficients of an algorithm come from all sampled shapes
// together; sizes and segments near the predicted one count more. What an algorithm takes besides
// is the mean of its remainders at that size. Only times of collectives are fitted: a message of a
// ping-pong neither overlaps with copies nor waits for the ranks of a node. Of the MPI's own
// algorithm nothing is known, so its costs may grow with nodes and ranks in several ways.
//
// How wrong it is comes from leaving out whole shapes: each sampled shape is predicted from all
// others, and the error is taken to double with each octave of nodes, or of ranks per node, that
// lies between the shape and those on which its algorithm was sampled, at such sizes and by such
// segments. An algorithm that was not sampled on three shapes there is not predicted.
//
// Ours takes the MPI's place where its gain is larger than that error, to which is added how much
// the prediction depends on any one sampled shape. Where the MPI's durations differ by large
// factors that nothing predicts, as where packets are lost, the error is very large, though ours is
// the faster one each time. So it is also enough if the gain, whichever shape is left out of the
// fits, is larger than a quarter and than the false gains at such sizes: those that were predicted
// of a left-out shape, and were losses. If f is the largest of these, hypot(f, a quarter) counts;
// it doubles with each octave in the same way.
//
// Ranks per node are those of the fullest node; nodes are taken for equal. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tuner/collective_fits.h"
#include "tuner/segments.h"

namespace nmt::tuner {

class CollectiveModel {
 public:
  // Cells of one operation under one MPI, of all sampled shapes that have one node, or of all that
  // have several: within one node nothing overlaps with messages between nodes.
  explicit CollectiveModel(std::span<const CollectiveCell> cells);

  // The cells of a shape, by size. Of the ways that were measured at that size, they have those
  // of which something can be said: their algorithm was sampled on three shapes, and not all of
  // these have the same number of nodes, or of ranks per node, while this shape has another.
  // Intervals are as wide as the errors of left-out shapes: of ours, or of the MPI's own. Empty
  // where nothing can be said of the MPI's own or of any of ours, or if this shape has one node and
  // the sampled ones have several.
  std::vector<CollectiveCell> predict(const CollectiveShape& shape) const;

  const std::string& mpi() const { return cells_.front().mpi; }
  const std::string& operation() const { return cells_.front().operation; }
  const std::vector<CollectiveShape>& shapes() const { return shapes_; }  // that were sampled

  // What was found by leaving out each shape in turn, at one of its sizes.
  struct LeftOut {
    CollectiveShape shape;
    std::uint64_t size_bytes = 0;
    double distance = 0;       // from the other shapes on which both algorithms were sampled
    double time_error = 0;     // log(predicted / measured) of the way of ours that was chosen
    double gain = 0;           // log(the MPI's own / that way), both predicted
    double library_error = 0;  // the same of the MPI's own
    double gain_error = 0;     // that minus the error of ours
  };
  const std::vector<LeftOut>& left_out() const { return left_out_; }

 private:
  // The shapes on which an algorithm was sampled with these leaders, at a size and at those near
  // it, by a segment and by those near it.
  struct Sampled {
    std::set<CollectiveShape> shapes;
    std::set<std::int64_t> nodes, ranks_per_node;  // of these

    // In octaves; infinite if they say nothing of this shape.
    double distance_to(const CollectiveShape& shape) const;
  };
  Sampled sampled(const ChoiceAtSize& at, std::optional<CollectiveShape> but = {}) const;

  void leave_out(std::size_t index);
  // Of the choices from `begin` to before `end`, which have one size.
  std::optional<CollectiveCell> predict(const CollectiveShape& shape, std::size_t begin,
                                        std::size_t end) const;
  // The gain that ours has to exceed there to take the place of the MPI's own; infinite if that is
  // not known.
  double gain_needed(const ChoiceAtSize& library, const ChoiceAtSize& ours,
                     const CollectiveShape& shape, double distance) const;
  double error_of(std::uint64_t size_bytes, double distance, double LeftOut::*error) const;
  double false_gain(std::uint64_t size_bytes) const;

  std::vector<CollectiveCell> cells_;
  std::vector<CollectiveShape> shapes_;       // sorted
  std::vector<ChoiceAtSize> choices_;         // that can be predicted, sorted by size
  std::vector<Sampled> sampled_;              // in the order of choices_
  std::optional<CollectiveFits> fits_;        // of all shapes
  std::vector<CollectiveFits> fits_without_;  // of all but one, in the order of shapes_
  std::vector<LeftOut> left_out_;
};

// One for each MPI and operation with one node, and one with several, in the order of the cells.
std::vector<CollectiveModel> collective_models(std::span<const CollectiveCell> cells);

}  // namespace nmt::tuner
