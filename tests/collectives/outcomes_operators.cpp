// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>

#include "tests/collectives/elements.h"
#include "tests/collectives/outcomes.h"

namespace nmt::testing {
namespace {

#define NAMED(value) #value, value

constexpr int kCount = 37;

std::vector<Operator> all_operators() {
  return {{NAMED(MPI_MAX)},     {NAMED(MPI_MIN)},   {NAMED(MPI_SUM)},    {NAMED(MPI_PROD)},
          {NAMED(MPI_LAND)},    {NAMED(MPI_BAND)},  {NAMED(MPI_LOR)},    {NAMED(MPI_BOR)},
          {NAMED(MPI_LXOR)},    {NAMED(MPI_BXOR)},  {NAMED(MPI_MAXLOC)}, {NAMED(MPI_MINLOC)},
          {NAMED(MPI_REPLACE)}, {NAMED(MPI_NO_OP)}, {NAMED(MPI_OP_NULL)}};
}

struct Type {
  std::string name;
  MPI_Datatype type;
  const Elements* elements = nullptr;  // null: no operator of the standard is for it
};

// Those that elements.h has no values for: in the standard no operator is for them, or an MPI may
// do without them.
std::vector<Type> all_types() {
  std::vector<Type> types;
  for (const Elements& each : all_elements()) types.push_back({each.name, each.type, &each});
  const std::vector<Type> others = {
      {NAMED(MPI_CHAR)},      {NAMED(MPI_WCHAR)},         {NAMED(MPI_CHARACTER)},
      {NAMED(MPI_PACKED)},    {NAMED(MPI_DATATYPE_NULL)},
#ifdef MPI_INTEGER16
      {NAMED(MPI_INTEGER16)},
#endif
#ifdef MPI_REAL2
      {NAMED(MPI_REAL2)},
#endif
#ifdef MPI_REAL16
      {NAMED(MPI_REAL16)},    {NAMED(MPI_COMPLEX32)},
#endif
  };
  types.insert(types.end(), others.begin(), others.end());
  MPI_Datatype made = MPI_DATATYPE_NULL;
  if (MPI_Type_create_f90_integer(9, &made) == MPI_SUCCESS) types.push_back({"integer of 9", made});
  if (MPI_Type_create_f90_real(6, 30, &made) == MPI_SUCCESS) types.push_back({"real of 6", made});
  if (MPI_Type_create_f90_real(15, 300, &made) == MPI_SUCCESS) {
    types.push_back({"real of 15", made});
  }
  if (MPI_Type_create_f90_complex(6, 30, &made) == MPI_SUCCESS) {
    types.push_back({"complex of 6", made});
  }
  MPI_Type_dup(MPI_INT, &made);
  types.push_back({"duplicate of MPI_INT", made});
  MPI_Type_contiguous(1, MPI_DOUBLE, &made);
  MPI_Type_commit(&made);
  types.push_back({"contiguous of MPI_DOUBLE", made});
  return types;
}

bool is_of_standard(const Type& type, const Operator& by) {
  return type.elements != nullptr &&
         std::ranges::find(type.elements->operators, by.op, &Operator::op) !=
             type.elements->operators.end();
}

// MPICH accepts these and then ends the program by an assertion of its own (opland.c, oplor.c):
// 4.0.2 for types of C, 4.2.1 for those of Fortran too.
bool ends_the_mpi(const Type& type, const Operator& by) {
#ifdef MPICH_VERSION
  std::vector<MPI_Datatype> reals = {MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE};
  if (MPICH_NUMVERSION >= 40200000) {
    for (const MPI_Datatype each : {MPI_REAL, MPI_REAL4, MPI_REAL8, MPI_DOUBLE_PRECISION}) {
      reals.push_back(each);
    }
#ifdef MPI_REAL16
    reals.push_back(MPI_REAL16);
#endif
  }
  const bool of_f90 = MPICH_NUMVERSION >= 40200000 && type.name.starts_with("real of");
  return (by.op == MPI_LAND || by.op == MPI_LOR) &&
         (of_f90 || std::ranges::find(reals, type.type) != reals.end());
#else
  static_cast<void>(type), static_cast<void>(by);
  return false;
#endif
}

Memory own_of(const Type& type, const Operator& by, int rank) {
  if (!is_of_standard(type, by)) return Memory(kCount * 64);  // 0 is a number in all of them
  const Bytes bytes = values(*type.elements, by, kCount, rank);
  Memory own(kCount * 64);
  std::memcpy(own.data(), bytes.data(), bytes.size());
  return own;
}

// Without what pads numbers.
Memory numbers_of(const Type& type, const Memory& result) {
  if (type.elements == nullptr) return {};
  Memory numbers;
  for (std::size_t i = 0; i < kCount; ++i) {
    for (const Elements::Number& number : type.elements->numbers) {
      const auto from = static_cast<std::ptrdiff_t>(i * type.elements->bytes + number.offset);
      numbers.insert(numbers.end(), result.begin() + from,
                     result.begin() + from + static_cast<std::ptrdiff_t>(number.bytes));
    }
  }
  return numbers;
}

}  // namespace

void walk_over_operators(Outcomes& outcomes, bool only_valid) {
  MPI_Comm comm = outcomes.fresh();
  const int root = outcomes.size() - 1;
  for (const Type& type : all_types()) {
    for (const Operator& by : all_operators()) {
      if (ends_the_mpi(type, by) || (only_valid && !is_of_standard(type, by))) continue;
      const std::string what = type.name + " by " + by.name;
      const Memory own = own_of(type, by, outcomes.rank());
      Memory result(own.size());
      int error = MPI_Reduce(own.data(), result.data(), kCount, type.type, by.op, root, comm);
      if (outcomes.rank() != root) result.assign(result.size(), 0);
      outcomes.tell("reduce of " + what, error, numbers_of(type, result));
      result.assign(result.size(), 0);
      error = MPI_Allreduce(own.data(), result.data(), kCount, type.type, by.op, comm);
      outcomes.tell("allreduce of " + what, error, numbers_of(type, result));
      if (!is_of_standard(type, by)) continue;
      result.assign(result.size(), 0);
      error = MPI_Reduce_scatter_block(own.data(), result.data(), kCount / outcomes.size(),
                                       type.type, by.op, comm);
      outcomes.tell("reduce_scatter_block of " + what, error, numbers_of(type, result));
    }
  }
  MPI_Comm_free(&comm);
}

}  // namespace nmt::testing
