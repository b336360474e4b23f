// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tune/read_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.h"
#include "core/json.h"
#include "core/units.h"

namespace nmt::tools {

std::string read_file(const std::string& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (error) throw system_error(Fault::kFailed, fmt::format("stat({})", file), error.value());
  if (!std::filesystem::is_regular_file(status)) {
    throw Error(Fault::kFailed, fmt::format("{}: not a regular file; name a file", file));
  }
  if (std::filesystem::file_size(file) > json::kSizeBytesMax) {
    throw Error(Fault::kFailed,
                fmt::format("{}: larger than {}, the limit; is this the right file?", file,
                            format_bytes(json::kSizeBytesMax)));
  }
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) throw system_error(Fault::kFailed, fmt::format("read({})", file), errno);
  return std::move(text).str();
}

}  // namespace nmt::tools
