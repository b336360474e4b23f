// SPDX-License-Identifier: BSD-3-Clause
//
// What tests of the store share: a folder of their own, made-up measurements from a seed, and
// everything a profile answers as one comparable value.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "core/error.h"
#include "profiledb/profiledb.h"

namespace nmt::profiledb {

class TemporaryFolder {
 public:
  TemporaryFolder() : TemporaryFolder(std::filesystem::temp_directory_path()) {}
  explicit TemporaryFolder(const std::filesystem::path& parent) {
    std::string name = (parent / "nmadtune-store-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp(" + name + ")");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(std::string_view name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// Where a flush costs nothing; for tests that store thousands of times.
inline std::filesystem::path fast_storage() {
  const std::filesystem::path memory = "/dev/shm";
  return ::access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
}

inline ProfileDb open_to_write(const std::string& file, double wait_ns = 30e9) {
  return ProfileDb(file, {.mode = ProfileDb::Mode::kWrite, .wait_ns = wait_ns});
}
inline ProfileDb open_to_read(const std::string& file) { return ProfileDb(file, {}); }

// The message of the Error that `action` throws, or "accepted".
std::string refusal(const std::function<void()>& action,
                    std::optional<Fault> fault = Fault::kDatabase);

// Values of any shape the types can hold, from one seed.
class MadeUp {
 public:
  explicit MadeUp(std::uint64_t seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  std::uint64_t bits() { return random_(); }
  double real();       // finite, not negative
  std::string text();  // any UTF-8
  Fields fields();
  Id id();
  Condition condition();
  Sample sample(std::size_t repetitions);
  std::vector<Sample> samples(std::size_t cells, std::size_t repetitions_max);
  Rail rail();
  Campaign campaign(const Id& platform);
  Session session();
  Plan plan(const Id& platform);

 private:
  std::mt19937_64 random_;
};

// Fills a profile with `campaigns` made-up ones on one platform with two paths; returns its id.
Id fill(ProfileDb& database, std::uint64_t seed, std::size_t campaigns = 2, std::size_t cells = 6);

// All that a profile answers, in an order that does not depend on how it was made.
struct Answers {
  std::map<Id, Platform> platforms;
  std::map<Id, Path> paths;
  std::map<Id, Campaign> campaigns;
  using Cell = std::tuple<Id, Id, Condition, std::uint64_t, bool>;  // session, path ...
  std::map<Cell, Sample> samples;
  std::map<Cell, Sample> in_force;
  std::map<Id, Session> sessions;
  std::map<Id, Plan> plans;
  bool operator==(const Answers&) const = default;
};
Answers ask(const ProfileDb& database);

std::string read_whole(const std::string& file);
void write_whole(const std::string& file, std::string_view bytes);

// Runs `action` in a child process; its status as waitpid gives it. What it throws becomes 3.
int in_child(const std::function<void()>& action);

}  // namespace nmt::profiledb
