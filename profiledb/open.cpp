// SPDX-License-Identifier: BSD-3-Clause
#include "profiledb/open.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "core/json.h"
#include "core/units.h"
#include "profiledb/schema.h"

namespace nmt::profiledb {
namespace {

using sqlite::Database;
using sqlite::Transaction;
using Access = Database::Access;
using Mode = ProfileDb::Mode;

constexpr std::uint64_t kFileBytesMax = std::uint64_t{16} << 30;

[[noreturn]] void refuse(const std::string& file, const std::string& cause) {
  throw Error(Fault::kDatabase, file + ": " + cause);
}

// Runs before SQLite: SQLite would block on a FIFO and turn an empty file into a database.
void check_file(const std::string& file, Mode mode) {
  if (file.empty()) throw Error(Fault::kUsage, "the profile's file name is empty");
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0) {
    if (errno != ENOENT) {
      throw system_error(Fault::kDatabase, fmt::format("stat({})", file), errno,
                         "name another file with --db");
    }
    if (mode == Mode::kRead) {
      refuse(file, "no such profile; make one with nmad-sample, or name another file with --db");
    }
    return;
  }
  if (S_ISDIR(status.st_mode)) refuse(file, "a directory; name a file in it with --db");
  if (!S_ISREG(status.st_mode)) refuse(file, "a FIFO or device; name a file with --db");
  const auto size_bytes = static_cast<std::uint64_t>(status.st_size);
  if (size_bytes == 0 && mode == Mode::kRead) {
    refuse(file, "empty; make a profile with nmad-sample");
  }
  if (size_bytes > kFileBytesMax) {
    refuse(
        file,
        fmt::format("too large for a profile: {}, and the limit is {}; name another file with --db",
                    format_bytes(size_bytes), format_bytes(kFileBytesMax)));
  }
}

void make_directory(const std::string& file) {
  const std::filesystem::path directory = std::filesystem::absolute(file).parent_path();
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    throw system_error(Fault::kDatabase, fmt::format("mkdir({})", directory.string()),
                       error.value(), "name another file with --db");
  }
}

// True if no process can write the file, and no journal waits to be rolled back: no lock is needed.
bool is_frozen(const std::string& file) {
  const std::string directory = std::filesystem::absolute(file).parent_path().string();
  return ::access(file.c_str(), W_OK) != 0 && ::access(directory.c_str(), W_OK) != 0 &&
         ::access((file + "-journal").c_str(), F_OK) != 0;
}

Database unlocked_where_frozen(const std::string& file, const LockWait& lock_wait) {
  try {
    Database database(file, Access::kRead, lock_wait);
    database.integer("PRAGMA user_version");  // takes the first lock
    return database;
  } catch (const sqlite::Failure& failure) {
    if (failure.cause() != sqlite::Failure::Cause::kCannotLock || !is_frozen(file)) throw;
    return Database(file, Access::kImmutable, lock_wait);
  }
}

// As sqlite.org/fileformat2.html has it, 1.3; of a file of another kind: nothing.
using Header = std::array<unsigned char, 32>;
std::optional<Header> read_header(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  Header header{};
  stream.read(reinterpret_cast<char*>(header.data()), header.size());
  constexpr std::string_view kMagic("SQLite format 3", 16);  // with its final 0
  if (!std::equal(kMagic.begin(), kMagic.end(), header.begin())) return std::nullopt;
  return header;
}

std::uint64_t size_bytes_in(const Header& header) {
  std::uint64_t page_bytes = header[16] * 256u + header[17];
  if (page_bytes == 1) page_bytes = 65536;
  std::uint64_t pages = 0;
  for (std::size_t i = 28; i < 32; ++i) pages = pages * 256 + header[i];
  return pages * page_bytes;
}

void refuse_truncated(const std::string& file, std::uint64_t size_bytes,
                      std::uint64_t expected_bytes) {
  if (size_bytes >= expected_bytes) return;
  refuse(file, fmt::format("truncated: only {} of {} bytes; restore it from a copy or an export",
                           size_bytes, expected_bytes));
}

// All answers under one lock, so that no writer comes in between.
Identity checked_identity(Database& database) {
  const Transaction transaction(database, Transaction::Kind::kRead);
  const Identity identity = identify(database);
  refuse_truncated(database.file(), database.file_size_bytes(),
                   static_cast<std::uint64_t>(database.integer("PRAGMA page_count") *
                                              database.integer("PRAGMA page_size")));
  const bool blank = identity.empty && identity.application_id == 0 && identity.version == 0;
  if (identity.application_id != kApplicationId && !blank) {
    refuse(database.file(),
           fmt::format("not a profile: the SQLite database of another program (application id "
                       "{:#x}, a profile has {:#x}); name another file with --db",
                       identity.application_id, kApplicationId));
  }
  if (identity.version > schema_version()) {
    refuse(database.file(), fmt::format("has schema {}, this program knows up to {}; update "
                                        "nmadtune, or name another file with --db",
                                        identity.version, schema_version()));
  }
  return identity;
}

void check_schema(Database& database) {
  const Transaction transaction(database, Transaction::Kind::kRead);
  if (const auto object = foreign_in_schema(database, migrations())) {
    refuse(database.file(), fmt::format("its schema is not a profile's: {}; name another file "
                                        "with --db",
                                        json::printable(*object)));
  }
}

Database open_to_read(const std::string& file, const LockWait& lock_wait) {
  Database database = unlocked_where_frozen(file, lock_wait);
  const Identity identity = checked_identity(database);
  if (identity.version < kOldestReadableSchema) {
    refuse(file,
           fmt::format(
               "has schema {}, this program reads {}; nmad-sample or 'nmad-tune retune' updates it",
               identity.version, schema_version()));
  }
  check_schema(database);
  return database;
}

Database open_to_write(const std::string& file, const LockWait& lock_wait) {
  make_directory(file);
  Database database(file, Access::kWrite, lock_wait);
  if (database.is_read_only()) {
    refuse(file, "this user has no permission to write it; name another file with --db");
  }
  if (checked_identity(database).version < schema_version()) migrate(database, migrations());
  check_schema(database);
  database.run("PRAGMA journal_mode = DELETE");
  return database;
}

}  // namespace

Database open_profile(const std::string& file, const ProfileDb::Options& options) {
  check_file(file, options.mode);
  const LockWait lock_wait(file, options.wait_ns, options.notice);
  try {
    return options.mode == Mode::kRead ? open_to_read(file, lock_wait)
                                       : open_to_write(file, lock_wait);
  } catch (const sqlite::Failure& failure) {
    const bool damaged = failure.cause() == sqlite::Failure::Cause::kDamaged;
    const auto header = damaged ? read_header(file) : std::nullopt;
    std::error_code unknown;
    const std::uint64_t size_bytes = std::filesystem::file_size(file, unknown);
    if (header && !unknown) refuse_truncated(file, size_bytes, size_bytes_in(*header));
    throw;
  }
}

bool is_database(const std::string& file) {
  std::error_code error;
  return std::filesystem::is_regular_file(file, error) && read_header(file).has_value();
}

Database open_in_memory() {
  Database database("results in memory", Access::kMemory, LockWait("", 0, {}));
  migrate(database, migrations());
  return database;
}

}  // namespace nmt::profiledb
