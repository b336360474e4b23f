// SPDX-License-Identifier: BSD-3-Clause
#include "tests/tools/browser.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "core/descriptor.h"
#include "core/error.h"

namespace nmt::testing {
namespace {

constexpr std::string_view kStarted = "was started successfully on port ";
constexpr auto kStartDeadline = std::chrono::seconds(15);
constexpr int kStartsMax = 3;
constexpr timeval kReplyDeadline = {.tv_sec = 60, .tv_usec = 0};

[[noreturn]] void fail(const std::string& what) { throw Error(Fault::kFailed, "browser: " + what); }

std::string read_text(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The port that chromedriver chose, out of what it printed.
int port_in(const std::string& text) {
  const std::size_t at = text.find(kStarted);
  if (at == std::string::npos) return 0;
  int port = 0;
  const char* digits = text.data() + at + kStarted.size();
  std::from_chars(digits, text.data() + text.size(), port);
  return port;
}

int connected(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &kReplyDeadline, sizeof kReplyDeadline);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(socket);
    fail("chromedriver does not answer");
  }
  return socket;
}

std::size_t content_length(const std::string& reply, std::size_t head_end) {
  static constexpr std::string_view kName = "content-length:";
  std::string head = reply.substr(0, head_end);
  for (char& c : head) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const std::size_t at = head.find(kName);
  if (at == std::string::npos) fail("a reply without a length");
  std::size_t digits = at + kName.size();
  while (digits < head.size() && head[digits] == ' ') ++digits;
  std::size_t length = 0;
  std::from_chars(head.data() + digits, head.data() + head.size(), length);
  return length;
}

// The body of the reply.
std::string answer_to(int port, const std::string& request) {
  const int socket = connected(port);
  std::size_t sent = 0;
  while (sent < request.size()) {
    const ssize_t count = ::send(socket, request.data() + sent, request.size() - sent, 0);
    if (count <= 0) break;
    sent += static_cast<std::size_t>(count);
  }
  std::string reply;
  std::size_t wanted = std::string::npos;
  std::string buffer(std::size_t{64} << 10, '\0');
  std::size_t body = 0;
  while (wanted == std::string::npos || reply.size() < wanted) {
    const ssize_t count = ::recv(socket, buffer.data(), buffer.size(), 0);
    if (count <= 0) break;
    reply.append(buffer, 0, static_cast<std::size_t>(count));
    const std::size_t head_end = reply.find("\r\n\r\n");
    if (head_end == std::string::npos || wanted != std::string::npos) continue;
    body = head_end + 4;
    wanted = body + content_length(reply, head_end);
  }
  ::close(socket);
  if (wanted == std::string::npos || reply.size() < wanted) fail("no reply in time");
  return reply.substr(body);
}

std::vector<std::uint8_t> from_base64(std::string_view text) {
  static constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> bytes;
  std::uint32_t value = 0;
  int bits = 0;
  for (const char c : text) {
    const std::size_t digit = kAlphabet.find(c);
    if (digit == std::string_view::npos) break;
    value = value << 6 | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<std::uint8_t>(value >> bits));
  }
  return bytes;
}

json::Value options(const std::string& folder) {
  json::Value arguments = json::Value::array();
  for (const std::string& each :
       {std::string("--headless=new"), std::string("--no-sandbox"), std::string("--disable-gpu"),
        std::string("--disable-dev-shm-usage"), std::string("--hide-scrollbars"),
        std::string("--no-first-run"), std::string("--disable-background-networking"),
        "--user-data-dir=" + folder + "/chromium"}) {
    arguments.push_back(each);
  }
  return json::Value::object().set(
      "capabilities",
      json::Value::object().set(
          "alwaysMatch",
          json::Value::object()
              .set("browserName", "chrome")
              .set("goog:chromeOptions", json::Value::object().set("args", std::move(arguments)))
              .set("goog:loggingPrefs",
                   json::Value::object().set("browser", "ALL").set("performance", "ALL"))));
}

}  // namespace

std::string Browser::missing() {
  for (const char* command : {"chromium", "chromedriver"}) {
    if (run({command, "--version"}).exit_code == 0) continue;
    return fmt::format("{} is missing; scripts/install-packages test brings it", command);
  }
  return "";
}

Browser::Browser(const std::string& folder) {
  // A port that is free for IPv4 may be taken for IPv6; chromedriver then ends.
  std::string output;
  for (int start = 0; port_ == 0; ++start) {
    if (start == kStartsMax) fail("chromedriver does not start: " + output);
    const std::string file = fmt::format("{}/chromedriver.{}.out", folder, start);
    Setting setting;
    setting.environment = {{"HOME", folder}};
    setting.stdout_file = file;
    driver_ =
        std::make_unique<Process>(std::vector<std::string>{"chromedriver", "--port=0"}, setting);
    const auto deadline = std::chrono::steady_clock::now() + kStartDeadline;
    while (port_ == 0 && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      output = read_text(file);
      port_ = port_in(output);
    }
  }
  const json::Value started = call("POST", "/session", options(folder));
  session_ = "/session/" + json::Reader(started, "session")["sessionId"].text();
  devtools("Network.enable", json::Value::object());
}

Browser::~Browser() {
  try {
    call("DELETE", session_, {});
  } catch (const Error&) {  // it goes away with chromedriver
  }
}

json::Value Browser::call(std::string_view method, const std::string& path,
                          const json::Value& body) {
  const std::string text = body.is_null() ? "" : body.dump(-1);
  const std::string reply = answer_to(
      port_,
      fmt::format("{} {} HTTP/1.1\r\nHost: localhost:{}\r\nContent-Type: application/json\r\n"
                  "Content-Length: {}\r\nConnection: close\r\n\r\n{}",
                  method, path, port_, text.size(), text));
  const json::Value document = json::parse(reply, "chromedriver");
  const json::Value* value = document.find("value");
  if (value == nullptr) fail("a reply without a value");
  if (const json::Value* message = value->find("error")) {
    const json::Value* why = value->find("message");
    fail(fmt::format("{} {}: {}: {}", method, path, message->dump(-1),
                     why == nullptr ? "" : why->dump(-1).substr(0, 500)));
  }
  return *value;
}

json::Value Browser::devtools(std::string_view command, json::Value parameters) {
  return call("POST", session_ + "/goog/cdp/execute",
              json::Value::object().set("cmd", command).set("params", std::move(parameters)));
}

void Browser::resize(int width, bool dark) {
  devtools("Emulation.setDeviceMetricsOverride", json::Value::object()
                                                     .set("width", width)
                                                     .set("height", 900)
                                                     .set("deviceScaleFactor", 1)
                                                     .set("mobile", false));
  const json::Value feature = json::Value::object()
                                  .set("name", "prefers-color-scheme")
                                  .set("value", dark ? "dark" : "light");
  devtools("Emulation.setEmulatedMedia",
           json::Value::object().set("features", json::Value::Array{feature}));
}

void Browser::open(const std::string& url) {
  call("POST", session_ + "/url", json::Value::object().set("url", url));
}

json::Value Browser::script(std::string_view body) {
  return call("POST", session_ + "/execute/sync",
              json::Value::object().set("script", body).set("args", json::Value::array()));
}

void Browser::press(const std::string& keys) {
  const json::Value active = call("GET", session_ + "/element/active", {});
  const std::string element =
      *active.get_if<json::Value::Object>()->front().second.get_if<std::string>();
  call("POST", session_ + "/element/" + element + "/value",
       json::Value::object().set("text", keys));
}

std::vector<json::Value> Browser::log(std::string_view type) {
  const json::Value entries =
      call("POST", session_ + "/se/log", json::Value::object().set("type", type));
  return *entries.get_if<json::Value::Array>();
}

std::vector<std::string> Browser::console_errors() {
  std::vector<std::string> errors;
  for (const json::Value& entry : log("browser")) {
    const json::Reader reader(entry, "log");
    if (reader["level"].text() != "INFO" && reader["level"].text() != "DEBUG") {
      errors.push_back(reader["message"].text());
    }
  }
  return errors;
}

std::vector<std::string> Browser::requested_urls() {
  std::vector<std::string> urls;
  for (const json::Value& entry : log("performance")) {
    const json::Value event = json::parse(json::Reader(entry, "log")["message"].text(), "event");
    const json::Reader message = json::Reader(event, "event")["message"];
    if (message["method"].text() != "Network.requestWillBeSent") continue;
    urls.push_back(message["params"]["request"]["url"].text());
  }
  return urls;
}

std::string Browser::print() {
  return *call("POST", session_ + "/print", json::Value::object()).get_if<std::string>();
}

void Browser::write_screenshot(const std::string& file) {
  const json::Value picture =
      devtools("Page.captureScreenshot",
               json::Value::object().set("format", "png").set("captureBeyondViewport", true));
  const auto bytes = from_base64(json::Reader(picture, "picture")["data"].text());
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
}

}  // namespace nmt::testing
