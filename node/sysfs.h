// SPDX-License-Identifier: BSD-3-Clause
//
// Small text files under /proc and /sys. An absent file reads as empty.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace nmt::node {

// The first line without white space around it; empty if the file is absent or unreadable.
std::string read_line(const std::string& file);

// "0-3,8" -> 0 1 2 3 8. Empty for any other text.
std::vector<int> parse_list(const std::string& text);

// "1024K" -> 1048576, the form of cache sizes in /sys.
std::optional<std::size_t> parse_cache_size(const std::string& text);

// "0000:3b:00.0" of a folder such as /sys/class/net/eth0; empty where the device is not on PCI.
std::string pci_address(const std::string& device);

}  // namespace nmt::node
