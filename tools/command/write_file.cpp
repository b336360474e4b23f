// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "core/error.h"
#include "core/id.h"
#include "tools/command/terminal.h"

namespace nmt {

void write_file(const std::string& file, std::string_view content, bool force) {
  if (file == "-") throw Error(Fault::kUsage, "'-' is no file; name one");
  const std::string aside = fmt::format("{}.{}.tmp", file, Id::random().hex().substr(0, 8));
  const int descriptor = ::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor < 0) throw system_error(Fault::kFailed, fmt::format("open({})", aside), errno);
  try {
    write_all(descriptor, content, aside);
    if (::fsync(descriptor) != 0) {
      throw system_error(Fault::kFailed, fmt::format("fsync({})", aside), errno);
    }
    // A link refuses a name that is taken, whoever took it since we looked.
    const bool named = force ? ::rename(aside.c_str(), file.c_str()) == 0
                             : ::link(aside.c_str(), file.c_str()) == 0;
    if (!named) {
      throw system_error(Fault::kFailed, fmt::format("write {}", file), errno,
                         errno == EEXIST ? "--force replaces it" : "");
    }
  } catch (...) {
    ::close(descriptor);
    ::unlink(aside.c_str());
    throw;
  }
  ::close(descriptor);
  if (!force) ::unlink(aside.c_str());
}

}  // namespace nmt
