// SPDX-License-Identifier: BSD-3-Clause
//
// What every test over all drivers starts from: both ends of a rail, its methods, and one message
// moved from one end to the other.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/drivers/pair.h"

namespace nmt {

class Contract : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    pair_ = open_pair(GetParam());
    if (!pair_.near) GTEST_SKIP() << pair_.under_test.missing;
    methods_ = pair_.methods();
  }

  Endpoint& near() { return *pair_.near; }
  Endpoint& far() { return *pair_.far; }

  // One message from one end to the other; what came is what was sent.
  testing::AssertionResult moves(Endpoint& from, Endpoint& to, Method method,
                                 const TestMessage& message,
                                 Delivery delivery = Delivery::kExpected) {
    TestReceive receive(message);
    receive.post(to, delivery);
    from.send(method, message.packets());
    unsigned sent = 0;
    const bool done = eventually([&] {
      sent += from.poll().sent;
      receive.take(to.poll());
      return sent == 1 && receive.done();
    });
    if (!done) return testing::AssertionFailure() << "sent " << sent << ", came " << receive.done();
    if (!receive.holds(message)) return testing::AssertionFailure() << "something else came";
    return testing::AssertionSuccess();
  }

  Pair pair_;
  std::vector<Method> methods_;
};

inline constexpr const char* kRailsUnderTest[] = {"shm", "tcp:lo", "fake:contract"};

inline std::string name_of_rail(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
}

}  // namespace nmt
