// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/library/control_variable.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <sstream>
#include <string_view>
#include <utility>

namespace nmt::collectives {
namespace {

constexpr std::size_t kNumberBytesMax = 64;  // of a value: an MPI may write more than an int
constexpr int kDescriptionBytes = 8192;

using Number = std::array<char, kNumberBytesMax>;

// MPICH has no enumerations, but a description "NAME - meaning" for each number from 0 on. It ends
// one and begins the next without a space ("Force Binomial Treenb - Force nonblocking algorithm"),
// so a name is found only if it is one of these. "noncommutative", of a Reduce_scatter, is left
// out: it ends the program where counts are not equal.
constexpr std::string_view kMpichNames[] = {"auto",
                                            "binomial",
                                            "brucks",
                                            "dissemination",
                                            "k_brucks",
                                            "k_dissemination",
                                            "k_reduce_scatter_allgather",
                                            "linear",
                                            "nb",
                                            "pairwise",
                                            "pairwise_sendrecv_replace",
                                            "pipelined_tree",
                                            "recexch",
                                            "recexch_doubling",
                                            "recexch_halving",
                                            "recursive_doubling",
                                            "recursive_halving",
                                            "reduce_scatter_allgather",
                                            "reduce_scatter_gather",
                                            "ring",
                                            "scatter_recursive_doubling_allgather",
                                            "scatter_ring_allgather",
                                            "scattered",
                                            "smp",
                                            "tree"};

// It is never ended: the program may use MPI_T too, and handles last as long as the process. The
// level is the program's own: Open MPI 4.1 would report any other to the program as its level.
bool begin_tools() {
  static const bool begun = [] {
    int level = MPI_THREAD_SINGLE, provided = 0;
    PMPI_Query_thread(&level);
    return PMPI_T_init_thread(level, &provided) == MPI_SUCCESS;
  }();
  return begun;
}

std::map<int, std::string> names_in(MPI_T_enum enumeration) {
  std::map<int, std::string> names;
  char title[256] = "";
  int items = 0, title_bytes = sizeof title;
  if (PMPI_T_enum_get_info(enumeration, &items, title, &title_bytes) != MPI_SUCCESS) return {};
  for (int i = 0; i < items; ++i) {
    char name[256] = "";
    int value = 0, name_bytes = sizeof name;
    if (PMPI_T_enum_get_item(enumeration, i, &value, name, &name_bytes) == MPI_SUCCESS) {
      names[value] = name;
    }
  }
  return names;
}

std::map<int, std::string> names_in(const std::string& description) {
  std::map<int, std::string> names;
  std::istringstream words(description);
  std::string before;
  int number = 0;
  for (std::string word; words >> word; before = std::move(word)) {
    if (word != "-") continue;
    std::string_view name;
    for (const std::string_view each : kMpichNames) {
      if (before.ends_with(each) && each.size() > name.size()) name = each;
    }
    if (!name.empty()) names[number] = name;
    ++number;
  }
  return names;
}

}  // namespace

ControlVariable::ControlVariable(const std::string& name) {
  int index = 0, verbosity = 0, bind = 0, scope = 0, count = 0;
  int description_bytes = kDescriptionBytes;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum enumeration = MPI_T_ENUM_NULL;
  std::string description(kDescriptionBytes, '\0');
  if (!begin_tools() || PMPI_T_cvar_get_index(name.c_str(), &index) != MPI_SUCCESS) return;
  if (PMPI_T_cvar_get_info(index, nullptr, nullptr, &verbosity, &type, &enumeration,
                           description.data(), &description_bytes, &bind, &scope) != MPI_SUCCESS) {
    return;
  }
  if (type == MPI_CHAR || type == MPI_DOUBLE) return;
  if (PMPI_T_cvar_handle_alloc(index, nullptr, &handle_, &count) != MPI_SUCCESS || count != 1) {
    handle_ = MPI_T_CVAR_HANDLE_NULL;
    return;
  }
  description.resize(std::strlen(description.c_str()));
  names_ = enumeration != MPI_T_ENUM_NULL ? names_in(enumeration) : names_in(description);
}

ControlVariable::~ControlVariable() {
  if (handle_ != MPI_T_CVAR_HANDLE_NULL) PMPI_T_cvar_handle_free(&handle_);
}

// Open MPI writes one byte of a flag.
std::optional<int> ControlVariable::read() const {
  alignas(8) Number number{};
  int value = 0;
  if (handle_ == MPI_T_CVAR_HANDLE_NULL) return std::nullopt;
  if (PMPI_T_cvar_read(handle_, number.data()) != MPI_SUCCESS) return std::nullopt;
  std::memcpy(&value, number.data(), sizeof value);
  return value;
}

bool ControlVariable::write(int value) const {
  alignas(8) Number number{};
  std::memcpy(number.data(), &value, sizeof value);
  return handle_ != MPI_T_CVAR_HANDLE_NULL &&
         PMPI_T_cvar_write(handle_, number.data()) == MPI_SUCCESS;
}

}  // namespace nmt::collectives
