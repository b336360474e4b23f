// SPDX-License-Identifier: BSD-3-Clause
//
// What every test over all drivers starts from: both ends of a rail, its methods, and one message
// moved from one end to the other.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "tests/drivers/pair.h"

namespace nmt::drivers {

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

#ifndef NMT_RAILS_UNDER_TEST
#define NMT_RAILS_UNDER_TEST "shm", "tcp:lo", "fake:contract"
#endif
inline constexpr const char* kRailsUnderTest[] = {NMT_RAILS_UNDER_TEST};

inline std::string name_of_rail(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  const auto is_other = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; };
  std::replace_if(name.begin(), name.end(), is_other, '_');
  return name;
}

}  // namespace nmt::drivers
