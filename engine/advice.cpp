// SPDX-License-Identifier: BSD-3-Clause
#include "engine/advice.h"

#include <algorithm>
#include <limits>

namespace nmt::engine {
namespace {

static_assert(NMT_COPY == static_cast<int>(Method::kCopy));
static_assert(NMT_IOVEC == static_cast<int>(Method::kIovec));
static_assert(NMT_RENDEZVOUS == static_cast<int>(Method::kRendezvous));

bool has(std::span<const Method> offered, Method method) {
  return std::find(offered.begin(), offered.end(), method) != offered.end();
}

// The first of `wanted` that the rail offers.
Method first_of(std::initializer_list<Method> wanted, std::span<const Method> offered) {
  for (const Method method : wanted) {
    if (has(offered, method)) return method;
  }
  return *wanted.begin();
}

}  // namespace

int Advice::path_of(const std::string& rail) const {
  if (profile_ == nullptr) return kNoPath;
  return std::max(kNoPath, nmt_find_path(profile_, rail.c_str(), nullptr));
}

std::optional<double> Advice::duration_ns(int path, std::uint64_t size_bytes) const {
  const double duration_ns = nmt_duration_ns(profile_, path, size_bytes);
  if (duration_ns < 0) return std::nullopt;
  return duration_ns;
}

std::uint64_t Advice::bytes_within(int path, double duration_ns, std::uint64_t limit_bytes) const {
  std::uint64_t fits_bytes = 0;
  while (limit_bytes - fits_bytes > 1) {
    const std::uint64_t middle_bytes = fits_bytes + (limit_bytes - fits_bytes) / 2;
    const double middle_ns = nmt_duration_ns(profile_, path, middle_bytes);
    (middle_ns >= 0 && middle_ns <= duration_ns ? fits_bytes : limit_bytes) = middle_bytes;
  }
  return fits_bytes;
}

bool Advice::is_rendezvous(int path, std::uint64_t size_bytes) const {
  return nmt_method_for(profile_, path, size_bytes) == NMT_RENDEZVOUS;
}

double Advice::predicted_ns(int path, Method method, std::uint64_t size_bytes) const {
  nmt_prediction prediction{};
  prediction.struct_bytes = sizeof prediction;
  const int status = nmt_predict(profile_, path, static_cast<int>(method), size_bytes, &prediction);
  return status < 0 ? std::numeric_limits<double>::infinity() : prediction.duration_ns;
}

Method Advice::eager_method(int path, std::uint64_t size_bytes,
                            std::span<const Method> offered) const {
  if (nmt_method_for(profile_, path, size_bytes) == NMT_IOVEC && has(offered, Method::kIovec)) {
    return Method::kIovec;
  }
  return first_of({Method::kCopy, Method::kIovec, Method::kRendezvous}, offered);
}

Method Advice::data_method(int path, std::uint64_t size_bytes,
                           std::span<const Method> offered) const {
  const int advised = nmt_method_for(profile_, path, size_bytes);
  if (advised >= 0 && advised != NMT_RENDEZVOUS) {
    return eager_method(path, size_bytes, offered);
  }
  const bool asks_less = advised >= 0 && has(offered, Method::kIovec) &&
                         predicted_ns(path, Method::kIovec, size_bytes) <
                             predicted_ns(path, Method::kRendezvous, size_bytes);
  if (asks_less) return Method::kIovec;
  return first_of({Method::kRendezvous, Method::kIovec, Method::kCopy}, offered);
}

std::string_view Advice::variant(int path, std::uint64_t size_bytes) const {
  nmt_prediction prediction{};
  prediction.struct_bytes = sizeof prediction;
  const int status = nmt_predict(profile_, path, NMT_RENDEZVOUS, size_bytes, &prediction);
  return status < 0 || prediction.variant == nullptr ? "" : prediction.variant;
}

bool Advice::aggregate(int path, std::uint64_t first_bytes, std::uint64_t second_bytes) const {
  return nmt_aggregate(profile_, path, first_bytes, second_bytes) == 1;
}

std::optional<double> Advice::eager_chunks(const std::string& placement, std::size_t idle_cores,
                                           std::uint64_t size_bytes,
                                           std::span<nmt_share> shares) const {
  nmt_split_result result{};
  result.struct_bytes = sizeof result;
  const int pay = nmt_eager_chunks(
      profile_, placement.c_str(), static_cast<std::uint32_t>(idle_cores), size_bytes,
      shares.data(), static_cast<std::uint32_t>(shares.size()), &result);
  if (pay != 1) return std::nullopt;
  return result.end_ns;
}

bool Advice::split(std::uint64_t size_bytes, std::span<nmt_share> shares,
                   nmt_split_result& result) const {
  result = {};
  result.struct_bytes = sizeof result;
  return nmt_split(profile_, size_bytes, shares.data(), static_cast<std::uint32_t>(shares.size()),
                   &result) == NMT_OK;
}

}  // namespace nmt::engine
