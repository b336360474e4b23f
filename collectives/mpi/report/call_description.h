// SPDX-License-Identifier: BSD-3-Clause
//
// The size of each MPI collective, from its arguments: one function for each, for C and for
// Fortran, with counts as int or MPI_Count. Sizes are as in Rule: of a message, or of one rank's
// block where blocks are gathered or exchanged. If ranks may pass different sizes, only this rank's
// is known.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "collectives/mpi/report/call_recorder.h"

namespace nmt::collectives {

inline std::uint64_t bytes_of(MPI_Count count, MPI_Datatype type) {
  int size = 0;
  if (type == MPI_DATATYPE_NULL || PMPI_Type_size(type, &size) != MPI_SUCCESS) return 0;
  return size <= 0 || count <= 0 ? 0 : static_cast<std::uint64_t>(count) * size;
}

inline int rank_of(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

// The ranks that this rank communicates with.
inline int ranks_of(MPI_Comm comm) {
  int between = 0, size = 0;
  PMPI_Comm_test_inter(comm, &between);
  if (between) {
    PMPI_Comm_remote_size(comm, &size);
  } else {
    PMPI_Comm_size(comm, &size);
  }
  return size;
}

inline CallMade sized(Collective collective, MPI_Comm comm, std::uint64_t size_bytes,
                      int root = 0) {
  return {collective, comm, size_class(size_bytes), size_bytes, root};
}
inline CallMade unlike(Collective collective, MPI_Comm comm, std::uint64_t size_bytes,
                       int root = 0) {
  return {collective, comm, kUnlikeSize, size_bytes, root};
}

// On an inter-communicator: the other arguments of this rank have no meaning.
inline bool only_watches(int root) { return root == MPI_PROC_NULL; }

template <class Count>
std::uint64_t sum_of(const Count* counts, MPI_Comm comm) {
  std::uint64_t sum = 0;
  const int ranks = counts == nullptr ? 0 : ranks_of(comm);
  for (int i = 0; i < ranks; ++i) sum += static_cast<std::uint64_t>(counts[i]);
  return sum;
}

// For counts that are equal on all ranks.
template <class Count>
std::uint64_t mean_block(const Count* counts, MPI_Datatype type, MPI_Comm comm) {
  const auto ranks = static_cast<std::uint64_t>(ranks_of(comm));
  const auto sum = static_cast<MPI_Count>(sum_of(counts, comm));
  return ranks == 0 ? 0 : bytes_of(sum, type) / ranks;
}

struct DescribeBarrier {
  static CallMade of(MPI_Comm comm) { return {Collective::kBarrier, comm, kNoSize, 0, 0}; }
};
struct DescribeBcast {
  static CallMade of(const void*, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
    return sized(Collective::kBcast, comm, only_watches(root) ? 0 : bytes_of(count, type), root);
  }
};
struct DescribeReduce {
  static CallMade of(const void*, const void*, MPI_Count count, MPI_Datatype type, MPI_Op, int root,
                     MPI_Comm comm) {
    return sized(Collective::kReduce, comm, only_watches(root) ? 0 : bytes_of(count, type), root);
  }
};
// Allreduce, Scan, Exscan and Reduce_scatter_block take the same arguments.
template <Collective collective>
struct DescribeReduction {
  static CallMade of(const void*, const void*, MPI_Count count, MPI_Datatype type, MPI_Op,
                     MPI_Comm comm) {
    return sized(collective, comm, bytes_of(count, type));
  }
};
using DescribeAllreduce = DescribeReduction<Collective::kAllreduce>;
using DescribeScan = DescribeReduction<Collective::kScan>;
using DescribeExscan = DescribeReduction<Collective::kExscan>;
using DescribeReduceScatterBlock = DescribeReduction<Collective::kReduceScatterBlock>;
struct DescribeReduceScatter {
  template <class Count>
  static CallMade of(const void*, const void*, const Count* counts, MPI_Datatype type, MPI_Op,
                     MPI_Comm comm) {
    return sized(Collective::kReduceScatter, comm, mean_block(counts, type, comm));
  }
};
struct DescribeGather {
  static CallMade of(const void*, MPI_Count count, MPI_Datatype type, const void*,
                     MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
    if (only_watches(root)) return sized(Collective::kGather, comm, 0, root);
    const bool receives = root == MPI_ROOT || rank_of(comm) == root;
    return sized(Collective::kGather, comm,
                 receives ? bytes_of(receive_count, receive_type) : bytes_of(count, type), root);
  }
};
struct DescribeGatherv {
  template <class Count, class Locality>
  static CallMade of(const void* send, MPI_Count count, MPI_Datatype type, const void*,
                     const Count*, const Locality*, MPI_Datatype, int root, MPI_Comm comm) {
    const bool gives = send != MPI_IN_PLACE && !only_watches(root) && root != MPI_ROOT;
    const std::uint64_t own = gives ? bytes_of(count, type) : 0;
    return unlike(Collective::kGatherv, comm, own, root);
  }
};
struct DescribeScatter {
  static CallMade of(const void*, MPI_Count count, MPI_Datatype type, const void*,
                     MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
    if (only_watches(root)) return sized(Collective::kScatter, comm, 0, root);
    const bool sends = root == MPI_ROOT || rank_of(comm) == root;
    return sized(Collective::kScatter, comm,
                 sends ? bytes_of(count, type) : bytes_of(receive_count, receive_type), root);
  }
};
struct DescribeScatterv {
  template <class Count, class Locality>
  static CallMade of(const void*, const Count*, const Locality*, MPI_Datatype, const void* receive,
                     MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
    const bool gets = receive != MPI_IN_PLACE && !only_watches(root) && root != MPI_ROOT;
    const std::uint64_t own = gets ? bytes_of(count, type) : 0;
    return unlike(Collective::kScatterv, comm, own, root);
  }
};
struct DescribeAllgather {
  static CallMade of(const void*, MPI_Count, MPI_Datatype, const void*, MPI_Count count,
                     MPI_Datatype type, MPI_Comm comm) {
    return sized(Collective::kAllgather, comm, bytes_of(count, type));
  }
};
struct DescribeAllgatherv {
  template <class Count, class Locality>
  static CallMade of(const void*, MPI_Count, MPI_Datatype, const void*, const Count* counts,
                     const Locality*, MPI_Datatype type, MPI_Comm comm) {
    return sized(Collective::kAllgatherv, comm, mean_block(counts, type, comm));
  }
};
struct DescribeAlltoall {
  static CallMade of(const void*, MPI_Count, MPI_Datatype, const void*, MPI_Count count,
                     MPI_Datatype type, MPI_Comm comm) {
    return sized(Collective::kAlltoall, comm, bytes_of(count, type));
  }
};
struct DescribeAlltoallv {  // all bytes that this rank receives
  template <class Count, class Locality>
  static CallMade of(const void*, const Count*, const Locality*, MPI_Datatype, const void*,
                     const Count* counts, const Locality*, MPI_Datatype type, MPI_Comm comm) {
    return unlike(Collective::kAlltoallv, comm,
                  bytes_of(static_cast<MPI_Count>(sum_of(counts, comm)), type));
  }
};
struct DescribeAlltoallw {
  template <class Count, class Locality>
  static CallMade of(const void*, const Count*, const Locality*, const MPI_Datatype*, const void*,
                     const Count* counts, const Locality*, const MPI_Datatype* types,
                     MPI_Comm comm) {
    std::uint64_t sum = 0;
    const int ranks = counts == nullptr || types == nullptr ? 0 : ranks_of(comm);
    for (int i = 0; i < ranks; ++i) sum += bytes_of(counts[i], types[i]);
    return unlike(Collective::kAlltoallw, comm, sum);
  }
};

}  // namespace nmt::collectives
