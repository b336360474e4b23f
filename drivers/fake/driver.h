// SPDX-License-Identifier: BSD-3-Clause
//
// Described rails, in virtual time.
//
// Beside it:
//   description   reads the file that describes the rails
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "drivers/driver.h"

namespace nmt {

// Rails described by a JSON file (drivers/fake/description.h shows the format). `seed` is that of
// the launch, combined with the file's. Throws Error(kFailed) with the place of what is wrong in
// the file.
std::unique_ptr<Driver> make_fake_driver(const std::string& file, std::uint64_t seed);

}  // namespace nmt
