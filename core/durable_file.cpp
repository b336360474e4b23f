// SPDX-License-Identifier: BSD-3-Clause
#include "core/durable_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/id.h"

namespace nmt {
namespace {

void write_all(int descriptor, std::string_view content, const std::string& file) {
  while (!content.empty()) {
    const ssize_t count = ::write(descriptor, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw system_error(Fault::kFailed, fmt::format("write({})", file), errno);
    content.remove_prefix(static_cast<std::size_t>(count));
  }
}

void remove_and_rethrow(const std::string& file) {
  ::unlink(file.c_str());
  throw;
}

[[noreturn]] void refuse_name(const std::string& file, int error) {
  throw system_error(Fault::kFailed, fmt::format("write {}", file), error,
                     error == EEXIST ? "--force replaces it" : "");
}

// Creates a file under a free name and flushes it; removes it again if that fails.
void write_new(const std::string& file, std::string_view content) {
  const Descriptor descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!descriptor) {
    if (errno == EEXIST) refuse_name(file, errno);
    throw system_error(Fault::kFailed, fmt::format("open({})", file), errno);
  }
  try {
    write_all(descriptor.get(), content, file);
    if (::fsync(descriptor.get()) != 0) {
      throw system_error(Fault::kFailed, fmt::format("fsync({})", file), errno);
    }
  } catch (...) {
    remove_and_rethrow(file);
  }
}

// Errors of a file system that lacks the operation: FAT has no links, NFS does not take the flag.
bool is_unsupported(int error) {
  return error == EINVAL || error == ENOSYS || error == EPERM || error == EOPNOTSUPP ||
         error == EMLINK;
}

// Each call refuses a name that is taken, even if another process took it just now. On a file
// system that supports neither of the first two, a reader may see an incomplete file.
void name_without_replacing(const std::string& aside, const std::string& file,
                            std::string_view content) {
  if (::renameat2(AT_FDCWD, aside.c_str(), AT_FDCWD, file.c_str(), RENAME_NOREPLACE) == 0) return;
  if (!is_unsupported(errno)) refuse_name(file, errno);
  if (::link(aside.c_str(), file.c_str()) != 0) {
    if (!is_unsupported(errno)) refuse_name(file, errno);
    write_new(file, content);
  }
  ::unlink(aside.c_str());
}

void flush_folder_of(const std::string& file) {
  const std::string parent = std::filesystem::path(file).parent_path().string();
  const std::string folder = parent.empty() ? "." : parent;
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor && errno == EACCES) return;  // a folder that we may write to but not list
  // Not every file system can flush a folder.
  if (!descriptor || (::fsync(descriptor.get()) != 0 && errno != EINVAL)) {
    throw system_error(Fault::kFailed, fmt::format("fsync({})", folder), errno,
                       fmt::format("{} is written, but a power failure may still lose it", file));
  }
}

}  // namespace

void let_all_read(const std::string& file) {
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!descriptor || ::fchmod(descriptor.get(), 0644) != 0) {
    throw system_error(Fault::kFailed, fmt::format("chmod({})", file), errno);
  }
}

void write_durable_file(const std::string& file, std::string_view content, bool replace) {
  const std::string aside = fmt::format("{}.{}.tmp", file, Id::random().hex().substr(0, 8));
  write_new(aside, content);
  try {
    if (!replace) {
      name_without_replacing(aside, file, content);
    } else if (::rename(aside.c_str(), file.c_str()) != 0) {
      refuse_name(file, errno);
    }
  } catch (...) {
    remove_and_rethrow(aside);
  }
  flush_folder_of(file);
}

}  // namespace nmt
