// SPDX-License-Identifier: BSD-3-Clause
//
// Described rails, in virtual time.
//
// In reading order:
//   description   reads the file that describes the rails
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "drivers/driver.h"

namespace nmt::drivers {

// Rails described by a JSON file (drivers/fake/description.h shows the format). `seed` is the seed
// of the launch; it is combined with the seed in the file. Throws Error(kFailed) that names the
// place of an error in the file.
std::unique_ptr<Driver> make_fake_driver(const std::string& file, std::uint64_t seed);

}  // namespace nmt::drivers
