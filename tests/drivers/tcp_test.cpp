// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/tcp/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstring>
#include <sstream>
#include <thread>

#include "control/control.h"
#include "core/error.h"
#include "drivers/tcp/interfaces.h"
#include "node/node.h"
#include "tests/drivers/pair.h"

namespace nmt::drivers {
namespace {

using testing::HasSubstr;

struct Place {
  std::string address;
  std::uint16_t port = 0;
  std::string secret;

  static Place parse(const std::string& text) {
    Place place;
    std::istringstream(text) >> place.address >> place.port >> place.secret;
    return place;
  }
};

Descriptor call(const Place& place) {
  const auto address = *control::Address::parse(place.address, place.port);
  Descriptor descriptor(::socket(address.socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int result = ::connect(descriptor.get(), reinterpret_cast<const sockaddr*>(&address.socket),
                               address.length);
  EXPECT_EQ(result, 0) << std::strerror(errno);
  return descriptor;
}

// The connecting side's exchange; lets strangers at the address before the far side hears of it.
class IntrudedExchange final : public Exchange {
 public:
  IntrudedExchange(Exchange& exchange, std::function<void(const Place&)> intrude)
      : exchange_(exchange), intrude_(std::move(intrude)) {}
  std::string swap(std::string_view mine) override {
    std::string theirs = exchange_.swap(mine);
    intrude_(Place::parse(theirs));
    return theirs;
  }

 private:
  Exchange& exchange_;
  std::function<void(const Place&)> intrude_;
};

// Opens tcp:lo with `intrude` between; both ends, or the fault of the near side.
struct Opened {
  std::unique_ptr<Endpoint> near;
  std::unique_ptr<Endpoint> far;
  std::string failure;
};
Opened open_intruded(const std::function<void(const Place&)>& intrude) {
  const RailUnderTest lo = find_rail("tcp:lo");
  Opened opened;
  ExchangePair meeting;
  std::thread other([&] {
    IntrudedExchange exchange(meeting.far(), intrude);
    try {
      opened.far = lo.driver->open(lo.rail, Side::kFar, exchange);
    } catch (const Error& error) {
      opened.failure = error.what();
    }
  });
  try {
    opened.near = lo.driver->open(lo.rail, Side::kNear, meeting.near());
  } catch (const Error& error) {
    opened.failure = error.what();
  }
  other.join();
  return opened;
}

bool moves_a_message(Opened& opened) {
  const TestMessage message(1, 1000);
  TestReceive receive(message);
  receive.post(*opened.far);
  opened.near->send(Method::kCopy, message.packets());
  return eventually([&] {
    opened.near->poll();
    receive.take(opened.far->poll());
    return receive.done();
  });
}

class Tcp : public testing::Test {
 protected:
  void SetUp() override {
    const RailUnderTest lo = find_rail("tcp:lo");
    if (!lo.driver) GTEST_SKIP() << lo.missing;
  }
};

TEST_F(Tcp, StrangersAreDroppedAndTheWaitGoesOn) {
  std::vector<Descriptor> strangers;
  Opened opened = open_intruded([&](const Place& place) {
    const char* sayings[] = {"", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "x",
                             ("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
                              "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")};
    for (const char* saying : sayings) {
      strangers.push_back(call(place));
      EXPECT_EQ(::send(strangers.back().get(), saying, std::strlen(saying), MSG_NOSIGNAL),
                static_cast<ssize_t>(std::strlen(saying)));
    }
    call(place);  // and one who hangs up at once
  });
  ASSERT_TRUE(opened.near && opened.far) << opened.failure;
  EXPECT_TRUE(moves_a_message(opened));
}

TEST_F(Tcp, AHundredSilentStrangersDoNotHoldUpThePeer) {
  std::vector<Descriptor> strangers;
  Opened opened = open_intruded([&](const Place& place) {
    for (int i = 0; i < 100; ++i) strangers.push_back(call(place));
  });
  ASSERT_TRUE(opened.near && opened.far) << opened.failure;
  EXPECT_TRUE(moves_a_message(opened));
}

TEST_F(Tcp, AGuessedSecretDoesNotGetIn) {
  std::string refused;
  Opened opened = open_intruded([&](const Place& place) {
    std::string guess = place.secret;
    guess.back() = guess.back() == '0' ? '1' : '0';
    try {
      control::connect(place.address, place.port, control::Secret::parse(guess, "guess"),
                       std::chrono::seconds(2));
    } catch (const Error& error) {
      refused = error.what();
    }
  });
  EXPECT_THAT(refused, HasSubstr("wrong secret"));
  ASSERT_TRUE(opened.near && opened.far) << opened.failure;
  EXPECT_TRUE(moves_a_message(opened));
}

TEST_F(Tcp, NonsenseFromTheExchangeIsAnErrorAtOnce) {
  const RailUnderTest lo = find_rail("tcp:lo");
  const std::string secret(64, 'a');
  for (const std::string& text :
       {std::string(), std::string(65536, 'x'), "127.0.0.1 99999 " + secret,
        "300.0.0.1 80 " + secret, std::string("127.0.0.1 80 short"), "::1 80 " + secret,
        "127.0.0.1 1 " + secret, "127.0.0.1 -1 " + secret}) {
    Saying exchange(text);
    try {
      lo.driver->open(lo.rail, Side::kFar, exchange);
      FAIL() << text.substr(0, 40);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kPeer) << error.what();
    }
  }
}

TEST_F(Tcp, ARailThatIsGoneIsNamed) {
  const RailUnderTest lo = find_rail("tcp:lo");
  Saying exchange("");
  try {
    lo.driver->open({"tcp", "nosuch0", {}}, Side::kNear, exchange);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("tcp:nosuch0"));
  }
}

TEST_F(Tcp, EveryInterfaceIsARailOrRefusedWithAReason) {
  const RailUnderTest lo = find_rail("tcp:lo");
  const Detection detection = lo.driver->detect();
  std::vector<std::string> named;
  for (const Rail& rail : detection.rails) named.push_back(rail.full_name());
  for (const Refusal& refusal : detection.refusals) {
    named.push_back(refusal.rail);
    EXPECT_FALSE(refusal.reason.empty()) << refusal.rail;
    EXPECT_FALSE(refusal.remedy.empty()) << refusal.rail;
  }
  std::vector<std::string> expected;
  for (const TcpInterface& interface : tcp_interfaces())
    expected.push_back("tcp:" + interface.name);
  EXPECT_THAT(named, testing::UnorderedElementsAreArray(expected));
}

TEST(TcpFingerprint, StatesWhatMakesMeasurementsStale) {
  const std::string root = std::string(NMT_TEST_MACHINES) + "/two-packages";
  EXPECT_EQ(tcp_fingerprint("ens1", root), (Fields{{"mtu_bytes", "9000"},
                                                   {"speed_mbits_per_s", "100000"},
                                                   {"numa_node", "1"},
                                                   {"pcie_width", "16"},
                                                   {"pcie_speed", "16.0 GT/s PCIe"},
                                                   {"receive_buffer_bytes", "4096 131072 6291456"},
                                                   {"send_buffer_bytes", "4096 16384 4194304"},
                                                   {"congestion_control", "cubic"}}));
  EXPECT_FALSE(tcp_fingerprint("virbr0", root).contains("speed_mbits_per_s")) << "it has none";
}

}  // namespace
}  // namespace nmt::drivers
