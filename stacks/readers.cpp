// SPDX-License-Identifier: BSD-3-Clause
#include "stacks/readers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>

#include "core/error.h"
#include "core/json.h"
#include "core/version.h"

namespace nmt::stacks {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// The problem of one line, without its place.
struct Problem {
  std::string text;
};

void for_each_line(std::string_view text, std::string_view what,
                   const std::function<void(std::string_view line)>& read) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    try {
      read(line);
    } catch (const Problem& problem) {
      throw Error(Fault::kFailed, fmt::format("{}: line {}: {}", what, number, problem.text));
    }
  }
}

std::pair<std::string, std::string> name_and_value(std::string_view line,
                                                   std::string_view letters) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) {
    throw Problem{fmt::format("'{}' is not name=value", json::printable(line))};
  }
  const std::string_view name = trimmed(line.substr(0, equals));
  if (name.empty() || name.find_first_not_of(letters) != std::string_view::npos) {
    throw Problem{fmt::format("'{}' is not a name", json::printable(name))};
  }
  return {std::string(name), std::string(trimmed(line.substr(equals + 1)))};
}

// From UCX 1.17 on, what is for messages between nodes and within one stands in one value, with a
// key for each. `ucx_version` is empty where it is not known.
void check_threshold(std::string_view name, std::string_view value, std::string_view ucx_version) {
  if (name != "UCX_RNDV_THRESH") return;
  const bool inter = value.find("inter:") != std::string_view::npos;
  const bool intra = value.find("intra:") != std::string_view::npos;
  if (!inter && !intra) return;
  if (!ucx_version.empty() && older(ucx_version, "1.17")) {
    throw Problem{
        fmt::format("UCX {} has one threshold, and cannot read inter: and intra:", ucx_version)};
  }
  if (inter != intra) {
    throw Problem{fmt::format("UCX_RNDV_THRESH has {0} and not {1}; give both, as {0}65536,{1}auto",
                              inter ? "inter:" : "intra:", inter ? "intra:" : "inter:")};
  }
}

// Open MPI ignores a parameter of a component that it does not have, without a word. From 5.0 on it
// still takes btl_vader_ for btl_sm_.
void check_component(std::string_view name, std::string_view version) {
  if (version.empty()) return;
  const bool before_5 = older(version, "5.0");
  if (before_5 && name.starts_with("btl_sm_")) {
    throw Problem{fmt::format("Open MPI {} has no {}; before 5.0 it is btl_vader_{}", version, name,
                              name.substr(std::string_view("btl_sm_").size()))};
  }
  if (!before_5 && name.starts_with("btl_openib_")) {
    throw Problem{
        fmt::format("Open MPI {} has no {}: from 5.0 on, UCX carries messages over "
                    "InfiniBand",
                    version, name)};
  }
}

}  // namespace

// A value is everything after the =, so a comment there would be part of it.
Fields read_mca_params(std::string_view text, std::string_view what, std::string_view version) {
  static const std::string letters = std::string(kLetters) + "-.";
  Fields settings;
  for_each_line(text, what, [&](std::string_view line) {
    line = trimmed(line);
    if (line.empty() || line.starts_with('#') || line.starts_with("//")) return;
    const auto [name, value] = name_and_value(line, letters);
    if (value.find('#') != std::string::npos) {
      throw Problem{fmt::format("the comment would become part of the value of {}", name)};
    }
    if (value.starts_with('"') || value.starts_with('\'')) {
      throw Problem{fmt::format("the quotes would become part of the value of {}", name)};
    }
    check_component(name, version);
    settings[name] = value;
  });
  return settings;
}

Fields read_ucx_conf(std::string_view text, std::string_view what, std::string_view version) {
  Fields settings;
  for_each_line(text, what, [&](std::string_view line) {
    line = trimmed(line);
    if (line.empty() || line.starts_with('#') || line.starts_with(';')) return;
    if (line.starts_with('[')) {
      if (!line.ends_with(']')) throw Problem{"a section has no closing ]"};
      return;
    }
    const auto [name, value] = name_and_value(line, std::string(kLetters) + " ");
    const bool filter = name == "CPU vendor" || name == "CPU model" || name == "Product name";
    if (filter) return;
    if (!name.starts_with("UCX_") || name.find(' ') != std::string::npos) {
      throw Problem{fmt::format("UCX has no variable {}; they begin with UCX_", name)};
    }
    check_threshold(name, value, version);
    settings[name] = value;
  });
  return settings;
}

Fields read_environment(std::string_view text, std::string_view what) {
  constexpr std::string_view kExport = "export ";
  Fields settings;
  for_each_line(text, what, [&](std::string_view line) {
    line = trimmed(line);
    if (line.empty() || line.starts_with('#')) return;
    if (line.starts_with(kExport)) line.remove_prefix(kExport.size());
    const auto [name, value] = name_and_value(line, kLetters);
    if (line.find(" =") != std::string_view::npos || line.find("= ") != std::string_view::npos) {
      throw Problem{"a shell accepts no blanks around ="};
    }
    if (value.find_first_of(" \t'\"$`\\;&|<>()*?#") != std::string::npos) {
      throw Problem{fmt::format("a shell would change '{}'; leave special characters out",
                                json::printable(value))};
    }
    check_threshold(name, value, "");
    settings[name] = value;
  });
  return settings;
}

std::vector<double> read_nm_ns(std::string_view text, std::string_view what) {
  std::vector<double> speeds;
  std::uint64_t expected_bytes = 1;
  for_each_line(text, what, [&](std::string_view line) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) throw Problem{"expected a tab between size and bandwidth"};
    std::uint64_t size_bytes = 0;
    double speed = 0;
    const auto [size_end, size_error] = std::from_chars(line.data(), line.data() + tab, size_bytes);
    const char* end = line.data() + line.size();
    const auto [speed_end, speed_error] = std::from_chars(line.data() + tab + 1, end, speed);
    if (size_error != std::errc() || size_end != line.data() + tab ||
        size_bytes != expected_bytes) {
      throw Problem{fmt::format("the size must be {}: sizes are powers of two without a gap",
                                expected_bytes)};
    }
    if (speed_error != std::errc() || speed_end != end || !(speed > 0) || std::isinf(speed)) {
      throw Problem{"expected a bandwidth above 0 MiB/s"};
    }
    expected_bytes *= 2;
    speeds.push_back(speed);
  });
  return speeds;
}

}  // namespace nmt::stacks
