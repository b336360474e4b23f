// SPDX-License-Identifier: BSD-3-Clause
#include "tools/stack/ompi_info.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.h"
#include "sampler/sampler.h"

namespace nmt::tools {
namespace {

namespace fs = std::filesystem;

// A home directory that contains only this file.
class Home {
 public:
  explicit Home(std::string_view mca_params) {
    std::string name = fs::temp_directory_path() / "nmadtune-home-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr)
      throw system_error(Fault::kFailed, fmt::format("mkdtemp({})", name), errno,
                         "set TMPDIR to a folder that you can write to");
    folder_ = name;
    fs::create_directory(folder_ / ".openmpi");
    std::ofstream(folder_ / ".openmpi" / "mca-params.conf", std::ios::binary) << mca_params;
  }
  ~Home() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;

  std::string folder() const { return folder_; }

 private:
  fs::path folder_;
};

// "mca:btl:tcp:param:btl_tcp_eager_limit:value:65536"
Fields values_in(const std::string& out) {
  constexpr std::string_view kParameter = ":param:", kValue = ":value:";
  Fields values;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t name = line.find(kParameter), value = line.find(kValue);
    if (name == std::string::npos || value == std::string::npos || value < name) continue;
    const std::size_t begin = name + kParameter.size();
    values.emplace(line.substr(begin, value - begin), line.substr(value + kValue.size()));
  }
  return values;
}

bool same(const std::string& shown, const std::string& meant) {
  return shown == meant || (meant == "1" && shown == "true") || (meant == "0" && shown == "false");
}

}  // namespace

LoadedSettings ask_ompi_info(std::string_view mca_params, const Fields& settings) {
  LoadedSettings loaded;
  const Home home(mca_params);
  Fields values;
  try {
    values = values_in(sampler::launch({.launcher = "ompi_info",
                                        .program = {"--all", "--parsable"},
                                        .environment = {{"HOME", home.folder()}},
                                        .timeout_ns = 60e9})
                           .out);
  } catch (const Error&) {  // not installed here
    return loaded;
  }
  loaded.installed = true;
  for (const auto& [name, value] : settings) {
    const auto shown = values.find(name);
    if (shown == values.end()) {
      loaded.unlisted.push_back(name);
    } else if (same(shown->second, value)) {
      loaded.taken.push_back(name);
    } else {
      loaded.refused.push_back(fmt::format("{}: {} instead of {}", name, shown->second, value));
    }
  }
  return loaded;
}

}  // namespace nmt::tools
