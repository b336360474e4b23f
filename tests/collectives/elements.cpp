// SPDX-License-Identifier: BSD-3-Clause
#include "tests/collectives/elements.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

namespace nmt::testing {
namespace {

// The extended reals of x86 have ten bytes of sixteen.
template <class Value>
constexpr std::uint64_t kBytes =
    std::is_floating_point_v<Value>&& std::numeric_limits<Value>::digits == 64 ? 10 : sizeof(Value);

template <class Value>
void write(std::byte* to, int value) {
  const auto number = static_cast<Value>(value);
  std::memcpy(to, &number, kBytes<Value>);
}

using Operators = std::vector<Operator>;

#define NAMED(value) #value, value

const Operators kArithmetic = {{NAMED(MPI_SUM)}, {NAMED(MPI_PROD)}};
const Operators kOrder = {{NAMED(MPI_MAX)}, {NAMED(MPI_MIN)}};
const Operators kLogic = {{NAMED(MPI_LAND)}, {NAMED(MPI_LOR)}, {NAMED(MPI_LXOR)}};
const Operators kBits = {{NAMED(MPI_BAND)}, {NAMED(MPI_BOR)}, {NAMED(MPI_BXOR)}};
const Operators kPlaces = {{NAMED(MPI_MAXLOC)}, {NAMED(MPI_MINLOC)}};

Operators operator+(Operators some, const Operators& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

bool is_one_of(const Operator& by, const Operators& operators) {
  return std::ranges::find(operators, by.op, &Operator::op) != operators.end();
}

struct All {
  std::vector<Elements> elements;

  template <class Value>
  void one(const char* name, MPI_Datatype type, const Operators& operators) {
    if (type == MPI_DATATYPE_NULL) return;
    elements.push_back({name, type, sizeof(Value), {{0, kBytes<Value>, write<Value>}}, operators});
  }
  template <class First, class Second>
  void two(const char* name, MPI_Datatype type, const Operators& operators) {
    if (type == MPI_DATATYPE_NULL) return;
    struct Both {
      First first;
      Second second;
    };
    elements.push_back({name,
                        type,
                        sizeof(Both),
                        {{offsetof(Both, first), kBytes<First>, write<First>},
                         {offsetof(Both, second), kBytes<Second>, write<Second>}},
                        operators});
  }
};

std::vector<Elements> make() {
  All all;
  const Operators integers = kArithmetic + kOrder + kLogic + kBits;
  all.one<signed char>(NAMED(MPI_SIGNED_CHAR), integers);
  all.one<unsigned char>(NAMED(MPI_UNSIGNED_CHAR), integers);
  all.one<short>(NAMED(MPI_SHORT), integers);
  all.one<unsigned short>(NAMED(MPI_UNSIGNED_SHORT), integers);
  all.one<int>(NAMED(MPI_INT), integers);
  all.one<unsigned>(NAMED(MPI_UNSIGNED), integers);
  all.one<long>(NAMED(MPI_LONG), integers);
  all.one<unsigned long>(NAMED(MPI_UNSIGNED_LONG), integers);
  all.one<long long>(NAMED(MPI_LONG_LONG), integers);
  all.one<unsigned long long>(NAMED(MPI_UNSIGNED_LONG_LONG), integers);
  all.one<std::int8_t>(NAMED(MPI_INT8_T), integers);
  all.one<std::int16_t>(NAMED(MPI_INT16_T), integers);
  all.one<std::int32_t>(NAMED(MPI_INT32_T), integers);
  all.one<std::int64_t>(NAMED(MPI_INT64_T), integers);
  all.one<std::uint8_t>(NAMED(MPI_UINT8_T), integers);
  all.one<std::uint16_t>(NAMED(MPI_UINT16_T), integers);
  all.one<std::uint32_t>(NAMED(MPI_UINT32_T), integers);
  all.one<std::uint64_t>(NAMED(MPI_UINT64_T), integers);
  const Operators fortran_integers = kArithmetic + kOrder + kBits;
  all.one<int>(NAMED(MPI_INTEGER), fortran_integers);
  all.one<std::int8_t>(NAMED(MPI_INTEGER1), fortran_integers);
  all.one<std::int16_t>(NAMED(MPI_INTEGER2), fortran_integers);
  all.one<std::int32_t>(NAMED(MPI_INTEGER4), fortran_integers);
  all.one<std::int64_t>(NAMED(MPI_INTEGER8), fortran_integers);

  const Operators of_any_language = kArithmetic + kOrder + kBits;
  all.one<MPI_Aint>(NAMED(MPI_AINT), of_any_language);
  all.one<MPI_Offset>(NAMED(MPI_OFFSET), of_any_language);
  all.one<MPI_Count>(NAMED(MPI_COUNT), of_any_language);

  all.one<float>(NAMED(MPI_FLOAT), kArithmetic + kOrder);
  all.one<double>(NAMED(MPI_DOUBLE), kArithmetic + kOrder);
  all.one<long double>(NAMED(MPI_LONG_DOUBLE), kArithmetic + kOrder);
  all.one<float>(NAMED(MPI_REAL), kArithmetic + kOrder);
  all.one<double>(NAMED(MPI_DOUBLE_PRECISION), kArithmetic + kOrder);
  all.one<float>(NAMED(MPI_REAL4), kArithmetic + kOrder);
  all.one<double>(NAMED(MPI_REAL8), kArithmetic + kOrder);

  all.two<float, float>(NAMED(MPI_C_FLOAT_COMPLEX), kArithmetic);
  all.two<double, double>(NAMED(MPI_C_DOUBLE_COMPLEX), kArithmetic);
  all.two<long double, long double>(NAMED(MPI_C_LONG_DOUBLE_COMPLEX), kArithmetic);
  all.two<float, float>(NAMED(MPI_COMPLEX), kArithmetic);
  all.two<double, double>(NAMED(MPI_DOUBLE_COMPLEX), kArithmetic);
  all.two<float, float>(NAMED(MPI_COMPLEX8), kArithmetic);
  all.two<double, double>(NAMED(MPI_COMPLEX16), kArithmetic);
  all.two<float, float>(NAMED(MPI_CXX_FLOAT_COMPLEX), kArithmetic);
  all.two<double, double>(NAMED(MPI_CXX_DOUBLE_COMPLEX), kArithmetic);
  all.two<long double, long double>(NAMED(MPI_CXX_LONG_DOUBLE_COMPLEX), kArithmetic);

  all.one<bool>(NAMED(MPI_C_BOOL), kLogic);
  all.one<bool>(NAMED(MPI_CXX_BOOL), kLogic);
  all.one<int>(NAMED(MPI_LOGICAL), kLogic);
  all.one<std::uint8_t>(NAMED(MPI_BYTE), kBits);

  all.two<float, int>(NAMED(MPI_FLOAT_INT), kPlaces);
  all.two<double, int>(NAMED(MPI_DOUBLE_INT), kPlaces);
  all.two<long double, int>(NAMED(MPI_LONG_DOUBLE_INT), kPlaces);
  all.two<short, int>(NAMED(MPI_SHORT_INT), kPlaces);
  all.two<int, int>(NAMED(MPI_2INT), kPlaces);
  all.two<long, int>(NAMED(MPI_LONG_INT), kPlaces);
  all.two<int, int>(NAMED(MPI_2INTEGER), kPlaces);
  all.two<float, float>(NAMED(MPI_2REAL), kPlaces);
  all.two<double, double>(NAMED(MPI_2DOUBLE_PRECISION), kPlaces);
  return all.elements;
}

}  // namespace

const std::vector<Elements>& all_elements() {
  static const std::vector<Elements> all = make();
  return all;
}

Bytes values(const Elements& of, const Operator& by, std::uint64_t count, int rank) {
  const bool places = is_one_of(by, kPlaces), logic = is_one_of(by, kLogic);
  Bytes bytes(count * of.bytes);
  for (std::uint64_t i = 0; i < count; ++i) {
    // Every third is the same on all ranks: else all of them together would never be true.
    const int place = static_cast<int>(i % 1000) * 7 + (i % 3 == 0 ? 0 : rank * 3);
    const int odd = place % 2;  // no product of 1 and 2+i has a part that is 0, which has a sign
    const int first = places ? place % 5 : logic ? odd : 1 + odd;
    const int second = places ? rank : odd;
    std::byte* to = bytes.data() + i * of.bytes;
    of.numbers[0].write(to + of.numbers[0].offset, first);
    if (of.numbers.size() > 1) of.numbers[1].write(to + of.numbers[1].offset, second);
  }
  return bytes;
}

bool same(const Elements& of, const Bytes& some, const Bytes& others) {
  if (some == others) return true;
  if (some.size() != others.size()) return false;
  for (std::uint64_t at = 0; at < some.size(); at += of.bytes) {
    for (const Elements::Number& number : of.numbers) {
      if (std::memcmp(some.data() + at + number.offset, others.data() + at + number.offset,
                      number.bytes) != 0) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace nmt::testing
