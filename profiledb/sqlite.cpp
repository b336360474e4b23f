// SPDX-License-Identifier: BSD-3-Clause
#include "profiledb/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>
#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>

namespace nmt::profiledb::sqlite {
namespace {

constexpr int kValueBytesMax = 16 << 20;

int wait_for_lock(void* lock_wait, int attempt) {
  return static_cast<LockWait*>(lock_wait)->wait(attempt) ? 1 : 0;
}

std::string percent_encoded(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) || c == '/' || c == '.' || c == '-';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

// Absolute, so that no name has a special meaning for SQLite (":memory:", "file:...").
std::string name_for_sqlite(const std::string& file, Database::Access access) {
  if (access == Database::Access::kMemory) return ":memory:";
  const std::string absolute = std::filesystem::absolute(file).string();
  if (access != Database::Access::kImmutable) return absolute;
  return "file:" + percent_encoded(absolute) + "?immutable=1";
}

int flags_for(Database::Access access) {
  switch (access) {
    case Database::Access::kImmutable:
      return SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
    // A reader without any write permission cannot roll back a journal either.
    case Database::Access::kRead:
      return SQLITE_OPEN_READWRITE;
    case Database::Access::kWrite:
    case Database::Access::kMemory:
      return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  }
  NMT_CHECK(!"access");
  return 0;
}

// SQLite takes a null pointer as NULL, even if the size is 0.
const char* start_of(std::string_view bytes) { return bytes.empty() ? "" : bytes.data(); }

}  // namespace

Database::Database(const std::string& file, Access access, LockWait lock_wait)
    : file_(file), lock_wait_(std::make_unique<LockWait>(std::move(lock_wait))) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name_for_sqlite(file, access).c_str(), &handle,
                                   flags_for(access) | SQLITE_OPEN_EXRESCODE, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(code);
  sqlite3_busy_handler(handle, wait_for_lock, lock_wait_.get());
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kValueBytesMax);
  for (const auto& [option, value] : {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                      {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                      {SQLITE_DBCONFIG_DQS_DML, 0},
                                      {SQLITE_DBCONFIG_DQS_DDL, 0}}) {
    NMT_CHECK(sqlite3_db_config(handle, option, value, nullptr) == SQLITE_OK);
  }
  run("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY;"
      "PRAGMA foreign_keys = ON; PRAGMA synchronous = EXTRA");
  if (access == Access::kRead) run("PRAGMA query_only = ON");
}

Database::Database(Database&&) noexcept = default;
Database::~Database() = default;

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

bool Database::is_read_only() const { return sqlite3_db_readonly(handle(), "main") == 1; }

bool Database::in_transaction() const { return sqlite3_get_autocommit(handle()) == 0; }

void Database::run(const std::string& sql) {
  const int code = sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::integer(const std::string& sql) {
  Statement statement(*this, sql);
  NMT_CHECK(statement.step());
  return statement.integer(0);
}

std::uint64_t Database::file_size_bytes() const {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  NMT_CHECK(file != nullptr && file->pMethods != nullptr);
  sqlite3_int64 size_bytes = 0;
  const int code = file->pMethods->xFileSize(file, &size_bytes);
  if (code != SQLITE_OK) fail(code);
  return static_cast<std::uint64_t>(size_bytes);
}

std::string Database::file_content() const {
  sqlite3_int64 size_bytes = 0;
  const std::unique_ptr<unsigned char, void (*)(void*)> bytes(
      sqlite3_serialize(handle(), "main", &size_bytes, 0), sqlite3_free);
  if (bytes == nullptr) fail(SQLITE_NOMEM);
  return {reinterpret_cast<const char*>(bytes.get()), static_cast<std::size_t>(size_bytes)};
}

void Database::fail(int code) const {
  const int errno_value = handle() == nullptr ? 0 : sqlite3_system_errno(handle());
  std::string said = handle() == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle());
  if (errno_value != 0) said += " (" + std::generic_category().message(errno_value) + ")";
  const auto failure = [&](const std::string& text, Failure::Cause cause = Failure::Cause::kOther) {
    return Failure(cause, file_ + ": " + text);
  };
  switch (code) {  // specific codes first
    case SQLITE_READONLY_ROLLBACK:
    case SQLITE_READONLY_RECOVERY:
      throw failure(
          "a write to it was interrupted, and this user has no permission to undo it; ask its "
          "owner to run nmad-tune on it once");
    case SQLITE_IOERR_LOCK:
    case SQLITE_IOERR_RDLOCK:
    case SQLITE_IOERR_CHECKRESERVEDLOCK:
      throw failure(
          "its file system has no locks; copy the file to a local disk and name that "
          "with --db",
          Failure::Cause::kCannotLock);
  }
  switch (code & 0xff) {
    case SQLITE_BUSY:
      throw failure(lock_wait_->refusal());
    case SQLITE_FULL:
      throw failure(
          "no space left on its device; what was stored before is intact. Free some "
          "space or name another file with --db");
    case SQLITE_IOERR:
      throw failure(said +
                    "; what was stored before is intact. Check the disk, its quota and the "
                    "limit of file sizes (ulimit -f), or name another file with --db");
    case SQLITE_NOTADB:
      throw failure(
          "not a profile: not an SQLite database, or its first bytes are damaged; name another "
          "file with --db",
          Failure::Cause::kDamaged);
    case SQLITE_CORRUPT:
      throw failure("damaged: " + said + "; 'nmad-tune db check' reports what can be saved",
                    Failure::Cause::kDamaged);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      throw failure(said +
                    "; check the permissions of the file and its directory, or name another "
                    "file with --db");
    default:
      throw failure(fmt::format("{} (SQLite code {})", said, code));
  }
}

Statement::Statement(const Database& database, const std::string& sql) : database_(database) {
  check(sqlite3_prepare_v2(database.handle(), sql.c_str(), static_cast<int>(sql.size()), &handle_,
                           nullptr));
}

Statement::~Statement() { sqlite3_finalize(handle_); }

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_.fail(code);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  check(sqlite3_bind_int64(handle_, parameter, value));
  return *this;
}

Statement& Statement::bind(int parameter, double value) {
  NMT_CHECK(std::isfinite(value));
  check(sqlite3_bind_double(handle_, parameter, value));
  return *this;
}

Statement& Statement::bind_text(int parameter, std::string_view value) {
  check(sqlite3_bind_text64(handle_, parameter, start_of(value), value.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind_blob(int parameter, std::string_view value) {
  check(sqlite3_bind_blob64(handle_, parameter, start_of(value), value.size(), SQLITE_TRANSIENT));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) database_.fail(code);
  return code == SQLITE_ROW;
}

void Statement::reset() { sqlite3_reset(handle_); }

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_, column); }

double Statement::real(int column) const { return sqlite3_column_double(handle_, column); }

std::string Statement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(handle_, column);  // before asking for its size
  const int size = sqlite3_column_bytes(handle_, column);
  return text == nullptr ? "" : std::string(reinterpret_cast<const char*>(text), size);
}

std::string Statement::blob(int column) const {
  const void* blob = sqlite3_column_blob(handle_, column);
  const int size = sqlite3_column_bytes(handle_, column);
  return blob == nullptr ? "" : std::string(static_cast<const char*>(blob), size);
}

Transaction::Transaction(Database& database, Kind kind) : database_(database) {
  database.run(kind == Kind::kRead ? "BEGIN" : "BEGIN IMMEDIATE; PRAGMA defer_foreign_keys = ON");
}

Transaction::~Transaction() {
  if (!database_.in_transaction()) return;
  try {
    database_.run("ROLLBACK");
  } catch (const std::exception&) {  // the journal stays; the next open rolls back
  }
}

void Transaction::commit() { database_.run("COMMIT"); }

}  // namespace nmt::profiledb::sqlite
