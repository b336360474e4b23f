// SPDX-License-Identifier: BSD-3-Clause
//
// The contention signature that a subcommand uses: one written on the command line, or the fit of
// the alltoalls in a profile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "contention/contention.h"
#include "core/rail.h"
#include "tools/tune/subcommands.h"

namespace nmt::tools {

struct SignatureChoice {
  std::string given;      // --signature; empty: from the profile
  std::string algorithm;  // if the profile has several
  std::optional<std::uint64_t> ranks_per_node;
  std::string delta_form;
  std::uint64_t delta_from_bytes = 0;  // 0: searched
  std::string topology;                // file; empty: only NICs bound an exchange
  std::string uplink;                  // of switches whose uplink the file does not state
};
void declare_signature_choice(Options& options, SignatureChoice& choice);  // without --signature

struct ChosenSignature {
  contention::SignatureFit fit;
  std::optional<Platform> platform;  // nullopt: not from a profile
};
ChosenSignature choose_signature(const SignatureChoice& choice, const ProfileOptions& profile,
                                 const Invocation& invocation);

// The answer of the subcommand contention.
Report show_signature(const SignatureChoice& choice, const ProfileOptions& profile,
                      const Invocation& invocation);

}  // namespace nmt::tools
