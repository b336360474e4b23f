// SPDX-License-Identifier: BSD-3-Clause
//
// A folder of its own for one test of the commands: it is the home of whoever runs there, holds
// descriptions of rails, and goes away at the end.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.h"
#include "core/json.h"
#include "tests/tools/process.h"

namespace nmt::testing {

// Two rails with noise, far enough apart to have other thresholds.
extern const std::string_view kTwoRails;

class Sandbox : public ::testing::Test {
 protected:
  static constexpr const char* kPrefix = "nmadtune-test-";  // of the folder's name

  Sandbox();
  ~Sandbox() override;

  std::string path(const std::string& name) const { return folder_ / name; }
  std::string write(const std::string& name, std::string_view text) const;  // returns its path
  std::string read(const std::string& name) const;
  std::vector<std::string> files() const;  // names in the folder, in order

  // The commands, with this folder as their home.
  Setting setting() const;
  Result sample(std::vector<std::string> arguments, const Setting& more = {}) const;
  Result tune(std::vector<std::string> arguments, const Setting& more = {}) const;
  Result bench(std::vector<std::string> arguments, const Setting& more = {}) const;
  std::vector<std::string> sample_command(std::vector<std::string> arguments) const;
  std::vector<std::string> tune_command(std::vector<std::string> arguments) const;
  std::vector<std::string> bench_command(std::vector<std::string> arguments) const;

  // A profile of both rails, small and quick. The first of its seed is kept beside the tests and
  // copied for all others, until nmad-sample is built again.
  std::string make_profile(const std::string& name, const std::string& seed = "1") const;

  // The measurements of a profile once more in `file`, as if of a machine with other fields.
  static void measure_elsewhere(const std::string& profile, const std::string& file,
                                const Fields& fields,
                                const std::string& utc = "2020-01-01T00:00:00Z");
  // This machine's kernel as it may be called after an update: the same release, another patch.
  static std::string patched_kernel();

 private:
  Setting with_home(const Setting& more) const;

  std::filesystem::path folder_;
};

// Standard output as the one JSON document that it must be.
json::Value document(const Result& result);
// What is at `path` ("error.code", "rails.0.rail") of a document; null where nothing is.
json::Value at(const json::Value& document, std::string_view path);
// The number there; throws where there is none, which fails the test.
double number(const json::Value& document, std::string_view path);
// The text there; empty where there is none.
std::string text(const json::Value& document, std::string_view path);

}  // namespace nmt::testing
