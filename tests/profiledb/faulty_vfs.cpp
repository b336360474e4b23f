// SPDX-License-Identifier: BSD-3-Clause
#include "tests/profiledb/faulty_vfs.h"

#include <sqlite3.h>

#include <new>
#include <stdexcept>

namespace nmt::profiledb {
namespace {

using Kind = FaultyVfs::Kind;

// One at a time; SQLite's callbacks carry no pointer of ours in all cases.
struct Plan {
  Kind kind = Kind::kAny;
  int calls_left = 0;
  bool lasting = false;
  bool failed = false;
  int removals_flushed = 0;
  int removals_not_flushed = 0;
} plan;

bool fails(Kind kind) {
  if (plan.kind != Kind::kAny && plan.kind != kind) return false;
  if (plan.kind == Kind::kAny && kind == Kind::kLock) return false;
  if (plan.failed && !plan.lasting) return false;
  if (plan.calls_left-- > 0) return false;
  plan.failed = true;
  return true;
}

struct File {
  sqlite3_file base;
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};
File* self(sqlite3_file* file) { return reinterpret_cast<File*>(file); }

int close(sqlite3_file* file) { return self(file)->real()->pMethods->xClose(self(file)->real()); }
int read(sqlite3_file* file, void* to, int size, sqlite3_int64 at) {
  if (fails(Kind::kRead)) return SQLITE_IOERR_READ;
  return self(file)->real()->pMethods->xRead(self(file)->real(), to, size, at);
}
int write(sqlite3_file* file, const void* from, int size, sqlite3_int64 at) {
  if (fails(Kind::kWrite)) return SQLITE_IOERR_WRITE;
  return self(file)->real()->pMethods->xWrite(self(file)->real(), from, size, at);
}
int truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (fails(Kind::kTruncate)) return SQLITE_IOERR_TRUNCATE;
  return self(file)->real()->pMethods->xTruncate(self(file)->real(), size);
}
int sync(sqlite3_file* file, int flags) {
  if (fails(Kind::kSync)) return SQLITE_IOERR_FSYNC;
  return self(file)->real()->pMethods->xSync(self(file)->real(), flags);
}
int size(sqlite3_file* file, sqlite3_int64* bytes) {
  return self(file)->real()->pMethods->xFileSize(self(file)->real(), bytes);
}
int lock(sqlite3_file* file, int level) {
  if (fails(Kind::kLock)) return SQLITE_IOERR_RDLOCK;
  return self(file)->real()->pMethods->xLock(self(file)->real(), level);
}
int unlock(sqlite3_file* file, int level) {
  return self(file)->real()->pMethods->xUnlock(self(file)->real(), level);
}
int check_reserved(sqlite3_file* file, int* out) {
  return self(file)->real()->pMethods->xCheckReservedLock(self(file)->real(), out);
}
int control(sqlite3_file* file, int operation, void* argument) {
  return self(file)->real()->pMethods->xFileControl(self(file)->real(), operation, argument);
}
int sector(sqlite3_file* file) {
  return self(file)->real()->pMethods->xSectorSize(self(file)->real());
}
int traits(sqlite3_file* file) {
  return self(file)->real()->pMethods->xDeviceCharacteristics(self(file)->real());
}

const sqlite3_io_methods kMethods = {
    .iVersion = 1,
    .xClose = close,
    .xRead = read,
    .xWrite = write,
    .xTruncate = truncate,
    .xSync = sync,
    .xFileSize = size,
    .xLock = lock,
    .xUnlock = unlock,
    .xCheckReservedLock = check_reserved,
    .xFileControl = control,
    .xSectorSize = sector,
    .xDeviceCharacteristics = traits,
};

sqlite3_vfs* real_of(sqlite3_vfs* vfs) { return static_cast<sqlite3_vfs*>(vfs->pAppData); }

int open(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
  File* mine = new (file) File{};
  const int code = real_of(vfs)->xOpen(real_of(vfs), name, mine->real(), flags, out_flags);
  if (mine->real()->pMethods != nullptr) mine->base.pMethods = &kMethods;
  return code;
}
int remove(sqlite3_vfs* vfs, const char* name, int sync_directory) {
  if (fails(Kind::kWrite)) return SQLITE_IOERR_DELETE;
  ++(sync_directory != 0 ? plan.removals_flushed : plan.removals_not_flushed);
  return real_of(vfs)->xDelete(real_of(vfs), name, sync_directory);
}

}  // namespace

FaultyVfs::FaultyVfs(Kind kind, int calls, bool lasting) {
  plan = {.kind = kind, .calls_left = calls, .lasting = lasting};
  sqlite3_vfs* real = sqlite3_vfs_find(nullptr);
  vfs_ = new sqlite3_vfs(*real);
  vfs_->zName = "faulty";
  vfs_->pAppData = real;
  vfs_->szOsFile = static_cast<int>(sizeof(File)) + real->szOsFile;
  vfs_->xOpen = open;
  vfs_->xDelete = remove;
  if (sqlite3_vfs_register(vfs_, 1) != SQLITE_OK) throw std::runtime_error("sqlite3_vfs_register");
}

FaultyVfs::~FaultyVfs() {
  sqlite3_vfs_unregister(vfs_);
  sqlite3_vfs_register(real_of(vfs_), 1);
  delete vfs_;
}

bool FaultyVfs::failed() const { return plan.failed; }
int FaultyVfs::removals_flushed() const { return plan.removals_flushed; }
int FaultyVfs::removals_not_flushed() const { return plan.removals_not_flushed; }

}  // namespace nmt::profiledb
