// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/interruption.h"

#include <signal.h>

#include <array>

namespace nmt::tools {
namespace {

volatile sig_atomic_t asked = 0;

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

extern "C" void ask_to_stop(int number) {
  if (asked != 0) {  // the second signal ends the process when this function returns
    ::signal(number, SIG_DFL);
    ::raise(number);
  }
  asked = number;
}

bool is_ignored(int number) {
  struct sigaction present = {};
  ::sigaction(number, nullptr, &present);
  return present.sa_handler == SIG_IGN;
}

}  // namespace

Interruption::Interruption() {
  asked = 0;
  struct sigaction action = {};
  action.sa_handler = ask_to_stop;
  action.sa_flags = SA_RESTART;
  for (const int number : kSignals) {
    if (number == SIGHUP && is_ignored(number)) continue;
    ::sigaction(number, &action, nullptr);
  }
}

Interruption::~Interruption() {
  for (const int number : kSignals) {
    if (!is_ignored(number)) ::signal(number, SIG_DFL);
  }
}

int Interruption::signal() const { return asked; }

}  // namespace nmt::tools
