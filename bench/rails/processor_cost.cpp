// SPDX-License-Identifier: BSD-3-Clause
//
// Processor time per megabyte, both ends together: the engine's stream over one rail against a
// plain loop of send() and recv() over one connection between the same hosts, in turns.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/rails/groups.h"
#include "bench/rails/two_hosts.h"
#include "bench/row.h"
#include "core/statistics.h"

namespace nmt::bench {
namespace {

constexpr std::size_t kMessageBytes = 1 << 20;
constexpr int kMessages = 200;
constexpr int kTurns = 5;
constexpr std::uint16_t kPort = 7000;

void check(bool well, const char* what) {
  if (well) return;
  std::perror(what);
  std::exit(1);
}

sockaddr_in address_of_two() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kPort);
  ::inet_pton(AF_INET, "10.77.0.2", &address.sin_addr);
  return address;
}

void receive_all(int listener) {
  std::vector<char> bytes(kMessageBytes);
  const int descriptor = ::accept(listener, nullptr, nullptr);
  check(descriptor >= 0, "accept");
  for (std::size_t left = kMessageBytes * kMessages; left > 0;) {
    const ssize_t n = ::recv(descriptor, bytes.data(), bytes.size(), 0);
    check(n > 0, "recv");
    left -= static_cast<std::size_t>(n);
  }
}

void send_all() {
  std::vector<char> bytes(kMessageBytes);
  const sockaddr_in address = address_of_two();
  const int descriptor = ::socket(AF_INET, SOCK_STREAM, 0);
  check(::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0,
        "connect");
  for (int i = 0; i < kMessages; ++i) {
    for (std::size_t at = 0; at < kMessageBytes;) {
      const ssize_t n = ::send(descriptor, bytes.data() + at, kMessageBytes - at, 0);
      check(n > 0, "send");
      at += static_cast<std::size_t>(n);
    }
  }
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// A process that does something in a host, and the processor time it took.
template <class Work>
pid_t start(const TwoHosts& hosts, const char* host, Work work) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    hosts.enter(host);
    work();
    std::_Exit(0);
  }
  return pid;
}

double processor_seconds(pid_t pid) {
  rusage usage{};
  int status = 0;
  check(::wait4(pid, &status, 0, &usage) == pid && status == 0, "a process of the plain loop");
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double plain_ns_per_megabyte(const TwoHosts& hosts) {
  int ready[2];
  check(::pipe(ready) == 0, "pipe");
  const pid_t receiver = start(hosts, "two", [&] {
    const sockaddr_in address = address_of_two();
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    const int on = 1;
    ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    check(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
              ::listen(listener, 1) == 0 && ::write(ready[1], "r", 1) == 1,
          "bind");
    receive_all(listener);
  });
  char byte = 0;
  check(::read(ready[0], &byte, 1) == 1, "read");
  const pid_t sender = start(hosts, "one", send_all);
  const double taken = processor_seconds(sender) + processor_seconds(receiver);
  ::close(ready[0]);
  ::close(ready[1]);
  return taken * 1e9 / (static_cast<double>(kMessageBytes) * kMessages / 1e6);
}

}  // namespace

void processor_cost() {
  const TwoHosts hosts({1000});
  hosts.sample("20s");
  std::vector<double> plain_ns, engine_ns;
  for (int turn = 0; turn < kTurns; ++turn) {
    plain_ns.push_back(plain_ns_per_megabyte(hosts));
    const ByStrategy all =
        hosts.measure("single:r0", "1M", "--pattern stream --repetition 1s --rounds 3");
    engine_ns.push_back(all.at("single:r0").begin()->second.processor_ns_per_megabyte);
  }
  print_row("rails", "processor time of a plain loop, 1 MiB messages", median(plain_ns) / 1e3,
            "us/MB");
  print_row("rails", "processor time of the engine on one rail", median(engine_ns) / 1e3, "us/MB");
  print_row("rails", "engine's processor time against the plain loop's",
            median(engine_ns) / median(plain_ns), "times", Goal::kAtMost, 1.2);
}

}  // namespace nmt::bench
