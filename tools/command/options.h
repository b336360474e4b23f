// SPDX-License-Identifier: BSD-3-Clause
//
// Declares the options of a command or subcommand: flags, texts, and sizes, durations and fractions
// as people write them (core/units.h), within sensible limits. A refusal names the option and shows
// a valid value.
//
// The first line of a description is for the help; the rest is only for the manual page. A name
// without dashes is a positional argument. Targets must outlive the parsing; they keep their value
// if the option is not given. Only this folder uses CLI11, which does the parsing.
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

namespace nmt::tools {

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
  // A list: items separated by commas, or the option given again. At least one size.
  Options& sizes(const std::string& name, std::vector<std::uint64_t>& target_bytes,
                 const std::string& description);
  Options& duration_ns(const std::string& name, double& target, const NumberLimits& limits,
                       const std::string& description);
  Options& fraction(const std::string& name, double& target, const NumberLimits& limits,
                    const std::string& description);
  Options& count(const std::string& name, std::optional<std::uint64_t>& target,
                 const std::string& description);
  // `type` names the kind of text: "FILE", "RAIL,...". Never empty.
  Options& text(const std::string& name, std::string& target, const std::string& type,
                const std::string& description);
  // All items joined by ',': `--x a,b --x c` is "a,b,c". Never empty.
  Options& list(const std::string& name, std::string& target, const std::string& type,
                const std::string& description);
  // Positional, one or more.
  Options& texts(const std::string& name, std::vector<std::string>& target,
                 const std::string& description);
  Options& choice(const std::string& name, std::string& target,
                  const std::vector<std::string>& values, const std::string& description);

  // These apply to the option that was declared last.
  Options& required();
  Options& excludes(const std::string& other);  // must be declared before
  Options& rare();                              // only in the manual page

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

// "; did you mean 'NEAREST'?" or, if none is near, "; there is: A, B, C"; empty if `known` is
// empty.
std::string suggestion(std::string_view wanted, const std::vector<std::string>& known);

}  // namespace nmt::tools
