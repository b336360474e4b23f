// SPDX-License-Identifier: BSD-3-Clause
#include "profiledb/open.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "core/json.h"
#include "core/units.h"
#include "profiledb/schema.h"

namespace nmt {
namespace {

using sqlite::Database;
using sqlite::Transaction;
using Access = Database::Access;
using Mode = ProfileDb::Mode;

constexpr std::uint64_t kFileBytesMax = std::uint64_t{16} << 30;

[[noreturn]] void refuse(const std::string& file, const std::string& cause) {
  throw Error(Fault::kDatabase, file + ": " + cause);
}

// Before SQLite sees it: it would wait at a FIFO and make a database of an empty file.
void check_file(const std::string& file, Mode mode) {
  if (file.empty()) throw Error(Fault::kUsage, "the profile's file name is empty");
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0) {
    if (errno != ENOENT) {
      throw system_error(Fault::kDatabase, fmt::format("stat({})", file), errno,
                         "name another file with --db");
    }
    if (mode == Mode::kRead) {
      refuse(file, "no profile there; make one with nmad-sample, or name another file with --db");
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
    refuse(file, fmt::format("{} large, no profile exceeds {}; name another file with --db",
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

// Nobody can write it, so nobody needs a lock; and no journal waits to be rolled back.
bool is_frozen(const std::string& file) {
  const std::string directory = std::filesystem::absolute(file).parent_path().string();
  return ::access(file.c_str(), W_OK) != 0 && ::access(directory.c_str(), W_OK) != 0 &&
         ::access((file + "-journal").c_str(), F_OK) != 0;
}

Database open_for_reading(const std::string& file, const Patience& patience) {
  Database database(file, Access::kRead, patience);
  try {
    database.integer("PRAGMA user_version");  // takes the first lock
  } catch (const sqlite::Failure& failure) {
    if (failure.cause() != sqlite::Failure::Cause::kCannotLock || !is_frozen(file)) throw;
    return Database(file, Access::kImmutable, patience);
  }
  return database;
}

// Under one lock, so that no writer moves between the answers.
Identity checked_identity(Database& database) {
  const Transaction transaction(database, Transaction::Kind::kRead);
  const Identity identity = identify(database);
  const std::int64_t size_bytes =
      database.integer("PRAGMA page_count") * database.integer("PRAGMA page_size");
  struct stat status = {};
  if (::stat(database.file().c_str(), &status) == 0 && status.st_size < size_bytes) {
    refuse(database.file(), fmt::format("truncated: {} of {} bytes are there; restore it from a "
                                        "copy or an export",
                                        static_cast<std::int64_t>(status.st_size), size_bytes));
  }
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

}  // namespace

Database open_profile(const std::string& file, const ProfileDb::Options& options) {
  check_file(file, options.mode);
  const Patience patience(file, options.wait_ns, options.notice);
  if (options.mode == Mode::kRead) {
    Database database = open_for_reading(file, patience);
    const Identity identity = checked_identity(database);
    if (identity.version < schema_version()) {
      refuse(file, fmt::format("has schema {}, this program reads {}; nmad-sample or 'nmad-tune "
                               "retune' bring it up to date",
                               identity.version, schema_version()));
    }
    check_schema(database);
    return database;
  }
  make_directory(file);
  Database database(file, Access::kWrite, patience);
  if (database.is_read_only()) {
    refuse(file, "this user may not write it; name another file with --db");
  }
  if (checked_identity(database).version < schema_version()) migrate(database, migrations());
  check_schema(database);
  database.run("PRAGMA journal_mode = DELETE");
  return database;
}

Database open_in_memory() {
  Database database("results in memory", Access::kMemory, Patience("", 0, {}));
  migrate(database, migrations());
  return database;
}

}  // namespace nmt
