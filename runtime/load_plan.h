// SPDX-License-Identifier: BSD-3-Clause
//
// Loads a plan from the database and reads this machine's fingerprint: the only file of this folder
// that uses either.
#pragma once

#include <string>
#include <string_view>

#include "core/error.h"
#include "core/fields.h"
#include "core/plan.h"
#include "runtime/compile.h"

namespace nmt::runtime {

// The reason why a profile cannot be opened, as an nmt_status.
class Refused : public Error {
 public:
  Refused(int status, const std::string& message)
      : Error(Fault::kDatabase, message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

// The file that is read if the caller names none.
std::string usual_file();

// Whether `requested` is the platform's name, its identifier, or at least the first 8 digits of the
// identifier.
bool is_platform(std::string_view requested, std::string_view name, std::string_view id);

// The fields that opening a profile compares; `root` as in node/fingerprint.h.
Fields machine_fingerprint(const std::string& root);

struct Loaded {
  Provenance provenance;
  Plan plan;
};
// The plan of the platform `requested`: empty means this machine's platform, else the newest;
// "newest"; a name; an identifier. Throws Refused, and the exceptions of ProfileDb.
Loaded load_from_database(const std::string& file, const std::string& requested,
                          const Fields& here);

}  // namespace nmt::runtime
