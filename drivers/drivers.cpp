// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/drivers.h"

#include "drivers/shm/driver.h"
#include "drivers/tcp/driver.h"
#include "drivers/verbs/driver.h"

namespace nmt::drivers {

std::vector<std::unique_ptr<Driver>> make_drivers() {
  std::vector<std::unique_ptr<Driver>> drivers;
  drivers.push_back(make_shm_driver());
  drivers.push_back(make_verbs_driver());
  drivers.push_back(make_tcp_driver());
  return drivers;
}

}  // namespace nmt::drivers
