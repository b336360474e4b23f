// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "collectives/mpi/algorithms/algorithms.h"
#include "core/error.h"
#include "tests/collectives/against_library.h"

namespace nmt::testing {
namespace {

using namespace nmt::collectives;

const std::vector<AlltoallAlgorithm> kAlltoallAlgorithms = {{}, {.window = 1}, {.window = 4}};
const std::vector<AlltoallAlgorithm> kForManySegments = {{},
                                                         {.window = 64}};  // lockstep takes long

// Sizes of all blocks, by sender and receiver, around `bytes`: uneven, some of them empty; of one
// sender only; none.
using Matrix = std::vector<std::vector<std::uint64_t>>;
std::vector<Matrix> matrices_around(std::uint64_t bytes, std::size_t ranks) {
  std::vector<Matrix> all(3, Matrix(ranks, std::vector<std::uint64_t>(ranks, 0)));
  for (std::size_t from = 0; from < ranks; ++from) {
    for (std::size_t to = 0; to < ranks; ++to) {
      all[0][from][to] = bytes * ((from * 7 + to * 3) % 5) / 2;
      if (from == ranks / 2) all[1][from][to] = bytes + to;
    }
  }
  return all;
}

// The blocks of a rank one after the other, in buffers of bytes.
struct Blocks {
  UnequalSizes sizes;
  std::vector<int> sent_counts, sent_places, received_counts, received_places;
  Bytes sent, ours, theirs;

  Blocks(const Matrix& matrix, std::size_t self) {
    int sent_bytes = 0, received_bytes = 0;
    for (std::size_t other = 0; other < matrix.size(); ++other) {
      sizes.sent.push_back(matrix[self][other]);
      sizes.received.push_back(matrix[other][self]);
      sent_counts.push_back(static_cast<int>(sizes.sent.back()));
      received_counts.push_back(static_cast<int>(sizes.received.back()));
      sent_places.push_back(sent_bytes);
      received_places.push_back(received_bytes);
      sent_bytes += sent_counts.back();
      received_bytes += received_counts.back();
    }
    sent = noise(static_cast<std::uint64_t>(sent_bytes), static_cast<int>(self));
    ours = theirs = Bytes(static_cast<std::size_t>(received_bytes));
  }
};

void check_matrix(const Tested& tested, const Matrix& matrix, std::uint64_t segment,
                  const std::vector<AlltoallAlgorithm>& algorithms) {
  Blocks blocks(matrix, static_cast<std::size_t>(tested.hierarchy.rank()));
  const Bytes own = blocks.sent;
  std::vector<const std::byte*> from;
  std::vector<std::byte*> to;
  for (std::size_t rank = 0; rank < matrix.size(); ++rank) {
    from.push_back(blocks.sent.data() + blocks.sent_places[rank]);
    to.push_back(blocks.ours.data() + blocks.received_places[rank]);
  }
  const AgreedSizes agreed = agree_on_sizes(tested.hierarchy, blocks.sizes);
  std::uint64_t all_bytes = 0;
  for (const auto& row : matrix) {
    for (const std::uint64_t bytes : row) all_bytes += bytes;
  }
  tested.expect(agreed.all_bytes == all_bytes, "what the ranks agree on");
  PMPI_Alltoallv(own.data(), blocks.sent_counts.data(), blocks.sent_places.data(), MPI_BYTE,
                 blocks.theirs.data(), blocks.received_counts.data(), blocks.received_places.data(),
                 MPI_BYTE, tested.comm);
  for (const AlltoallAlgorithm algorithm : algorithms) {
    std::ranges::fill(blocks.ours, std::byte{0});
    alltoallv(tested.hierarchy, {.places = from.data()}, {.places = to.data()}, blocks.sizes,
              agreed, algorithm, segment);
    const std::string what =
        "Alltoallv by " + std::to_string(segment) + ", window " + std::to_string(algorithm.window);
    tested.expect(blocks.ours == blocks.theirs, what);
    tested.expect(blocks.sent == own, what + ": what is sent");
  }
}

void check_all_alltoallv(const Tested& tested) {
  const auto ranks = static_cast<std::size_t>(tested.hierarchy.size());
  Sizes all_sizes = sizes();
  if (!full && ranks <= 3) all_sizes.push_back(kLargeBytes);
  for (const std::uint64_t bytes : all_sizes) {
    const std::vector<Matrix> matrices = matrices_around(bytes, ranks);
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      if (!full && i > 0 && bytes > kSegmentBytes) continue;
      check_matrix(tested, matrices[i], segment_of(bytes), kAlltoallAlgorithms);
    }
    check_matrix(tested, matrices.front(), 0, {AlltoallAlgorithm{}});
  }
}

// One block of which sender and receiver say different sizes: an Error on all ranks.
void check_that_differences_are_found(const Tested& tested) {
  const auto ranks = static_cast<std::size_t>(tested.hierarchy.size());
  for (const bool less : {false, true}) {
    Blocks blocks(matrices_around(1000, ranks)[1],
                  static_cast<std::size_t>(tested.hierarchy.rank()));
    if (static_cast<std::size_t>(tested.hierarchy.rank()) == ranks / 2) {
      blocks.sizes.sent[0] += less ? -1u : 1u;
    }
    bool found = false;
    try {
      agree_on_sizes(tested.hierarchy, blocks.sizes);
    } catch (const nmt::Error&) {
      found = true;
    }
    tested.expect(found, "what is found of an Alltoallv whose sides disagree");
  }
}

// The mean block of a sample in which a byte is on average in as large a block; of blocks between
// nodes, if there are several; nothing if the mean within nodes is more than twice that between.
double chosen_by(const Matrix& matrix, const NodeHierarchy& hierarchy) {
  double bytes[2] = {}, squares[2] = {}, blocks[2] = {};
  for (std::size_t from = 0; from < matrix.size(); ++from) {
    for (std::size_t to = 0; to < matrix.size(); ++to) {
      const bool between =
          hierarchy.group_of(static_cast<int>(from)) != hierarchy.group_of(static_cast<int>(to));
      const auto size_bytes = static_cast<double>(matrix[from][to]);
      bytes[between] += size_bytes;
      squares[between] += size_bytes * size_bytes;
      blocks[between] += 1;
    }
  }
  const bool several = hierarchy.groups().size() > 1;
  if (several && bytes[0] / blocks[0] > 2 * bytes[1] / blocks[1]) return 0;
  const double of_a_byte = bytes[several] == 0 ? 0 : squares[several] / bytes[several];
  const auto n = static_cast<double>(matrix.size());
  return n == 1 ? of_a_byte : of_a_byte * 3 * (n - 1) / (2 * (2 * n - 1));
}

// Of blocks of 1000 B between nodes, and of others within; of every second block; of few large ones
// among small ones.
void check_what_is_chosen_by(const Tested& tested) {
  const auto ranks = static_cast<std::size_t>(tested.hierarchy.size());
  std::vector<Matrix> matrices(5, Matrix(ranks, std::vector<std::uint64_t>(ranks, 1000)));
  for (const Group& group : tested.hierarchy.groups()) {
    for (const int from : group.ranks) {
      for (const int to : group.ranks) {
        const auto row = static_cast<std::size_t>(from), column = static_cast<std::size_t>(to);
        for (std::size_t i : {0u, 1u, 2u}) matrices[i][row][column] = 1500 * i * i;
      }
    }
  }
  for (std::size_t from = 0; from < ranks; ++from) {
    for (std::size_t to = 0; to < ranks; ++to) {
      matrices[3][from][to] = (from + to) % 2 * 2000;
      matrices[4][from][to] = (from + 1) % ranks == to ? 1u << 20 : 8u;
    }
  }
  for (const Matrix& matrix : matrices) {
    const Blocks blocks(matrix, static_cast<std::size_t>(tested.hierarchy.rank()));
    const AgreedSizes agreed = agree_on_sizes(tested.hierarchy, blocks.sizes);
    const double expected = chosen_by(matrix, tested.hierarchy);
    tested.expect(std::abs(static_cast<double>(agreed.typical_bytes) - expected) < 1.001,
                  "what an Alltoallv is chosen by");
  }
}

}  // namespace

void check_alltoall(const Tested& tested) {
  const auto ranks = static_cast<std::uint64_t>(tested.hierarchy.size());
  Sizes all_sizes = sizes();
  if (!full && tested.hierarchy.size() <= 3) all_sizes.push_back(kLargeBytes);
  for (const std::uint64_t bytes : all_sizes) {
    const Bytes own = noise(ranks * bytes, tested.hierarchy.rank());
    Bytes theirs(own.size());
    PMPI_Alltoall(own.data(), static_cast<int>(bytes), MPI_BYTE, theirs.data(),
                  static_cast<int>(bytes), MPI_BYTE, tested.comm);
    for (const AlltoallAlgorithm algorithm : kAlltoallAlgorithms) {
      for (const std::uint64_t segment : {segment_of(bytes), std::uint64_t{0}}) {
        if (!full && segment == 0 && !algorithm.by_nodes()) continue;
        Bytes ours(own.size()), sent = own;
        alltoall(tested.hierarchy, sent.data(), ours.data(), bytes, algorithm, segment);
        const std::string what = "Alltoall of " + std::to_string(bytes) + " by " +
                                 std::to_string(segment) + ", window " +
                                 std::to_string(algorithm.window);
        tested.expect(ours == theirs, what);
        tested.expect(sent == own, what + ": what is sent");
      }
    }
  }
}

void check_alltoallv(const Tested& tested) {
  check_all_alltoallv(tested);
  check_that_differences_are_found(tested);
  check_what_is_chosen_by(tested);
}

void check_exchanges_of_many_segments(const Tested& tested) {
  constexpr std::uint64_t kBytes = 5000;
  const int rank = tested.hierarchy.rank();
  const std::uint64_t all_bytes = kBytes * static_cast<std::uint64_t>(tested.hierarchy.size());
  Bytes our_all(all_bytes), their_all(all_bytes);
  const Bytes for_all = noise(all_bytes, rank);
  PMPI_Alltoall(for_all.data(), kBytes, MPI_BYTE, their_all.data(), kBytes, MPI_BYTE, tested.comm);
  for (const AlltoallAlgorithm algorithm : kForManySegments) {
    alltoall(tested.hierarchy, for_all.data(), our_all.data(), kBytes, algorithm, 1);
    tested.expect(our_all == their_all, "Alltoall of many segments");
  }
  const auto ranks = static_cast<std::size_t>(tested.hierarchy.size());
  check_matrix(tested, matrices_around(kBytes, ranks)[1], 1, kForManySegments);
}

}  // namespace nmt::testing
