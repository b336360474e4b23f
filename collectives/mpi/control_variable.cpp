// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/control_variable.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <sstream>

namespace nmt::collectives {
namespace {

constexpr std::size_t kNumberBytesMax = 64;  // of a value: an MPI may write more than an int
constexpr int kDescriptionBytes = 8192;

using Number = std::array<char, kNumberBytesMax>;

// It is never ended: the program may use MPI_T too, and handles last as long as the process.
bool begin_tools() {
  static const bool begun = [] {
    int level = 0;
    return PMPI_T_init_thread(MPI_THREAD_MULTIPLE, &level) == MPI_SUCCESS;
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
  std::istringstream lines(description);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, dash;
    if (!(words >> name >> dash) || dash != "-") continue;
    const int number = static_cast<int>(names.size());
    names[number] = name;
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
