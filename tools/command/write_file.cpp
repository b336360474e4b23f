// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/write_file.h"

#include "core/durable_file.h"
#include "core/error.h"

namespace nmt::tools {

void write_file(const std::string& file, std::string_view content, bool force) {
  if (file == "-") throw Error(Fault::kUsage, "'-' is not a file; name a file");
  write_durable_file(file, content, force);
}

}  // namespace nmt::tools
