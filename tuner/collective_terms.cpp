// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/collective_terms.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/collective_sample.h"

namespace nmt::tuner {
namespace {

double ceil_log2(std::int64_t n) {
  return n <= 1 ? 0 : static_cast<double>(std::bit_width(static_cast<std::uint64_t>(n - 1)));
}

// A leader sends to its first child, then to its second; place p of a heap has places 2p + 1 and
// 2p + 2 below it.
std::int64_t binary_fill(std::int64_t place, std::int64_t places) {
  std::int64_t fill = 0;
  for (const int child : {1, 2}) {
    const std::int64_t below = 2 * place + child;
    if (below < places) fill = std::max(fill, child + binary_fill(below, places));
  }
  return fill;
}

// How often each byte passes the busiest port, one way: as often as its leader has children, and of
// an Allreduce once more if it has a parent, whose result it gets meanwhile.
struct Tree {
  double fill = 0;
  double width = 0;
};

Tree tree_of(const std::string& algorithm, std::int64_t places, bool is_allreduce) {
  if (places <= 1) return {};
  if (algorithm == "chain") {
    return {static_cast<double>(places - 1), is_allreduce && places > 2 ? 2.0 : 1.0};
  }
  if (algorithm == "binary") {
    const double width = places == 2 ? 1 : is_allreduce && places > 4 ? 3 : 2;
    return {static_cast<double>(binary_fill(0, places)), width};
  }
  return {ceil_log2(places), ceil_log2(places)};
}

// Numbers that several kinds of algorithms need.
struct Sizes {
  double size = 0;      // bytes
  double segment = 0;   // bytes
  double segments = 1;  // of a message
  double nodes = 1;
  double local = 0;  // ranks of a node besides its leader
  double ranks = 1;
};

std::vector<double> tree_terms(const Sizes& s, const Tree& tree) {
  const double shared = s.local > 0 ? 1 : 0;
  return {1,
          tree.fill,
          tree.fill * s.segment,
          tree.width * (s.segments - 1),
          tree.width * (s.segments - 1) * s.segment,
          s.local,
          s.local * s.size,
          shared * s.segments,
          s.local * s.segments,
          shared * s.size,
          (s.ranks - 1) * s.size};  // where all ranks share cores or memory
}

// Of a barrier: rounds between leaders, and ranks of a node that come and are released.
std::vector<double> barrier_terms(const Sizes& s, std::int64_t leaders) {
  return {1, ceil_log2(leaders), s.local, s.local > 0 ? 1.0 : 0.0};
}

// A ring of `places`, with `block` bytes at a time.
std::vector<double> ring_terms(const Sizes& s, double places, double block, double segments) {
  const double shared = s.local > 0 ? 1 : 0;
  return {1,
          places - 1,
          (places - 1) * block,
          (places - 1) * segments,
          s.nodes - 1,
          (s.nodes - 1) * block,
          s.local,
          s.local * s.size,
          shared * (places - 1),
          s.ranks * s.size,
          s.ranks * s.size * s.local};
}

// Of a ring of `places` leaders that reduces parts of a message and gathers them, for all or for
// the root: 2 (places - 1) parts go through the busiest link. Within a node it is as in a tree.
std::vector<double> reduce_ring_terms(const Sizes& s, double places, double part) {
  const double shared = s.local > 0 ? 1 : 0;
  const double steps = 2 * (places - 1);
  return {1,
          steps,
          steps * s.segments,
          steps * part,
          s.local,
          s.local * s.size,
          shared * places * s.segments,
          s.local * places * s.segments,
          shared * s.size,
          (s.ranks - 1) * s.size};
}

// Of a short message: rounds between leaders, and one handing over within a node, or two.
std::vector<double> short_terms(const Sizes& s, double rounds) {
  const double shared = s.local > 0 ? 1 : 0;
  return {1,       rounds,           rounds * s.size,       shared, shared * s.size,
          s.local, s.local * s.size, (s.ranks - 1) * s.size};
}

// Where the leaders are no power of two, some give theirs to others first, and get the result last.
double recursive_doubling_rounds(std::int64_t leaders) {
  const std::uint64_t paired = std::bit_floor(static_cast<std::uint64_t>(leaders));
  return ceil_log2(static_cast<std::int64_t>(paired)) +
         (paired < static_cast<std::uint64_t>(leaders) ? 2 : 0);
}

// Of blocks that nodes exchange, all of them or each with the root's: rounds, messages, bytes
// through a card, and copies of what a node sends and receives, by its ranks at once or one after
// the other.
std::vector<double> exchange_terms(const Sizes& s, double message) {
  const double rounds = s.nodes - 1, ranks_per_node = s.local + 1;
  return {1,
          rounds,
          rounds * s.segments,
          rounds * message,
          s.local,
          s.local * rounds * s.segments,
          s.ranks * s.size,
          s.ranks * s.size * ranks_per_node};
}

// Of an alltoall between ranks: their messages, and the bytes through a card and within a node. How
// many messages are under way is part of the algorithm, so its costs are.
std::vector<double> ranks_terms(const Sizes& s) {
  const double ranks_per_node = s.local + 1;
  const double through_card = ranks_per_node * (s.ranks - ranks_per_node);
  return {1, s.ranks - 1, (s.ranks - 1) * s.segments, through_card * s.size, s.local * s.size};
}

// It may use any algorithm. Trees and reduce-scatters grow with the logarithm of the nodes or less:
// a cost that grows with the nodes themselves could explain the same few shapes, and would predict
// more for many nodes than is true. Where each rank has data of its own for all, costs do grow so;
// of an alltoall, those of all ranks of a node go through its card.
std::vector<double> library_terms(const Sizes& s, std::string_view operation) {
  std::vector<double> counts = {1, s.nodes > 1 ? 1.0 : 0.0, std::log2(s.nodes),
                                std::log2(s.local + 1), s.local};
  const bool is_exchange = exchanges(operation);
  if (has_blocks(operation)) {
    counts.insert(counts.end(), {s.nodes - 1, s.ranks - 1});
  }
  if (is_exchange) {
    const double ranks_per_node = s.local + 1;
    counts.push_back(ranks_per_node * (s.ranks - ranks_per_node));
  }
  std::vector<double> terms;
  for (const double count : counts) {
    terms.push_back(count);
    terms.push_back(count * s.size);
  }
  return terms;
}

}  // namespace

std::vector<double> collective_terms(std::string_view operation, const CollectiveChoice& choice,
                                     std::uint64_t size_bytes, const CollectiveShape& shape) {
  Sizes s{.size = static_cast<double>(size_bytes),
          .nodes = static_cast<double>(shape.nodes),
          .local = static_cast<double>(shape.ranks_per_node - 1),
          .ranks = static_cast<double>(shape.nodes * shape.ranks_per_node)};
  const bool whole = choice.segment_bytes == 0;
  const auto divide = [&](double message) {
    s.segment = whole ? message : std::min(message, static_cast<double>(choice.segment_bytes));
    s.segments = std::ceil(message / std::max(1.0, s.segment));
  };
  divide(s.size);
  if (is_of_library(choice.algorithm)) return library_terms(s, operation);
  if (choice.algorithm == "dissemination") return barrier_terms(s, shape.nodes * choice.leaders);
  if (choice.algorithm == "recursive_doubling") {
    return short_terms(s, recursive_doubling_rounds(shape.nodes * choice.leaders));
  }
  if (choice.algorithm == "inline") {
    return short_terms(s, ceil_log2(shape.nodes * choice.leaders));
  }
  if (choice.algorithm == "ring" && !gathers_for_all(operation)) {
    const auto places = static_cast<double>(shape.nodes * choice.leaders);
    divide(s.size / places);
    return reduce_ring_terms(s, places, s.size / places);
  }
  if (choice.algorithm == "ring" || choice.algorithm == "neighbors") {
    return ring_terms(s, s.ranks, s.size, s.segments);
  }
  if (choice.algorithm == "nodes") {
    const auto ranks_per_node = static_cast<std::uint64_t>(shape.ranks_per_node);
    const double message = s.size * static_cast<double>(blocks_in_message(
                                        operation, choice.algorithm, ranks_per_node));
    divide(message);
    return exchange_terms(s, message);
  }
  if (choice.algorithm == "pairwise" || choice.algorithm.starts_with("direct")) {
    return ranks_terms(s);
  }
  if (choice.algorithm == "leaders") {
    const double block = s.size * static_cast<double>(shape.ranks_per_node);
    divide(block);
    return ring_terms(s, s.nodes * static_cast<double>(choice.leaders), block, s.segments);
  }
  return tree_terms(
      s, tree_of(choice.algorithm, shape.nodes * choice.leaders, operation == "allreduce"));
}

}  // namespace nmt::tuner
