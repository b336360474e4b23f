// SPDX-License-Identifier: BSD-3-Clause
#include "node/link_errors.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <string_view>
#include <vector>

#include "node/sysfs.h"

namespace nmt::node {
namespace {

constexpr std::string_view kInterfaceCounters[] = {
    "carrier_down_count",   "statistics/rx_crc_errors",     "statistics/rx_fifo_errors",
    "statistics/rx_errors", "statistics/tx_carrier_errors", "statistics/tx_errors"};
// Those of InfiniBand's standard, and those of devices that retransmit.
constexpr std::string_view kPortCounters[] = {"counters/link_downed",
                                              "counters/link_error_recovery",
                                              "counters/symbol_error",
                                              "counters/port_rcv_errors",
                                              "counters/port_xmit_discards",
                                              "counters/local_link_integrity_errors",
                                              "hw_counters/packet_seq_err",
                                              "hw_counters/out_of_sequence",
                                              "hw_counters/local_ack_timeout_err",
                                              "hw_counters/rx_icrc_encapsulated",
                                              "hw_counters/retry_exceeded_err",
                                              "hw_counters/link_downed"};

LinkErrors read_all(const std::string& folder, std::span<const std::string_view> counters) {
  LinkErrors errors;
  for (const std::string_view counter : counters) {
    const std::string text = read_line(folder + "/" + std::string(counter));
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || rest != end || text.empty()) continue;
    errors[std::string(counter.substr(counter.find('/') + 1))] += value;
  }
  return errors;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

}  // namespace

LinkErrors interface_errors(const std::string& interface, const std::string& root) {
  LinkErrors errors = read_all(root + "/sys/class/net/" + interface, kInterfaceCounters);
  std::ifstream snmp(root + "/proc/self/net/snmp");
  if (!errors.empty() && snmp) {
    errors["tcp_retransmits"] =
        tcp_retransmits({std::istreambuf_iterator<char>(snmp), std::istreambuf_iterator<char>()});
  }
  return errors;
}

LinkErrors verbs_port_errors(const std::string& device, const std::string& port,
                             const std::string& root) {
  return read_all(root + "/sys/class/infiniband/" + device + "/ports/" + port, kPortCounters);
}

LinkErrors errors_since(const LinkErrors& before, const LinkErrors& now) {
  LinkErrors risen;
  for (const auto& [name, value] : now) {
    const auto known = before.find(name);
    if (known != before.end() && value > known->second) risen[name] = value - known->second;
  }
  return risen;
}

std::string to_text(const LinkErrors& errors) {
  std::string text;
  for (const auto& [name, value] : errors) {
    text += (text.empty() ? "" : ", ") + std::to_string(value) + " " + name;
  }
  return text;
}

// Two lines with the same first word: the names of the fields, and their values.
std::uint64_t tcp_retransmits(const std::string& snmp) {
  std::istringstream lines(snmp);
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("Tcp:")) continue;
    const std::vector<std::string> words = words_of(line);
    if (names.empty()) {
      names = words;
      continue;
    }
    for (std::size_t i = 0; i < std::min(names.size(), words.size()); ++i) {
      std::uint64_t value = 0;
      if (names[i] != "RetransSegs") continue;
      std::from_chars(words[i].data(), words[i].data() + words[i].size(), value);
      return value;
    }
  }
  return 0;
}

}  // namespace nmt::node
