// SPDX-License-Identifier: BSD-3-Clause
#include "node/libraries.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "core/descriptor.h"

namespace nmt::node {
namespace {

// By soname: Open MPI since 3; MPICH and all MPIs with its binary interface; Debian's name of
// MPICH.
constexpr const char* kLibraries[] = {"libmpi.so.40", "libmpi.so.12", "libmpich.so.12",
                                      "libibverbs.so.1"};

constexpr std::size_t kVersionBytesMax = 8192;  // MPICH's MPI_MAX_LIBRARY_VERSION_STRING
constexpr unsigned kLoadTimeoutSeconds = 5;

struct Maker {
  std::string_view start;  // start of the text of MPI_Get_library_version
  std::string_view library;
};
constexpr Maker kMakers[] = {{"Open MPI v", "open_mpi"},
                             {"MPICH Version:", "mpich"},
                             {"MVAPICH Version:", "mvapich"},
                             {"MVAPICH2 Version:", "mvapich"},
                             {"Intel(R) MPI Library", "intel_mpi"}};

// The child writes "M" and the text of the MPI, or "F" and the name of the loaded file.
[[noreturn]] void load_and_tell(const char* file, int pipe) {
  ::signal(SIGALRM, SIG_DFL);
  ::alarm(kLoadTimeoutSeconds);
  char text[kVersionBytesMax + 1] = "";
  void* library = ::dlopen(file, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) ::_exit(1);
  if (void* symbol = ::dlsym(library, "MPI_Get_library_version")) {
    int length = 0;
    text[0] = 'M';
    reinterpret_cast<int (*)(char*, int*)>(symbol)(text + 1, &length);
  } else {
    link_map* map = nullptr;
    if (::dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) ::_exit(1);
    const char* path = ::realpath(map->l_name, nullptr);
    if (path == nullptr) ::_exit(1);
    text[0] = 'F';
    std::strncpy(text + 1, path, kVersionBytesMax - 1);
  }
  const ssize_t n = ::write(pipe, text, std::strlen(text));
  ::_exit(n > 0 ? 0 : 1);
}

std::string load_in_child(const std::string& file) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return "";
  Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  const pid_t child = ::fork();
  if (child == 0) load_and_tell(file.c_str(), ends[1]);
  to = Descriptor();
  std::string text;
  char buffer[kVersionBytesMax];
  for (ssize_t n = 0; (n = ::read(from.get(), buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  if (child > 0) ::waitpid(child, nullptr, 0);
  return text;
}

}  // namespace

LibraryVersion parse_mpi_version(const std::string& text) {
  const auto version_at = [&](std::size_t start) {
    start = text.find_first_not_of(" \t", start);
    if (start == std::string::npos) return std::string();
    return text.substr(start, text.find_first_of(" \t,\n", start) - start);
  };
  for (const Maker& maker : kMakers) {
    if (text.starts_with(maker.start)) {
      return {std::string(maker.library), version_at(maker.start.size())};
    }
  }
  return {"mpi", text.substr(0, text.find('\n'))};
}

std::optional<LibraryVersion> library_version(const std::string& file) {
  const std::string answer = load_in_child(file);
  if (answer.size() < 2) return std::nullopt;
  if (answer[0] == 'M') return parse_mpi_version(answer.substr(1));
  const std::string name = answer.substr(answer.rfind('/') + 1);
  constexpr std::string_view kSuffix = ".so.";
  const std::size_t suffix = name.find(kSuffix);
  if (suffix == std::string::npos) return LibraryVersion{name, "?"};
  return LibraryVersion{name.substr(0, suffix), name.substr(suffix + kSuffix.size())};
}

// Asked once in a process: each time takes a child for each MPI, some tenths of a second.
Fields library_versions() {
  static const Fields versions = [] {
    Fields fields;
    for (const char* file : kLibraries) {
      const std::optional<LibraryVersion> found = library_version(file);
      if (found) fields.emplace(found->library, found->version);
    }
    return fields;
  }();
  return versions;
}

}  // namespace nmt::node
