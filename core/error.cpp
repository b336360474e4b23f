// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.h"

#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace nmt {

Error system_error(Fault fault, std::string_view call, int errno_value, std::string_view remedy) {
  std::string message(call);
  message += ": ";
  message += std::generic_category().message(errno_value);
  if (!remedy.empty()) {
    message += "; ";
    message += remedy;
  }
  return Error(fault, message);
}

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "nmadtune: bug: %s does not hold at %s:%d\n", condition, file, line);
  std::abort();
}

}  // namespace nmt
