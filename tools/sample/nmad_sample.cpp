// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-sample: measures the rails of this node into a profile, and tunes.
#include "tools/command/command.h"
#include "tools/command/terminal.h"
#include "tools/sample/sample.h"

namespace {

constexpr char kDescription[] =
    "Measures this node's rails into a profile that nmad-tune answers from.\n"
    "A rail is a NIC, shared memory or a described device; for each one, messages from one byte "
    "to --max-size are sent by every transfer method (copy, iovec, rendezvous), and from what "
    "that takes follow the sizes at which to change from one method to the other. Without "
    "options: all usable rails, one minute, the user's profile. What is measured is on disk "
    "before the next cell is measured; Ctrl-C ends the campaign early, a second one at once.";

}  // namespace

int main(int argc, char** argv) {
  nmt::secure_standard_streams();
  nmt::Command command("nmad-sample", kDescription);
  nmt::SampleOptions options;
  nmt::Options declared = command.options();
  nmt::declare(declared, options);
  command.set_work(
      [&options](const nmt::Invocation& invocation) { return nmt::sample(options, invocation); });
  return command.run(argc, argv);
}
