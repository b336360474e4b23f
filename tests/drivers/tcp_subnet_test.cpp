// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/tcp/subnet.h"

#include <gtest/gtest.h>

namespace nmt::drivers {
namespace {

TEST(TcpSubnet, HoldsOtherAddressesOfTheSamePrefix) {
  EXPECT_TRUE(same_subnet("10.77.0.1/24", "10.77.0.2/24"));
  EXPECT_TRUE(same_subnet("10.77.0.1/23", "10.77.1.2/23"));
  EXPECT_TRUE(same_subnet("10.0.0.1/31", "10.0.0.0/31"));
  EXPECT_TRUE(same_subnet("2001:db8::1/64", "2001:db8::2/64"));
  EXPECT_TRUE(same_subnet("10.0.0.1/0", "192.0.2.1/0"));
}

TEST(TcpSubnet, HoldsNothingElse) {
  EXPECT_FALSE(same_subnet("10.77.0.1/24", "10.77.1.2/24"));
  EXPECT_FALSE(same_subnet("10.77.0.1/24", "10.77.0.2/16"));
  EXPECT_FALSE(same_subnet("10.77.0.1/25", "10.77.0.129/25"));
  EXPECT_FALSE(same_subnet("10.77.0.1/24", "10.77.0.1/24"));  // it is this one
  EXPECT_FALSE(same_subnet("10.77.0.1/24", "2001:db8::1/24"));
  EXPECT_FALSE(same_subnet("2001:db8:0:1::1/64", "2001:db8:0:2::1/64"));
}

TEST(TcpSubnet, IsNotInTextThatIsNone) {
  for (const char* text : {"", "/", "10.0.0.2", "10.0.0.2/", "10.0.0.2/33", "10.0.0.2/-1",
                           "10.0.0.2/24x", "host/24", "2001:db8::2/129", "10.0.0.2/99999999999"}) {
    EXPECT_FALSE(same_subnet("10.0.0.1/24", text)) << text;
    EXPECT_FALSE(same_subnet(text, text)) << text;
  }
}

}  // namespace
}  // namespace nmt::drivers
