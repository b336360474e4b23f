// SPDX-License-Identifier: BSD-3-Clause
//
// SQLite's objects as types: a Database closes itself, a Statement finalizes itself, a Transaction
// that was not committed rolls back. Only sqlite.cpp includes the C library (the shape is
// SQLiteCpp's).
//
// Every failure is a Failure: an Error(kDatabase) that names the file, the cause and the way out. A
// database may be a file from elsewhere: nothing in its schema is trusted to run, sizes are
// limited, and damage is reported. Rollback journal, never WAL. Commits are synced before they
// return, so that neither kill -9 nor a power failure can corrupt or lose one. A commit takes as
// long as a few disk flushes, so all cells of one block are stored by one commit. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/error.h"
#include "profiledb/lock_wait.h"

struct sqlite3;
struct sqlite3_stmt;

namespace nmt::profiledb::sqlite {

class Failure : public Error {
 public:
  enum class Cause { kDamaged, kCannotLock, kOther };
  Failure(Cause cause, const std::string& message)
      : Error(Fault::kDatabase, message), cause_(cause) {}
  Cause cause() const { return cause_; }

 private:
  Cause cause_;
};

class Database {
 public:
  enum class Access {
    kRead,       // normal locks, so that a journal left by a killed writer is rolled back
    kImmutable,  // no locks: only if no process can write the file
    kWrite,      // creates the file if absent
    kMemory,     // no file; messages use `file` as the name
  };
  Database(const std::string& file, Access access, LockWait lock_wait);
  Database(Database&&) noexcept;
  ~Database();

  const std::string& file() const { return file_; }
  bool is_read_only() const;
  bool in_transaction() const;

  void run(const std::string& sql);              // one or more statements, rows ignored
  std::int64_t integer(const std::string& sql);  // first column of the only row
  std::uint64_t file_size_bytes()
      const;                         // of the file that is open, whatever its name leads to now
  std::string file_content() const;  // as a file of this database would have it
  sqlite3* handle() const { return handle_.get(); }

  [[noreturn]] void fail(int code) const;  // with SQLite's last message

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::string file_;
  std::unique_ptr<LockWait> lock_wait_;  // at a fixed address, because SQLite has a pointer to it
  std::unique_ptr<sqlite3, Close> handle_;
};

// Parameters count from 1, columns from 0, as in SQLite. Text and blobs are byte strings.
class Statement {
 public:
  Statement(const Database& database, const std::string& sql);
  ~Statement();
  Statement(const Statement&) = delete;

  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, double value);  // finite
  Statement& bind_text(int parameter, std::string_view value);
  Statement& bind_blob(int parameter, std::string_view value);

  bool step();   // true: there is a row
  void reset();  // to run again; parameters keep their values

  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  std::string blob(int column) const;

 private:
  void check(int code) const;
  const Database& database_;
  sqlite3_stmt* handle_ = nullptr;
};

// A write transaction takes the writer's lock at its start, so it waits only there. Foreign keys
// are checked at its end.
class Transaction {
 public:
  enum class Kind { kRead, kWrite };
  Transaction(Database& database, Kind kind);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
};

}  // namespace nmt::profiledb::sqlite
