// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the node: what this machine is, and what it can do for processes that talk on it.
#pragma once

#include "node/cores.h"                // which cores, how near, pinning, caches
#include "node/cross_memory_attach.h"  // one-copy reads from another process
#include "node/fingerprint.h"          // what makes this machine another platform
#include "node/helper.h"               // a thread on another core that works for this one
#include "node/interference.h"         // what else ran while we measured
#include "node/local_socket.h"         // two processes of one user, connected
#include "node/shared_segment.h"       // memory two processes share, without a name
#include "node/subprocess.h"           // a command as a child process
#include "node/sysfs.h"                // small files under /proc and /sys
#include "node/unmap_watch.h"          // when memory stops being what it was
