// SPDX-License-Identifier: BSD-3-Clause
//
// Which contention signature a subcommand speaks of: one written on the command line, or the fit of
// the alltoalls that a profile holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "contention/contention.h"
#include "core/rail.h"
#include "tools/tune/subcommands.h"

namespace nmt {

struct SignatureChoice {
  std::string given;      // --signature; empty: of the profile
  std::string algorithm;  // of several in the profile
  std::optional<std::uint64_t> ranks_per_node;
  std::string delta_form;
  std::uint64_t delta_from_bytes = 0;  // 0: searched
};
void declare_signature_choice(Options& options, SignatureChoice& choice);  // but for --signature

struct ChosenSignature {
  SignatureFit fit;
  std::optional<Platform> platform;  // nullopt: of no profile
};
ChosenSignature choose_signature(const SignatureChoice& choice, const ProfileOptions& profile,
                                 const Invocation& invocation);

}  // namespace nmt
