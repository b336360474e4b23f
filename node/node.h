// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the node: what this machine is, and what it offers to processes that communicate on it.
//
// In reading order:
//   fingerprint           fields of this machine; a change makes it another platform
//   topology              the parts of the machine, as hwloc reports them
//   libraries             versions of the communication libraries that are installed
//   cores                 cores that this process may use, their distance, pinning
//   core_exchange         how near two cores are now
//   interference          what else ran on these cores during a measurement
//   link_errors           errors that ports and interfaces have counted
//   cross_memory_attach   one-copy reads from another process
//   shared_segment        memory that two processes share
//   local_socket          a socket between two processes of one user
//   helper                a thread on another core that runs tasks for this one
//   subprocess            a command run as a child process
//   unmap_watch           notices when memory of this process is unmapped or moved
//   sysfs                 small files under /proc and /sys
#pragma once

#include "node/core_exchange.h"
#include "node/cores.h"
#include "node/cross_memory_attach.h"
#include "node/fingerprint.h"
#include "node/helper.h"
#include "node/interference.h"
#include "node/link_errors.h"
#include "node/local_socket.h"
#include "node/shared_segment.h"
#include "node/subprocess.h"
#include "node/sysfs.h"
#include "node/unmap_watch.h"
