// SPDX-License-Identifier: BSD-3-Clause
//
// What a call of the program goes on to where it is left alone: the next definition of the same
// function, which is another tool's where one is preloaded behind this library, else the MPI's own.
// Our own messages go by PMPI_*, so that no tool takes them for the program's.
#pragma once

#include <dlfcn.h>

namespace nmt::collectives {

// Null where no library behind this one has it.
template <class Function>
Function* find_next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// The C function of that name behind this library.
#define NMT_NEXT(name)                                                                 \
  ([] {                                                                                \
    static auto* const next = ::nmt::collectives::find_next<decltype(P##name)>(#name); \
    return next != nullptr ? next : P##name;                                           \
  }())

}  // namespace nmt::collectives
