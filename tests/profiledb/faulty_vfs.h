// SPDX-License-Identifier: BSD-3-Clause
//
// SQLite's view of the file system, with faults: the N-th call of a kind fails.
//
// Stands before the default one of the whole process while it lives, so that ProfileDb runs on it
// unchanged.
#pragma once

struct sqlite3_vfs;

namespace nmt::profiledb {

class FaultyVfs {
 public:
  enum class Kind { kWrite, kSync, kTruncate, kRead, kLock, kAny };
  // Once `calls` of `kind` have succeeded, the next fails, and all after it where `lasting`.
  FaultyVfs(Kind kind, int calls, bool lasting);
  ~FaultyVfs();
  FaultyVfs(const FaultyVfs&) = delete;

  bool failed() const;  // whether any call did
  // Files removed (journals, where a profile is written): with the folder flushed, and without.
  int removals_flushed() const;
  int removals_not_flushed() const;

 private:
  sqlite3_vfs* vfs_;
};

}  // namespace nmt::profiledb
