// SPDX-License-Identifier: BSD-3-Clause
#include "tools/report/report.h"

#include <fmt/format.h>

#include "core/error.h"
#include "tools/report/assets.h"

namespace nmt::tools {
namespace {

// Text for an element's content.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// JSON that cannot end its script element, nor begin a comment in it.
std::string inert(const json::Value& data) {
  std::string out;
  for (const char c : data.dump(-1)) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string policy() {
  std::string scripts, styles;
  for (const Asset& asset : report_assets()) {
    if (asset.name.ends_with(".js")) scripts += fmt::format(" '{}'", asset.hash);
    if (asset.name.ends_with(".css")) styles += fmt::format(" '{}'", asset.hash);
  }
  return fmt::format(
      "default-src 'none'; script-src{}; style-src{}; base-uri 'none'; form-action 'none'", scripts,
      styles);
}

std::string elements(std::string_view ending, std::string_view tag) {
  std::string out;
  for (const Asset& asset : report_assets()) {
    if (asset.name.ends_with(ending)) out += fmt::format("<{}>{}</{}>\n", tag, asset.text, tag);
  }
  return out;
}

std::string_view asset(std::string_view name) {
  for (const Asset& each : report_assets()) {
    if (each.name == name) return each.text;
  }
  NMT_CHECK(!"no such file of the page");
  return {};
}

}  // namespace

std::string report_page(const std::string& title, const json::Value& data, const Text& tables) {
  std::string page;
  std::string_view rest = asset("page.html");
  // The places of page.html, in their order there.
  const auto fill = [&](std::string_view place, const std::string& content) {
    const std::string mark = fmt::format("<!--{}-->", place);
    const std::size_t at = rest.find(mark);
    NMT_CHECK(at != std::string_view::npos);
    page += rest.substr(0, at);
    page += content;
    rest.remove_prefix(at + mark.size());
  };
  fill("policy",
       fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">", policy()));
  fill("title", escaped(plain(title)));
  fill("styles", elements(".css", "style"));
  fill("tables", escaped(tables.render({})));
  fill("licence", escaped(asset("uPlot.LICENSE")));
  fill("data", inert(data));
  fill("scripts", elements(".js", "script"));
  page += rest;
  return page;
}

}  // namespace nmt::tools
