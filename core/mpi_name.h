// SPDX-License-Identifier: BSD-3-Clause
//
// The name and version of an MPI, as profiles store them: "Open MPI v4.1.4", "MPICH
// Version: 4.0.2".
//
// For C too: the code that calls an MPI is compiled by that MPI's own compiler.
#pragma once

#include <string.h>

#ifdef __cplusplus
namespace nmt {
#endif

// Shortens the text of MPI_Get_library_version in place: removes the build, and repeated blanks.
static inline void shorten_to_mpi_name(char* text) {
  char* to = text;
  text[strcspn(text, ",\n\r")] = '\0';
  for (const char* from = text; *from != '\0'; ++from) {
    const char each = *from == '\t' ? ' ' : *from;
    if (each != ' ' || (to != text && to[-1] != ' ')) *to++ = each;
  }
  *to = '\0';
}

#ifdef __cplusplus
}  // namespace nmt
#endif
