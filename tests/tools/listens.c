// SPDX-License-Identifier: BSD-3-Clause
//
// Says when a program itself, not a library that it uses, listens: preloaded into the ranks of a
// job, whose MPI listens on ports of its own.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <sys/socket.h>

int listen(int socket, int backlog) {
  int (*next)(int, int) = (int (*)(int, int))dlsym(RTLD_NEXT, "listen");
  struct link_map* map = NULL;
  Dl_info caller;
  if (dladdr1(__builtin_return_address(0), &caller, (void**)&map, RTLD_DL_LINKMAP) != 0 &&
      map->l_name[0] == '\0') {  // the program's own has no name
    fprintf(stderr, "%s itself listens\n", program_invocation_short_name);
  }
  return next(socket, backlog);
}
