// SPDX-License-Identifier: BSD-3-Clause
//
// Whether two interfaces of two nodes are on one network, according to their addresses:
// "10.0.1.1/24" and "10.0.1.2/24" are. Addresses come from another node and are not trusted.
#pragma once

#include <string>
#include <string_view>

#include "drivers/tcp/interfaces.h"

namespace nmt::drivers {

std::string subnet_text(const TcpInterface& interface);  // the interface must have an address

// Whether these are different addresses of one subnet. False for any other text.
bool same_subnet(std::string_view a, std::string_view b);

}  // namespace nmt::drivers
