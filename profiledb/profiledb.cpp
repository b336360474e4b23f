// SPDX-License-Identifier: BSD-3-Clause
#include "profiledb/profiledb.h"

#include <utility>

#include "profiledb/implementation.h"
#include "profiledb/open.h"

namespace nmt::profiledb {

ProfileDb::ProfileDb(const std::string& file, const Options& options)
    : implementation_(
          std::make_unique<Implementation>(Implementation{open_profile(file, options)})) {}

ProfileDb::ProfileDb(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

bool ProfileDb::is_database(const std::string& file) { return nmt::profiledb::is_database(file); }

ProfileDb ProfileDb::in_memory() {
  return ProfileDb(std::make_unique<Implementation>(Implementation{open_in_memory()}));
}

ProfileDb::~ProfileDb() = default;
ProfileDb::ProfileDb(ProfileDb&&) noexcept = default;

const std::string& ProfileDb::file() const { return implementation_->database.file(); }

}  // namespace nmt::profiledb
