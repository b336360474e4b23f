// SPDX-License-Identifier: BSD-3-Clause
//
// The advice of the profile, asked through the C ABI as any communication stack would ask
// (include/nmadtune.h).
//
// Without a profile, or for a rail that it does not contain, there is no advice: small packets are
// copied, large ones use the driver's default for large ones, nothing is aggregated, and a split is
// even. None of these is a measured number.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/method.h"
#include "include/nmadtune.h"

namespace nmt::engine {

inline constexpr int kNoPath = -1;

class Advice {
 public:
  explicit Advice(const nmt_profile* profile) : profile_(profile) {}

  int path_of(const std::string& rail) const;  // kNoPath if it was not measured

  std::optional<double> duration_ns(int path, std::uint64_t size_bytes) const;
  // The most bytes that take at most this long, limited to `limit_bytes`.
  std::uint64_t bytes_within(int path, double duration_ns, std::uint64_t limit_bytes) const;
  bool is_rendezvous(int path, std::uint64_t size_bytes) const;

  // The method for a packet that is sent without a request.
  Method eager_method(int path, std::uint64_t size_bytes, std::span<const Method> offered) const;
  // The method for a piece whose place the receiver has already sent. A rendezvous of the driver
  // would send a second request, so a gather list may be faster here.
  Method data_method(int path, std::uint64_t size_bytes, std::span<const Method> offered) const;

  // The rendezvous variant that is predicted to be fastest; empty: no advice.
  std::string_view variant(int path, std::uint64_t size_bytes) const;

  bool aggregate(int path, std::uint64_t first_bytes, std::uint64_t second_bytes) const;

  // When eager chunks sent by other cores end, from now; `shares` receives the chunks. nullopt if
  // they do not pay beside the best rail alone.
  std::optional<double> eager_chunks(const std::string& placement, std::size_t idle_cores,
                                     std::uint64_t size_bytes, std::span<nmt_share> shares) const;

  // Fills `shares` in. False if there is no advice.
  bool split(std::uint64_t size_bytes, std::span<nmt_share> shares, nmt_split_result& result) const;

 private:
  double predicted_ns(int path, Method method, std::uint64_t size_bytes) const;

  const nmt_profile* profile_;
};

}  // namespace nmt::engine
