// SPDX-License-Identifier: BSD-3-Clause
//
// The function that a call goes on to if it is left alone: the next definition of the same name. It
// is another tool's if one is preloaded after this library, else the MPI's own. Our own messages
// use PMPI_*, so that no tool counts them as the program's.
#pragma once

#include <dlfcn.h>

namespace nmt::collectives {

// Null if no library after this one has it.
template <class Function>
Function* find_next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// The C function of that name after this library.
#define NMT_NEXT(name)                                                                 \
  ([] {                                                                                \
    static auto* const next = ::nmt::collectives::find_next<decltype(P##name)>(#name); \
    return next != nullptr ? next : P##name;                                           \
  }())

}  // namespace nmt::collectives
