// SPDX-License-Identifier: BSD-3-Clause
//
// InfiniBand verbs without a device: what libibverbs would do, in this process's memory, and all
// that a device can do wrong.
//
// stub.cpp defines the functions of libibverbs that the driver calls, so that an executable that it
// is part of runs the real driver over devices of its own making. Work is done when it is posted:
// queue pairs of one process reach each other, keys and bounds of every access are checked as a
// device would check them, and a message without a receive posted for it is a failure at once, so
// that credits must hold. What a test has set lasts until the next reset().
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nmt::stub {

struct Gid {
  ibv_gid_type type = IBV_GID_TYPE_ROCE_V2;
  std::uint8_t bytes[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1};
};

struct Port {
  ibv_port_state state = IBV_PORT_ACTIVE;
  bool ethernet = true;
  std::uint16_t lid = 0;
  std::vector<Gid> gids{Gid{}};
};

struct Device {
  std::string name;
  std::vector<Port> ports{Port{}};
  int open_error = 0;  // errno
  std::uint32_t inline_bytes_max = 128;
  int pieces_max = 4;  // of one piece of work
};

struct Settings {
  std::vector<Device> devices{{.name = "stub0"}, {.name = "stub1"}};
  std::map<std::string, int> failing;                  // call, errno: from now on
  std::uint64_t locked_bytes_max = ~std::uint64_t{0};  // registered at a time
  // Of work that is posted from now on, or of receives: the status of the next, once.
  ibv_wc_status next_work = IBV_WC_SUCCESS;
  bool queues_hold_nothing = false;  // completion queues run over at once
};

Settings& settings();
void reset();

struct Counts {
  std::uint64_t registrations = 0;  // made so far
  std::uint64_t regions = 0;        // there now, as are these:
  std::uint64_t contexts = 0;
  std::uint64_t queues = 0;
  std::uint64_t signalled = 0;  // work that told
  std::uint64_t posted = 0;     // work in all
  std::uint64_t inlined = 0;
};
Counts counts();

// An asynchronous event, for everybody who has the device open.
void raise(ibv_event_type type, const std::string& device = "stub0", int port = 1);

// All queue pairs of a device stop answering, as if its cable were cut.
void cut(const std::string& device);

}  // namespace nmt::stub
