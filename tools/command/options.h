// SPDX-License-Identifier: BSD-3-Clause
//
// Declaring the options of a command or subcommand: flags, texts, and sizes, durations and
// fractions as people write them (core/units.h), within limits that make sense. What is refused is
// refused with the option's name and a right value.
//
// The first line of a description is the help's; what follows it is for the manual page only. A
// name without dashes is a positional argument. Targets must outlive the parsing; they keep their
// value where the option is not given. CLI11 does the parsing and is known to this folder only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace nmt {

struct ByteLimits {
  std::uint64_t low = 0;
  std::uint64_t high = std::uint64_t{1} << 62;
};
struct NumberLimits {
  double low = 0;
  double high = 0;
};

class Options {
 public:
  explicit Options(CLI::App& app) : app_(app) {}

  Options& flag(const std::string& name, bool& target, const std::string& description);
  Options& bytes(const std::string& name, std::uint64_t& target, const ByteLimits& limits,
                 const std::string& description);
  // Lists: items between commas, and the option again for more. At least one size.
  Options& sizes(const std::string& name, std::vector<std::uint64_t>& target_bytes,
                 const std::string& description);
  Options& duration_ns(const std::string& name, double& target, const NumberLimits& limits,
                       const std::string& description);
  Options& fraction(const std::string& name, double& target, const NumberLimits& limits,
                    const std::string& description);
  Options& count(const std::string& name, std::optional<std::uint64_t>& target,
                 const std::string& description);
  // `type` says what the text is: "FILE", "RAIL,...". Never empty.
  Options& text(const std::string& name, std::string& target, const std::string& type,
                const std::string& description);
  // All items with ',' between them: `--x a,b --x c` is "a,b,c". Never empty.
  Options& list(const std::string& name, std::string& target, const std::string& type,
                const std::string& description);
  // Positional, one or more.
  Options& texts(const std::string& name, std::vector<std::string>& target,
                 const std::string& description);
  Options& choice(const std::string& name, std::string& target,
                  const std::vector<std::string>& values, const std::string& description);

  // Of the option that was declared last.
  Options& required();
  Options& excludes(const std::string& other);  // declared before
  Options& rare();                              // in the manual page, not in the help's one screen

  void example(const std::string& command_line);

 private:
  Options& parsed(const std::string& name, const std::string& type, const std::string& description,
                  const std::function<void(const std::string&)>& parse);
  Options& parsed_list(const std::string& name, const std::string& type,
                       const std::string& description,
                       const std::function<void(const std::string&)>& parse);

  CLI::App& app_;
  CLI::Option* last_ = nullptr;
};

// "; did you mean 'NEAREST'?" or, where nothing is near, "; there is: A, B, C"; empty without
// known names.
std::string suggestion(std::string_view wanted, const std::vector<std::string>& known);

}  // namespace nmt
