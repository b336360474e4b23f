// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the node: what this machine is, and what it can do for processes that talk on it.
//
// In reading order:
//   fingerprint           what makes this machine another platform when it changes
//   topology              the parts of the machine, as hwloc sees them
//   libraries             versions of the communication libraries that are installed
//   cores                 which cores this process may use, how near they are, pinning
//   interference          what else ran on these cores during a measurement
//   cross_memory_attach   one-copy reads from another process
//   shared_segment        memory that two processes share
//   local_socket          a socket between two processes of one user
//   helper                a thread on another core that works for this one
//   subprocess            a command as a child process, read from and ended
//   unmap_watch           when memory of this process is unmapped or moved
//   sysfs                 small files under /proc and /sys
#pragma once

#include "node/cores.h"
#include "node/cross_memory_attach.h"
#include "node/fingerprint.h"
#include "node/helper.h"
#include "node/interference.h"
#include "node/local_socket.h"
#include "node/shared_segment.h"
#include "node/subprocess.h"
#include "node/sysfs.h"
#include "node/unmap_watch.h"
