// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the drivers: the contract, and the one table of drivers in order of preference.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "drivers/driver.h"
#include "drivers/waiting.h"

namespace nmt {

// Drivers of real rails built into this binary, in order of preference: shm, verbs, tcp.
std::vector<std::unique_ptr<Driver>> make_drivers();

// Rails described by a JSON file, in virtual time (drivers/fake.h shows the format). `seed` is
// that of the launch, combined with the file's. Throws Error(kFailed) with the place of what is
// wrong in the file.
std::unique_ptr<Driver> make_fake_driver(const std::string& file, std::uint64_t seed);

}  // namespace nmt
