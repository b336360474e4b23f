// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <charconv>

#include "core/error.h"
#include "core/rail.h"
#include "core/units.h"
#include "tools/command/help.h"
#include "tools/command/text.h"

namespace nmt::tools {
namespace {

template <class Number, class Limits, class Format>
Number within(Number value, const Limits& limits, Format format) {
  if (value >= limits.low && value <= limits.high) return value;
  throw Error(Fault::kUsage, fmt::format("{} is out of range; write a value from {} to {}",
                                         format(value), format(limits.low), format(limits.high)));
}

std::uint64_t parse_count(const std::string& text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec == std::errc() && result.ptr == end) return value;
  throw Error(Fault::kUsage,
              fmt::format("'{}' is not a whole number; write for example 42", text.substr(0, 40)));
}

}  // namespace

Options& Options::parsed(const std::string& name, const std::string& type,
                         const std::string& description,
                         const std::function<void(const std::string&)>& parse) {
  const auto read = [name, parse](const std::string& text) {
    try {
      parse(text);
    } catch (const Error& error) {
      throw CLI::ValidationError(name, error.what());
    }
  };
  last_ = app_.add_option_function<std::string>(name, read, description)->type_name(type);
  return *this;
}

Options& Options::parsed_list(const std::string& name, const std::string& type,
                              const std::string& description,
                              const std::function<void(const std::string&)>& parse) {
  const auto read = [name, parse](const std::vector<std::string>& texts) {
    try {
      parse(fmt::format("{}", fmt::join(texts, ",")));
    } catch (const Error& error) {
      throw CLI::ValidationError(name, error.what());
    }
  };
  last_ = app_.add_option_function<std::vector<std::string>>(name, read, description)
              ->type_name(type)
              ->allow_extra_args(false);
  return *this;
}

Options& Options::flag(const std::string& name, bool& target, const std::string& description) {
  last_ = app_.add_flag(name, target, description);
  return *this;
}

Options& Options::bytes(const std::string& name, std::uint64_t& target, const ByteLimits& limits,
                        const std::string& description) {
  return parsed(name, "SIZE", description, [&target, limits](const std::string& text) {
    target = within(parse_bytes(text), limits, format_bytes);
  });
}

Options& Options::sizes(const std::string& name, std::vector<std::uint64_t>& target_bytes,
                        const std::string& description) {
  return parsed_list(name, "SIZE,...", description, [&target_bytes](const std::string& text) {
    target_bytes.clear();
    for (const std::string& item : split_list(text)) target_bytes.push_back(parse_bytes(item));
    if (target_bytes.empty()) throw Error(Fault::kUsage, "no size; write for example 64K");
  });
}

Options& Options::duration_ns(const std::string& name, double& target, const NumberLimits& limits,
                              const std::string& description) {
  return parsed(name, "TIME", description, [&target, limits](const std::string& text) {
    target = within(parse_duration_ns(text), limits, format_duration);
  });
}

Options& Options::fraction(const std::string& name, double& target, const NumberLimits& limits,
                           const std::string& description) {
  return parsed(name, "FRACTION", description, [&target, limits](const std::string& text) {
    target = within(parse_fraction(text), limits, format_fraction);
  });
}

Options& Options::count(const std::string& name, std::optional<std::uint64_t>& target,
                        const std::string& description) {
  return parsed(name, "N", description,
                [&target](const std::string& text) { target = parse_count(text); });
}

Options& Options::text(const std::string& name, std::string& target, const std::string& type,
                       const std::string& description) {
  return parsed(name, type, description, [&target, type](const std::string& text) {
    if (text.empty()) throw Error(Fault::kUsage, fmt::format("empty; write {}", type));
    target = text;
  });
}

Options& Options::list(const std::string& name, std::string& target, const std::string& type,
                       const std::string& description) {
  return parsed_list(name, type, description, [&target, type](const std::string& text) {
    if (text.empty()) throw Error(Fault::kUsage, fmt::format("empty; write {}", type));
    target = text;
  });
}

Options& Options::texts(const std::string& name, std::vector<std::string>& target,
                        const std::string& description) {
  last_ = app_.add_option(name, target, description);
  return *this;
}

Options& Options::choice(const std::string& name, std::string& target,
                         const std::vector<std::string>& values, const std::string& description) {
  const std::string type = fmt::format("{}", fmt::join(values, "|"));
  return parsed(name, type, description, [&target, values](const std::string& text) {
    if (std::ranges::find(values, text) == values.end()) {
      throw Error(Fault::kUsage, fmt::format("no '{}'{}", text, suggestion(text, values)));
    }
    target = text;
  });
}

Options& Options::required() {
  last_->required();
  return *this;
}

Options& Options::excludes(const std::string& other) {
  last_->excludes(app_.get_option(other));
  return *this;
}

Options& Options::rare() {
  last_->group(kRareOptions);
  return *this;
}

void Options::example(const std::string& command_line) { app_.footer(command_line); }

std::string suggestion(std::string_view wanted, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(wanted, known);
  if (!nearest.empty()) return fmt::format("; did you mean '{}'?", nearest);
  if (known.empty()) return "";
  return fmt::format("; there is: {}", fmt::join(known, ", "));
}

}  // namespace nmt::tools
