// SPDX-License-Identifier: BSD-3-Clause
//
// Out of the database and off this machine: the only file of this folder that knows either.
#pragma once

#include <string>
#include <string_view>

#include "core/error.h"
#include "core/fields.h"
#include "core/plan.h"
#include "runtime/compile.h"

namespace nmt {

// Why a profile cannot be opened, as an nmt_status.
class Refused : public Error {
 public:
  Refused(int status, const std::string& message)
      : Error(Fault::kDatabase, message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

// The file that is read where none is named.
std::string usual_file();

// Whether `requested` is the platform's name, or its identifier or the first 8 or more digits of
// it.
bool is_platform(std::string_view requested, std::string_view name, std::string_view id);

// What opening a profile compares; `root` as in node/fingerprint.h.
Fields machine_fingerprint(const std::string& root);

// Fields that this machine shows and that were otherwise, or not there, where it was measured.
std::vector<Difference> differences_here(const Fields& measured, const Fields& here);

struct Loaded {
  Provenance provenance;
  Plan plan;
};
// The plan of the platform that `requested` names: empty for this machine's, else the newest;
// "newest"; a name; an identifier. Throws Refused, and what ProfileDb throws.
Loaded load_from_database(const std::string& file, const std::string& requested,
                          const Fields& here);

}  // namespace nmt
