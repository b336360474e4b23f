// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/shm/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <cerrno>
#include <memory>

#include "core/error.h"
#include "tests/drivers/pair.h"
#include "tests/node/child.h"

namespace nmt::drivers {
namespace {

TEST(Shm, WithoutCrossMemoryAttachOffersTheRingAndSaysWhy) {
  const std::string seen = node::in_child([] {
    node::filter_system_call(SYS_process_vm_readv, EPERM);
    const std::unique_ptr<Driver> driver = make_shm_driver();
    const Detection detection = driver->detect();
    std::string text = detection.rails.at(0).full_name() + ":";
    for (const Method method : driver->methods(detection.rails.at(0))) {
      text += " " + std::string(to_string(method));
    }
    return text + "; refused " + detection.refusals.at(0).rail + ": " +
           detection.refusals.at(0).reason;
  });
  EXPECT_THAT(seen, testing::StartsWith("shm: copy iovec; refused shm rendezvous: "));
  EXPECT_THAT(seen, testing::HasSubstr("seccomp"));
}

TEST(Shm, WithoutCrossMemoryAttachStillMovesMessages) {
  const std::string seen = node::in_child([]() -> std::string {
    node::filter_system_call(SYS_process_vm_readv, ENOSYS);
    const Pair pair = open_pair("shm");
    const TestMessage message(1, 100000);
    TestReceive receive(message);
    receive.post(*pair.far);
    pair.near->send(pair.methods().back(), message.packets());
    const bool done = eventually([&] {
      pair.near->poll();
      receive.take(pair.far->poll());
      return receive.done();
    });
    return done && receive.holds(message) ? "moved" : "lost";
  });
  EXPECT_EQ(seen, "moved");
}

TEST(Shm, NonsenseFromTheExchangeIsAnErrorAtOnce) {
  const RailUnderTest shm = find_rail("shm");
  for (const std::string& text :
       {std::string(), std::string("x"), std::string("12"), std::string("0 address"),
        std::string("-1 address"), std::string("1 ") + std::string(65000, 'a')}) {
    Saying exchange(text);
    try {
      shm.driver->open(shm.rail, Side::kFar, exchange);
      FAIL() << text.substr(0, 40);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kPeer) << error.what();
    }
  }
}

}  // namespace
}  // namespace nmt::drivers
