// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/drivers.h"

#include "drivers/shm.h"
#include "drivers/tcp.h"
#include "drivers/verbs.h"

namespace nmt {

std::vector<std::unique_ptr<Driver>> make_drivers() {
  std::vector<std::unique_ptr<Driver>> drivers;
  drivers.push_back(make_shm_driver());
  drivers.push_back(make_verbs_driver());
  drivers.push_back(make_tcp_driver());
  return drivers;
}

}  // namespace nmt
