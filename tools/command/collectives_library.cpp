// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/collectives_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <random>

#include "core/collective_sample.h"
#include "core/error.h"
#include "core/units.h"
#include "tools/command/options.h"

namespace nmt::tools {

CollectivesLibrary::CollectivesLibrary(const control::MpiJob& job) {
  Dl_info module{};
  ::dladdr(reinterpret_cast<void*>(job.mpi().start), &module);
  const std::string file =
      std::filesystem::path(module.dli_fname).replace_filename(NMT_COLLECTIVES_LIBRARY);
  // RTLD_LOCAL: its functions must not replace those that the MPI's module calls.
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Error(Fault::kFailed, ::dlerror());
  play_ = reinterpret_cast<decltype(play_)>(::dlsym(library, NMT_COLLECTIVES_SYMBOL));
  within_ = reinterpret_cast<decltype(within_)>(::dlsym(library, NMT_COLLECTIVES_WITHIN_SYMBOL));
  leaders_ = reinterpret_cast<decltype(leaders_)>(::dlsym(library, NMT_COLLECTIVES_LEADERS_SYMBOL));
  algorithms_ =
      reinterpret_cast<decltype(algorithms_)>(::dlsym(library, NMT_COLLECTIVES_ALGORITHMS_SYMBOL));
  if (play_ == nullptr || within_ == nullptr || leaders_ == nullptr || algorithms_ == nullptr) {
    throw Error(Fault::kFailed,
                file + ": belongs to another version of nmadtune; install the same version");
  }
}

void CollectivesLibrary::play_within(std::span<const int> ranks) {
  if (within_(ranks.data(), static_cast<int>(ranks.size())) != 0) {
    throw Error(Fault::kFailed, "MPI could not make a communicator of some ranks of the job");
  }
  roots_ = static_cast<std::uint32_t>(ranks.size());
}

// All ranks make equally many calls, so that they draw the same numbers.
decltype(sampler::CollectivesOptions::run) CollectivesLibrary::collective_runner() const {
  return [play = play_, roots = roots_, random = std::minstd_rand()](
             const sampler::CollectiveWay& way, std::uint64_t size_bytes, const std::byte* from,
             std::byte* to) mutable {
    const nmt_collective_play order{.struct_bytes = sizeof order,
                                    .root = static_cast<std::int32_t>(random() % roots),
                                    .operation = way.operation.c_str(),
                                    .algorithm = way.algorithm.c_str(),
                                    .size_bytes = size_bytes,
                                    .segment_bytes = way.segment_bytes,
                                    .leaders = static_cast<std::uint32_t>(way.leaders),
                                    .reserved = 0,
                                    .from = from,
                                    .to = to};
    if (play(&order) != 0) {
      throw Error(Fault::kFailed, fmt::format("the collective {} with the algorithm {} failed; the "
                                              "messages above name the cause",
                                              way.operation, way.algorithm));
    }
  };
}

std::vector<std::int64_t> CollectivesLibrary::other_leaders() const {
  std::array<std::uint32_t, 16> numbers{};
  const int count = leaders_(numbers.data(), static_cast<int>(numbers.size()));
  if (count < 0)
    throw Error(Fault::kFailed, "MPI_Comm_split failed; the messages of the MPI name the cause");
  return {numbers.begin(), numbers.begin() + std::min<std::ptrdiff_t>(count, numbers.size())};
}

decltype(sampler::CollectivesOptions::library_algorithms) CollectivesLibrary::library_algorithms(
    std::span<const std::string> operations) const {
  decltype(sampler::CollectivesOptions::library_algorithms) all;
  std::array<char, 4096> names{};
  for (const std::string& operation : operations) {
    if (algorithms_(operation.c_str(), names.data(), static_cast<int>(names.size())) < 0) {
      throw Error(Fault::kFailed, fmt::format("the MPI failed to say which algorithms of {} can be "
                                              "set; its messages name the cause",
                                              operation));
    }
    for (const std::string& name : split_list(names.data())) {
      all[operation].push_back(std::string(kLibraryPrefix) + name);
    }
  }
  return all;
}

std::vector<std::string> operations_from(const std::string& list,
                                         const std::vector<std::string>& known) {
  std::vector<std::string> asked = split_list(list);
  for (const std::string& each : asked) {
    if (std::ranges::find(known, each) == known.end()) {
      throw Error(Fault::kUsage,
                  fmt::format("--operations: no {}{}", each, suggestion(each, known)));
    }
  }
  return asked.empty() ? known : asked;
}

}  // namespace nmt::tools
