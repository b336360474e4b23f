// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-sample: measures the rails of this node into a profile, and tunes.
#include "tools/command/command.h"
#include "tools/command/terminal.h"
#include "tools/sample/sample.h"

namespace {

constexpr char kDescription[] =
    "Measures this node's rails; writes the profile that nmad-tune reads.\n"
    "A rail is a NIC, shared memory or a described device. For each rail, nmad-sample sends "
    "messages from one byte to --max-size by every transfer method (copy, iovec, "
    "rendezvous), and derives the sizes at which to change from one method to the other. "
    "Without options it measures all usable rails for one minute and writes the user's "
    "profile. Each result is on disk before the next one is measured. Ctrl-C ends the "
    "campaign early; a second Ctrl-C ends it at once.";

}  // namespace

int main(int argc, char** argv) {
  nmt::tools::secure_standard_streams();
  nmt::tools::Command command("nmad-sample", kDescription);
  nmt::tools::SampleOptions options;
  nmt::tools::Options declared = command.options();
  nmt::tools::declare(declared, options);
  command.set_work([&options](const nmt::tools::Invocation& invocation) {
    return nmt::tools::sample(options, invocation);
  });
  return command.run(argc, argv);
}
