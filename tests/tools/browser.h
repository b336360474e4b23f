// SPDX-License-Identifier: BSD-3-Clause
//
// A browser without a window for tests of pages: Chromium, driven by Debian's chromedriver over its
// HTTP protocol (W3C WebDriver), on this host only.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "tests/tools/process.h"

namespace nmt::testing {

class Browser {
 public:
  // Why there is none here; empty if there is one.
  static std::string missing();

  // `folder`: for its own files. Throws Error(kFailed) if it does not start.
  explicit Browser(const std::string& folder);
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  void resize(int width, bool dark);  // before or after open()
  void open(const std::string& url);
  // The value that the body of a JavaScript function returns.
  json::Value script(std::string_view body);
  void press(const std::string& keys);  // to what has the focus; "\uE004" is Tab
  // What it logged since the last call: console errors, and violations of a policy.
  std::vector<std::string> console_errors();
  std::vector<std::string> requested_urls();
  // As a printer would get it: PDF in base64.
  std::string print();
  void write_screenshot(const std::string& file);

 private:
  json::Value call(std::string_view method, const std::string& path, const json::Value& body);
  json::Value devtools(std::string_view command, json::Value parameters);
  std::vector<json::Value> log(std::string_view type);

  std::unique_ptr<Process> driver_;
  int port_ = 0;
  std::string session_;
};

}  // namespace nmt::testing
