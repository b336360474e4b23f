// SPDX-License-Identifier: BSD-3-Clause
#include "tools/job/collectives_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "collectives/collectives.h"
#include "core/error.h"

namespace nmt {

decltype(CollectivesOptions::play) load_collectives(const control::MpiJob& job) {
  Dl_info module{};
  ::dladdr(reinterpret_cast<void*>(job.mpi().start), &module);
  const std::string file =
      std::filesystem::path(module.dli_fname).replace_filename(NMT_COLLECTIVES_LIBRARY);
  // Local: nothing of it may stand in for what the MPI's module calls.
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Error(Fault::kFailed, ::dlerror());
  const auto play =
      reinterpret_cast<decltype(&nmt_play_collective)>(::dlsym(library, NMT_COLLECTIVES_SYMBOL));
  if (play == nullptr) throw Error(Fault::kFailed, file + ": of another version of nmadtune");
  return [play](const CollectiveWay& way, std::uint64_t size_bytes, const std::byte* from,
                std::byte* to) {
    const nmt_collective_play order{.struct_bytes = sizeof order,
                                    .root = 0,
                                    .operation = way.operation.c_str(),
                                    .algorithm = way.algorithm.c_str(),
                                    .size_bytes = size_bytes,
                                    .segment_bytes = way.segment_bytes,
                                    .from = from,
                                    .to = to};
    if (play(&order) != 0) {
      throw Error(Fault::kFailed, fmt::format("{} by {} failed", way.operation, way.algorithm));
    }
  };
}

}  // namespace nmt
