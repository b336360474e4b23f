// SPDX-License-Identifier: BSD-3-Clause
#include "tests/drivers/pair.h"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <fstream>
#include <mutex>
#include <thread>

#include "core/error.h"

namespace nmt::drivers {
namespace {

constexpr std::chrono::seconds kPatience{5};

constexpr char kDescription[] = R"({"seed":1,"rails":[{"name":"contract","methods":{
  "copy":[[1,1000],[65536,60000]],"iovec":[[1,1300],[65536,40000]],
  "rendezvous":[[1,4000],[65536,30000]],"memcpy":[[1,20],[65536,9000]]}}]})";

std::unique_ptr<Driver> described_driver() {
  char file[] = "/tmp/nmadtune-contract-XXXXXX";
  const int descriptor = ::mkstemp(file);
  NMT_CHECK(descriptor >= 0);
  ::close(descriptor);
  std::ofstream(file) << kDescription;
  std::unique_ptr<Driver> driver = make_fake_driver(file, 1);
  ::unlink(file);
  return driver;
}

std::vector<std::byte> random_bytes(std::mt19937_64& random, std::size_t size_bytes) {
  std::vector<std::byte> bytes(size_bytes);
  for (std::size_t i = 0; i < size_bytes; i += sizeof(std::uint64_t)) {
    const std::uint64_t word = random();
    std::memcpy(bytes.data() + i, &word, std::min(sizeof word, size_bytes - i));
  }
  return bytes;
}

template <class Part>
std::vector<std::byte> joined(const std::vector<TestPacket>& packets, Part part) {
  std::vector<std::byte> all;
  for (const TestPacket& packet : packets) {
    all.insert(all.end(), (packet.*part).begin(), (packet.*part).end());
  }
  return all;
}

}  // namespace

RailUnderTest find_rail(const std::string& full_name) {
  std::vector<std::unique_ptr<Driver>> drivers = make_drivers();
  drivers.push_back(described_driver());
  std::string missing = full_name + ": no driver knows it";
  for (std::unique_ptr<Driver>& driver : drivers) {
    const Detection detection = driver->detect();
    for (const Rail& rail : detection.rails) {
      if (rail.full_name() == full_name) return {std::move(driver), rail, ""};
    }
    for (const Refusal& refusal : detection.refusals) {
      if (refusal.rail == full_name) missing = full_name + ": " + refusal.reason;
    }
  }
  return {nullptr, {}, missing};
}

struct ExchangePair::Table {
  struct Seat final : Exchange {
    std::string swap(std::string_view mine) override { return table->swap(index, mine); }
    Table* table = nullptr;
    int index = 0;
  };

  std::string swap(int index, std::string_view mine) {
    std::unique_lock lock(mutex);
    texts[1 - index].emplace_back(mine);
    arrived.notify_all();
    if (!arrived.wait_for(lock, kPatience, [&] { return !texts[index].empty(); })) {
      throw Error(Fault::kPeer, "the other side did not come to the meeting");
    }
    std::string theirs = std::move(texts[index].front());
    texts[index].pop_front();
    return theirs;
  }

  std::mutex mutex;
  std::condition_variable arrived;
  std::deque<std::string> texts[2];  // for each
  Seat seats[2];
};

ExchangePair::ExchangePair() : table_(std::make_unique<Table>()) {
  for (const int index : {0, 1}) {
    table_->seats[index].table = table_.get();
    table_->seats[index].index = index;
  }
}
ExchangePair::~ExchangePair() = default;
Exchange& ExchangePair::near() { return table_->seats[0]; }
Exchange& ExchangePair::far() { return table_->seats[1]; }

void Pair::use(std::string_view variant) {
  for (const Method method : methods()) {
    const auto known = under_test.driver->variants(under_test.rail, method);
    const auto found = std::ranges::find(known, variant);
    if (found == known.end()) continue;
    for (Endpoint* end : {near.get(), far.get()}) {
      end->use(method, static_cast<unsigned>(found - known.begin()));
    }
  }
}

Pair open_pair(const std::string& name) {
  const std::size_t space = std::min(name.find(' '), name.size());
  Pair pair{find_rail(name.substr(0, space)), nullptr, nullptr};
  if (!pair.under_test.driver) return pair;
  Driver& driver = *pair.under_test.driver;
  const Rail& rail = pair.under_test.rail;
  ExchangePair meeting;
  std::exception_ptr failure;
  const auto open_far = [&] {
    try {
      pair.far = driver.open(rail, Side::kFar, meeting.far());
    } catch (...) {
      failure = std::current_exception();
    }
  };
  if (driver.virtual_clock() != nullptr) {  // sides that never wait, and know no threads
    pair.near = driver.open(rail, Side::kNear, meeting.near());
    open_far();
  } else {
    std::thread other(open_far);
    pair.near = driver.open(rail, Side::kNear, meeting.near());
    other.join();
  }
  if (failure) std::rethrow_exception(failure);
  if (space < name.size()) pair.use(name.substr(space + 1));
  return pair;
}

bool eventually(const std::function<bool()>& step) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!step()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

TestMessage::TestMessage(std::uint64_t seed, std::vector<std::size_t> header_bytes,
                         std::vector<std::size_t> body_bytes) {
  NMT_CHECK(header_bytes.size() == body_bytes.size());
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < header_bytes.size(); ++i) {
    content_.push_back(
        {random_bytes(random, header_bytes[i]), random_bytes(random, body_bytes[i])});
  }
}

std::vector<Packet> TestMessage::packets() const {
  std::vector<Packet> packets;
  for (const TestPacket& packet : content_) packets.push_back({packet.header, packet.body});
  return packets;
}

std::vector<std::byte> TestMessage::headers() const {
  return joined(content_, &TestPacket::header);
}
std::vector<std::byte> TestMessage::bodies() const { return joined(content_, &TestPacket::body); }

TestReceive::TestReceive(std::size_t header_bytes, std::size_t body_bytes)
    : header_bytes_(header_bytes),
      body_bytes_(body_bytes),
      headers_(header_bytes + 2 * kMarginBytes, kUntouched),
      bodies_(body_bytes + 2 * kMarginBytes, kUntouched) {}

TestReceive::TestReceive(const TestMessage& expected)
    : TestReceive(expected.headers().size(), expected.bodies().size()) {}

void TestReceive::post(Endpoint& endpoint, Delivery delivery) {
  endpoint.receive(Bytes(headers_).subspan(kMarginBytes, header_bytes_),
                   Bytes(bodies_).subspan(kMarginBytes, body_bytes_), delivery);
}

void TestReceive::take(const Endpoint::Progress& progress) {
  if (!progress.received) return;
  done_ = true;
  received_bytes_ = progress.received_bytes;
}

bool TestReceive::holds(const TestMessage& expected) const {
  const auto with_margins = [](const std::vector<std::byte>& content, std::size_t room_bytes) {
    std::vector<std::byte> all(room_bytes + 2 * kMarginBytes, kUntouched);
    std::copy(content.begin(), content.end(), all.begin() + kMarginBytes);
    return all;
  };
  const std::vector<std::byte> bodies = expected.bodies();
  return done_ && received_bytes_ == bodies.size() &&
         headers_ == with_margins(expected.headers(), header_bytes_) &&
         bodies_ == with_margins(bodies, body_bytes_);
}

}  // namespace nmt::drivers
