// SPDX-License-Identifier: BSD-3-Clause
#include "profiledb/anonymous.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <type_traits>
#include <utility>

namespace nmt::profiledb {
namespace {

constexpr std::string_view kBlank = "(removed)";
constexpr std::size_t kTextBytesMax = 4096;  // because the library's regular expressions recurse

// Whether a field distinguishes one machine from another of its kind.
bool tells_machine(const std::string& field) {
  static constexpr std::string_view kWords[] = {"serial", "address", "mac",  "uuid", "guid",
                                                "gid",    "lid",     "host", "peer", "file"};
  std::string lower = field;
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::size_t start = 0;
  while (start <= lower.size()) {  // whole words between '_', '.' and the like
    std::size_t end = lower.find_first_of("_-. /", start);
    if (end == std::string::npos) end = lower.size();
    const std::string_view word = std::string_view(lower).substr(start, end - start);
    if (std::ranges::find(kWords, word) != std::end(kWords)) return true;
    start = end + 1;
  }
  return false;
}

class Eraser {
 public:
  explicit Eraser(const std::vector<NodeRow>& nodes) {
    for (const NodeRow& node : nodes) {
      if (!node.host.empty()) hosts_.emplace_back(node.host, alias(node));
    }
    std::ranges::sort(hosts_, [](const auto& a, const auto& b) {  // "n10" before "n1"
      return a.first.size() > b.first.size();
    });
  }

  static std::string alias(const NodeRow& node) { return "node-" + node.id.hex().substr(0, 8); }

  std::string clean(std::string text) const {
    if (text.size() > kTextBytesMax) return std::string(kBlank);
    for (const auto& [host, name] : hosts_) replace_word(text, host, name);
    for (const std::regex& address : addresses_) {
      text = std::regex_replace(text, address, std::string(kBlank));
    }
    return text;
  }

  Fields clean(const Fields& fields) const {
    Fields cleaned;
    for (const auto& [name, value] : fields) {
      if (!tells_machine(name)) cleaned[name] = clean(value);
    }
    return cleaned;
  }

  json::Value clean(const json::Value& value) const {
    if (const auto* text = value.get_if<std::string>()) return clean(*text);
    if (const auto* array = value.get_if<json::Value::Array>()) {
      json::Value::Array cleaned;
      for (const json::Value& item : *array) cleaned.push_back(clean(item));
      return cleaned;
    }
    if (const auto* object = value.get_if<json::Value::Object>()) {
      json::Value::Object cleaned;
      for (const auto& [key, item] : *object) cleaned.emplace_back(key, clean(item));
      return cleaned;
    }
    return value;
  }

 private:
  static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

  static void replace_word(std::string& text, const std::string& word, const std::string& by) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
      const std::size_t end = at + word.size();
      const bool whole =
          (at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]));
      if (whole) text.replace(at, word.size(), by);
      at += whole ? by.size() : 1;
    }
  }

  std::vector<std::pair<std::string, std::string>> hosts_;
  std::vector<std::regex> addresses_{
      std::regex("([0-9A-Fa-f]{2}[:-]){5,}[0-9A-Fa-f]{2}"),  // Ethernet, InfiniBand
      std::regex("[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}"),
      std::regex("[0-9A-Fa-f:]*::[0-9A-Fa-f:]*|([0-9A-Fa-f]{1,4}:){4,7}[0-9A-Fa-f]{1,4}")};
};

}  // namespace

void make_anonymous(Contents& contents) {
  const Eraser eraser(contents.nodes);
  for (NodeRow& node : contents.nodes) node.host = Eraser::alias(node);
  for (PlatformRow& platform : contents.platforms) {
    platform.name = eraser.clean(platform.name);
    platform.fingerprint = eraser.clean(platform.fingerprint);
  }
  for (RailRow& row : contents.rails) {
    row.rail.name = eraser.clean(row.rail.name);
    row.rail.fingerprint = eraser.clean(row.rail.fingerprint);
  }
  for (CampaignRow& campaign : contents.campaigns) {
    campaign.command_line.clear();
    campaign.remark.clear();
    campaign.options = eraser.clean(campaign.options);
  }
  for (DerivedRow& row : contents.derived) row.content = eraser.clean(row.content);
}

}  // namespace nmt::profiledb
