// SPDX-License-Identifier: BSD-3-Clause
#include "core/log.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace nmt {
namespace {

std::vector<std::string_view> wanted_topics() {
  std::vector<std::string_view> topics;
  const char* value = std::getenv("NMADTUNE_LOG");
  std::string_view rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    if (end > 0) topics.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return topics;
}

}  // namespace

bool log_wants(std::string_view topic) {
  const std::vector<std::string_view> topics = wanted_topics();
  return std::ranges::find(topics, topic) != topics.end();
}

std::string log_problem() {
  std::string unknown, known;
  for (const std::string_view topic : wanted_topics()) {
    if (std::ranges::find(kLogTopics, topic) != kLogTopics.end()) continue;
    unknown += (unknown.empty() ? "" : ", ") + std::string(topic);
  }
  if (unknown.empty()) return "";
  for (const std::string_view topic : kLogTopics) {
    known += (known.empty() ? "" : ", ") + std::string(topic);
  }
  return "NMADTUNE_LOG has no topic " + unknown + "; topics are: " + known;
}

}  // namespace nmt
