// SPDX-License-Identifier: BSD-3-Clause
//
// Answers like an MPI library.
#include <string.h>

int MPI_Get_library_version(char* text, int* length);

int MPI_Get_library_version(char* text, int* length) {
  strcpy(text, "Open MPI v9.8.7, package: test");
  *length = (int)strlen(text);
  return 0;
}
