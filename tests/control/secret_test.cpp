// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "control/proof.h"
#include "control/socket.h"
#include "core/error.h"

namespace nmt::control {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SecretFile : public ::testing::Test {
 protected:
  SecretFile()
      : file_(std::filesystem::temp_directory_path() /
              ("nmadtune-secret-" + std::to_string(::getpid()))) {}
  ~SecretFile() override { std::filesystem::remove(file_); }

  std::string write(const std::string& text, mode_t mode) const {
    std::ofstream(file_) << text;
    ::chmod(file_.c_str(), mode);
    return file_;
  }

 private:
  std::string file_;
};

std::string refusal(const std::string& file) {
  try {
    find_secret(file);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kUsage);
    return error.what();
  }
  return "";
}

TEST(Secret, IsAnotherOneEachTime) { EXPECT_NE(Secret::random().hex(), Secret::random().hex()); }

TEST(Secret, IsReadAsItWasWritten) {
  const std::string hex = Secret::random().hex();
  EXPECT_EQ(hex.size(), 64u);
  EXPECT_EQ(Secret::parse(" " + hex + "\n", "here").hex(), hex);
}

TEST(Secret, ThatIsNoneIsRefusedWithoutRepeatingIt) {
  const std::string hex = Secret::random().hex();
  for (const std::string& text :
       {std::string(), std::string("  "), hex.substr(1), hex + "0", "x" + hex.substr(1)}) {
    try {
      Secret::parse(text, "here");
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kUsage);
      EXPECT_THAT(error.what(), HasSubstr("here: "));
      EXPECT_THAT(error.what(), Not(HasSubstr(hex.substr(10, 20))));
    }
  }
}

TEST(Secret, FromTheEnvironmentIsTakenOutOfIt) {
  const std::string hex = Secret::random().hex();
  ::setenv(kSecretVariable, hex.c_str(), 1);
  const auto secret = find_secret("");
  ASSERT_TRUE(secret);
  EXPECT_EQ(secret->hex(), hex);
  EXPECT_EQ(std::getenv(kSecretVariable), nullptr);
  EXPECT_FALSE(find_secret(""));
}

TEST_F(SecretFile, OfItsOwnerAloneIsRead) {
  const std::string hex = Secret::random().hex();
  EXPECT_EQ(find_secret(write(hex + "\nmore\n", 0600))->hex(), hex);
}

TEST_F(SecretFile, ThatOthersCanReadIsRefused) {
  EXPECT_THAT(refusal(write(Secret::random().hex(), 0644)), HasSubstr("chmod 600"));
  EXPECT_THAT(refusal("/dev/zero"), HasSubstr("regular file"));
  EXPECT_THAT(refusal("/nonexistent"), HasSubstr("No such file"));
}

TEST_F(SecretFile, WithoutEndIsNotReadToItsEnd) {
  EXPECT_THAT(refusal(write(std::string(1 << 20, 'a'), 0600)), HasSubstr("64 hex digits"));
}

TEST_F(SecretFile, OnStandardInputIsOneLineAndTheRestStaysThere) {
  const std::string hex = Secret::random().hex();
  const std::string file = write(hex + "\nrest", 0600);
  const int kept = ::dup(STDIN_FILENO);
  const int input = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  ::dup2(input, STDIN_FILENO);
  EXPECT_EQ(find_secret("-")->hex(), hex);
  char rest[8] = {};
  EXPECT_EQ(::read(STDIN_FILENO, rest, sizeof rest), 4);
  EXPECT_STREQ(rest, "rest");
  ::dup2(kept, STDIN_FILENO);
  ::close(kept);
  ::close(input);
}

TEST(Proof, ChangesWithSecretRoleAndEachNonce) {
  const Secret secret = Secret::random();
  const Nonce a = random_bytes();
  const Nonce b = random_bytes();
  const Proof proof = prove(secret, Role::kConnecting, a, b);
  EXPECT_TRUE(equal(proof, prove(secret, Role::kConnecting, a, b)));
  EXPECT_FALSE(equal(proof, prove(Secret::random(), Role::kConnecting, a, b)));
  EXPECT_FALSE(equal(proof, prove(secret, Role::kListening, a, b)));
  EXPECT_FALSE(equal(proof, prove(secret, Role::kConnecting, random_bytes(), b)));
  EXPECT_FALSE(equal(proof, prove(secret, Role::kConnecting, a, random_bytes())));
  EXPECT_FALSE(equal(proof, prove(secret, Role::kConnecting, b, a)));
}

TEST(HostPort, IsReadInEveryFormPeopleWrite) {
  const auto expect = [](const std::string& text, const std::string& host, int port) {
    const HostPort parsed = parse_host_port(text);
    EXPECT_EQ(parsed.host, host) << text;
    EXPECT_EQ(parsed.port ? int{*parsed.port} : -1, port) << text;
  };
  expect("node7", "node7", -1);
  expect("node7:4711", "node7", 4711);
  expect("192.0.2.1:1", "192.0.2.1", 1);
  expect("2001:db8::1", "2001:db8::1", -1);
  expect("[2001:db8::1]", "2001:db8::1", -1);
  expect("[2001:db8::1]:4711", "2001:db8::1", 4711);
  for (const char* text : {"", ":1", "a:", "a:b", "a:65536", "a:-1", "a:1x", "[]", "[a", "[a]:"}) {
    EXPECT_THROW(parse_host_port(text), Error) << text;
  }
}

}  // namespace
}  // namespace nmt::control
