// SPDX-License-Identifier: BSD-3-Clause
//
// What reductions take: the predefined types, values of each, and the predefined operators each
// has (MPI standard 3.1, 5.9.2 and 5.9.4).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nmt::testing {

using Bytes = std::vector<std::byte>;

struct Operator {
  std::string name;
  MPI_Op op;
};

// A number each, or two: complex, or a value and its place.
struct Elements {
  struct Number {
    std::uint64_t offset, bytes;  // without what pads it
    void (*write)(std::byte* to, int value);
  };
  std::string name;
  MPI_Datatype type;
  std::uint64_t bytes;  // from one to the next
  std::vector<Number> numbers;
  std::vector<Operator> operators;
};

// All that this MPI has.
const std::vector<Elements>& all_elements();

// What a rank brings to an operation: small integers, so that any order gives the same in every
// type. What pads them is 0.
Bytes values(const Elements& of, const Operator& by, std::uint64_t count, int rank);

// Whether the numbers are the same, whatever pads them.
bool same(const Elements& of, const Bytes& some, const Bytes& others);

}  // namespace nmt::testing
