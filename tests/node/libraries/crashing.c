// SPDX-License-Identifier: BSD-3-Clause
//
// A library that does not survive being loaded.
#include <unistd.h>

__attribute__((constructor)) static void crash(void) { _exit(139); }
