// SPDX-License-Identifier: BSD-3-Clause
#include "tools/stack/loaded_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <system_error>

#include "core/version.h"

namespace nmt::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUverbs = "/dev/infiniband/uverbs";

void note_mapped(const std::string& file, LoadedStack* loaded) {
  const std::string name = file.substr(file.rfind('/') + 1);
  if (name.starts_with("libmpi.so") || name.starts_with("libmpich.so")) {
    loaded->library_file = file;
  }
}

}  // namespace

LoadedStack loaded_stack(const fs::path& process) {
  LoadedStack loaded;
  std::ifstream maps(process / "maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t path = line.find('/');
    if (path != std::string::npos) note_mapped(line.substr(path), &loaded);
  }
  std::error_code ignored;
  for (const fs::directory_entry& open : fs::directory_iterator(process / "fd", ignored)) {
    const std::string target = fs::read_symlink(open.path(), ignored).string();
    if (target.starts_with(kUverbs)) loaded.network = stacks::Transport::kVerbs;
  }
  return loaded;
}

// No binary links UCX: what the MPI has brought is asked.
std::string loaded_ucx_version() {
  void* const library = ::dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return {};
  using Version = const char*();
  auto* const version = reinterpret_cast<Version*>(::dlsym(library, "ucp_get_version_string"));
  std::string text = version != nullptr ? version_in(version()) : "";
  ::dlclose(library);
  return text;
}

std::string loaded_libfabric_version() {
  void* const library = ::dlopen("libfabric.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return {};
  using Version = std::uint32_t();  // two halves, as in FI_VERSION
  auto* const version = reinterpret_cast<Version*>(::dlsym(library, "fi_version"));
  std::string text;
  if (version != nullptr) text = fmt::format("{}.{}", version() >> 16, version() & 0xffff);
  ::dlclose(library);
  return text;
}

}  // namespace nmt::tools
