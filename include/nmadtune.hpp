// SPDX-License-Identifier: BSD-3-Clause
//
// nmadtune for C++17: thin wrappers over nmadtune.h, which explains everything.
//
//   nmadtune::Profile profile;                     // throws nmadtune::Error
//   nmadtune::Path path = profile.path("tcp:eth0");
//   nmt_method method = path.method_for(size).value_or(what_you_did_before(size));
//
// Only opening throws and allocates. A decision is the C function's, inlined. It is nullopt where
// the C function has no answer: nothing was measured, or an argument makes no sense. To distinguish
// these, call the C function with get(). Arrays are the caller's. The conventions of nmadtune.h on
// units, threads and foreign profiles hold.
#pragma once

#include <nmadtune.h>

#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace nmadtune {

class Error : public std::runtime_error {
 public:
  Error(int status, const std::string& message) : std::runtime_error(message), status_(status) {}
  int status() const noexcept { return status_; }  // an nmt_status

 private:
  int status_;
};

// A struct of nmadtune.h, zero but for its size.
template <class Struct>
Struct sized() noexcept {
  Struct made{};
  made.struct_bytes = sizeof made;
  return made;
}

// One path of a profile, which must outlive it. A value; one of an unknown rail answers nothing.
class Path {
 public:
  Path(const nmt_profile* profile, int number) noexcept : profile_(profile), number_(number) {}

  int number() const noexcept { return number_; }  // negative: an nmt_status
  explicit operator bool() const noexcept { return number_ >= 0; }

  std::optional<nmt_path_description> describe() const noexcept {
    auto description = sized<nmt_path_description>();
    if (nmt_describe_path(profile_, number_, &description) < 0) return std::nullopt;
    return description;
  }

  std::optional<nmt_method> method_for(std::uint64_t size_bytes) const noexcept {
    const int method = nmt_method_for(profile_, number_, size_bytes);
    if (method < 0) return std::nullopt;
    return static_cast<nmt_method>(method);
  }

  std::optional<double> duration_ns(std::uint64_t size_bytes) const noexcept {
    const double duration_ns = nmt_duration_ns(profile_, number_, size_bytes);
    if (duration_ns < 0) return std::nullopt;
    return duration_ns;
  }

  std::optional<bool> aggregate(std::uint64_t first_bytes,
                                std::uint64_t second_bytes) const noexcept {
    const int together = nmt_aggregate(profile_, number_, first_bytes, second_bytes);
    if (together < 0) return std::nullopt;
    return together != 0;
  }

  std::optional<nmt_prediction> predict(std::uint64_t size_bytes,
                                        nmt_method method = NMT_ANY_METHOD) const noexcept {
    auto prediction = sized<nmt_prediction>();
    if (nmt_predict(profile_, number_, method, size_bytes, &prediction) < 0) return std::nullopt;
    return prediction;
  }

  std::optional<nmt_threshold_info> threshold(nmt_decision decision) const noexcept {
    auto info = sized<nmt_threshold_info>();
    if (nmt_threshold(profile_, number_, decision, &info) < 0) return std::nullopt;
    return info;
  }

  std::optional<nmt_range> threshold_range(nmt_decision decision,
                                           std::uint32_t index) const noexcept {
    auto range = sized<nmt_range>();
    if (nmt_threshold_range(profile_, number_, decision, index, &range) < 0) return std::nullopt;
    return range;
  }

 private:
  const nmt_profile* profile_;
  int number_;
};

// One rail of a split, before it is asked for.
inline nmt_share share(Path path, double release_ns = 0) noexcept {
  auto share = sized<nmt_share>();
  share.path = path.number();
  share.release_ns = release_ns;
  return share;
}

// What the C ABI hands out, released at the end of its scope.
struct Release {
  void operator()(nmt_profile* profile) const noexcept { nmt_close(profile); }
  void operator()(nmt_rails* rails) const noexcept { nmt_rails_free(rails); }
  void operator()(nmt_current* current) const noexcept { nmt_current_free(current); }
};
using Rails = std::unique_ptr<nmt_rails, Release>;
using Current = std::unique_ptr<nmt_current, Release>;

// Null where there is no memory, or `rails` is 0 or beyond reason.
inline Rails make_rails(std::uint32_t rails) noexcept {
  nmt_rails* made = nullptr;
  nmt_rails_new(rails, &made);
  return Rails(made);
}

inline Current make_current(nmt_profile* profile) noexcept {
  nmt_current* made = nullptr;
  nmt_current_new(profile, &made);
  return Current(made);
}

// An open profile. Moving one leaves nothing behind; paths move along.
class Profile {
 public:
  // The profile of this platform, where it usually is.
  Profile() : Profile(sized<nmt_open_options>()) {}
  // A profile database or a flat snapshot.
  explicit Profile(const std::string& file) : Profile(options_for(file)) {}
  // Of the options, `message` is not used: Error has it.
  explicit Profile(nmt_open_options options) {
    char message[1024] = "";
    options.message = message;
    options.message_bytes = sizeof message;
    nmt_profile* opened = nullptr;
    const int status = nmt_open(&options, &opened);
    if (status < 0) throw Error(status, *message != '\0' ? message : nmt_status_text(status));
    profile_.reset(opened);
  }

  nmt_profile* get() const noexcept { return profile_.get(); }

  nmt_description describe() const noexcept {
    auto description = sized<nmt_description>();
    nmt_describe(get(), &description);
    return description;
  }

  std::optional<nmt_difference> difference(std::uint32_t index) const noexcept {
    auto difference = sized<nmt_difference>();
    if (nmt_describe_difference(get(), index, &difference) < 0) return std::nullopt;
    return difference;
  }

  Path path(const char* rail, const nmt_condition* condition = nullptr) const noexcept {
    return {get(), nmt_find_path(get(), rail, condition)};
  }

  // `shares`: an array, vector or span of nmt_share, each made by share(); the chunks stand in it.
  template <class Shares>
  std::optional<nmt_split_result> split(std::uint64_t size_bytes, Shares&& shares) const noexcept {
    auto result = sized<nmt_split_result>();
    const auto rails = static_cast<std::uint32_t>(std::size(shares));
    const int status = nmt_split(get(), size_bytes, std::data(shares), rails, &result);
    if (status < 0) return std::nullopt;
    return result;
  }

  // True: as the shares say; false: whole, from this core. `result` has the predicted end.
  template <class Shares>
  std::optional<bool> eager_chunks(const char* placement, std::uint32_t idle_cores,
                                   std::uint64_t size_bytes, Shares&& shares,
                                   nmt_split_result& result) const noexcept {
    result = sized<nmt_split_result>();
    const auto rails = static_cast<std::uint32_t>(std::size(shares));
    const int chunks = nmt_eager_chunks(get(), placement, idle_cores, size_bytes, std::data(shares),
                                        rails, &result);
    if (chunks < 0) return std::nullopt;
    return chunks != 0;
  }

  std::optional<std::uint64_t> segment_bytes(const char* operation, std::uint64_t size_bytes,
                                             std::uint32_t nodes,
                                             std::uint32_t ranks_per_node) const noexcept {
    const std::int64_t bytes =
        nmt_segment_bytes(get(), operation, size_bytes, nodes, ranks_per_node);
    if (bytes < 0) return std::nullopt;
    return static_cast<std::uint64_t>(bytes);
  }

  std::optional<nmt_collective_rule> collective(std::uint32_t index) const noexcept {
    auto rule = sized<nmt_collective_rule>();
    if (nmt_describe_collective(get(), index, &rule) < 0) return std::nullopt;
    return rule;
  }

  std::optional<nmt_prediction> alltoall(const nmt_exchange& exchange) const noexcept {
    auto prediction = sized<nmt_prediction>();
    if (nmt_alltoall(get(), &exchange, &prediction) < 0) return std::nullopt;
    return prediction;
  }

 private:
  static nmt_open_options options_for(const std::string& file) noexcept {
    auto options = sized<nmt_open_options>();
    options.file = file.c_str();
    return options;
  }

  std::unique_ptr<nmt_profile, Release> profile_;
};

}  // namespace nmadtune
