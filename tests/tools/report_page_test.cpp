// SPDX-License-Identifier: BSD-3-Clause
//
// The page of nmad-tune report in a browser.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>

#include "core/error.h"
#include "tests/tools/browser.h"
#include "tests/tools/process.h"
#include "tests/tools/report_sandbox.h"

namespace nmt::testing {
namespace {

using ::testing::Each;
using ::testing::Eq;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// Texts whose contrast with what is behind them is below 4.5 (WCAG 2.1, 1.4.3).
constexpr std::string_view kLowContrasts = R"JS(
const channels = (color) => color.match(/[\d.]+/g).map(Number);
const luminance = ([r, g, b]) => {
  const part = (c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
};
const behind = (node) => {
  for (; node; node = node.parentElement) {
    const color = channels(getComputedStyle(node).backgroundColor);
    if (color.length === 3 || color[3] > 0) return color;
  }
  return [255, 255, 255];
};
const low = [];
for (const node of document.querySelectorAll("body *")) {
  const own = [...node.childNodes].some((each) => each.nodeType === 3 && each.data.trim());
  if (!own || node.checkVisibility && !node.checkVisibility()) continue;
  if (["SCRIPT", "STYLE", "NOSCRIPT", "OPTION"].includes(node.tagName)) continue;
  if (node.closest("svg")) continue;
  const [a, b] = [luminance(channels(getComputedStyle(node).color)), luminance(behind(node))];
  const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (contrast < 4.5) low.push(`${node.tagName} ${node.textContent.slice(0, 30)} ${contrast}`);
}
return low;
)JS";

// Labels of horizontal axes that lie on the one before, or beyond the plot's edge.
constexpr std::string_view kBadLabels = R"JS(
const bad = [];
for (const {plot, options} of charts) {
  const [axis] = plot.axes;
  plot.ctx.save();
  plot.ctx.font = "12px " + cssColor("--font");
  let end = 0;
  axis._splits.forEach((at, i) => {
    const text = axis._values[i];
    if (!text) return;
    const half = plot.ctx.measureText(text).width / 2;
    const middle = plot.bbox.left / devicePixelRatio + plot.valToPos(at, "x");
    if (middle - half < end || middle + half > plot.width) bad.push(`${options.label}: ${text}`);
    end = middle + half;
  });
  plot.ctx.restore();
}
return bad;
)JS";

// What the keyboard has to reach: one of each group of radio buttons.
constexpr std::string_view kCountControls = R"JS(
const groups = new Set();
let count = 0;
const all = "a[href], button, input, select, summary, [tabindex='0'], pre[tabindex]";
for (const node of document.querySelectorAll(all)) {
  if (node.checkVisibility && !node.checkVisibility()) continue;
  if (node.type === "radio") {
    if (groups.has(node.name)) continue;
    groups.add(node.name);
  }
  node.dataset.wanted = ++count;
}
return count;
)JS";

class ReportPage : public Sandbox {
 protected:
  void SetUp() override {
    Sandbox::SetUp();
    if (const std::string reason = Browser::missing(); !reason.empty()) GTEST_SKIP() << reason;
    browser_.emplace(path("."));
    browser_->open("about:blank");
    browser_->requested_urls();  // those of the browser's own first page
  }

  void open(const std::string& db, const std::string& page = "") {
    const Result result = tune({"report", "--db", db, "-o", path("report.html"), "--force"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    show(page);
  }
  void show(const std::string& page = "") {
    browser_->open("about:blank");
    browser_->open("file://" + path("report.html") + page);
  }

  std::vector<std::string> texts(std::string_view script) {
    std::vector<std::string> found;
    for (const json::Value& each : *browser_->script(script).get_if<json::Value::Array>()) {
      found.push_back(*each.get_if<std::string>());
    }
    return found;
  }
  double number_of(std::string_view script) {
    return json::Reader(browser_->script(script), "script").number();
  }
  std::string text_of(std::string_view script) {
    return *browser_->script(script).get_if<std::string>();
  }

  void expect_drawn() {
    // Each series has a path of its own, or points; what a chart was given is what uPlot has.
    EXPECT_THAT(texts("return [...charts].filter((chart) => !chart.plot || "
                      "chart.plot.series.length !== 1 + chart.series.reduce((sum, each) => "
                      "sum + (each.low ? 3 : 1), 0)).map((chart) => chart.options.label)"),
                IsEmpty());
    EXPECT_THAT(texts(R"JS(return [...charts].filter((chart) => {
      const canvas = chart.plot.ctx.canvas;
      const {left, top, width, height} = chart.plot.bbox;
      const pixels = chart.plot.ctx.getImageData(left, top, width, height).data;
      const colors = new Set();
      for (let i = 0; i < pixels.length; i += 4) {
        if (pixels[i + 3] > 128) colors.add(`${pixels[i] >> 4},${pixels[i + 1] >> 4}`);
      }
      return colors.size < 2;
    }).map((chart) => chart.options.label))JS"),
                IsEmpty());
    EXPECT_THAT(texts(kBadLabels), IsEmpty());
  }

  std::optional<Browser> browser_;
};

TEST_F(ReportPage, DrawsEveryPlotAndAsksForNothing) {
  open(make_profile("a.db"));
  EXPECT_EQ(number_of("return charts.size"), 4);
  EXPECT_EQ(number_of("return [...charts].find((chart) => "
                      "chart.options.label.startsWith('Duration')).series.length"),
            3);  // copy, iovec, rendezvous
  expect_drawn();
  EXPECT_THAT(browser_->console_errors(), IsEmpty());
  EXPECT_THAT(browser_->requested_urls(),
              Each(::testing::AnyOf(StartsWith("file://" + path("report.html")),
                                    StartsWith("about:"), StartsWith("data:"))));
}

TEST_F(ReportPage, EachPlotHasATable) {
  open(make_profile("a.db"));
  browser_->script(
      "for (const each of document.querySelectorAll('details.table')) each.open = true");
  EXPECT_THAT(texts("return [...document.querySelectorAll('.panel')].filter((panel) => "
                    "panel.querySelector('.chart') && !panel.querySelector('details.table'))"
                    ".map((panel) => panel.id)"),
              IsEmpty());
  EXPECT_EQ(text_of("const row = [...document.querySelectorAll('#rails details.table tbody tr')]"
                    ".find((row) => row.cells[0].textContent === '1 KiB');"
                    "return row.cells[1].textContent"),
            text_of("const rail = JSON.parse(document.getElementById('data').textContent).rails[0];"
                    "const curve = rail.curves.find((each) => each.benchmark === 'transfer');"
                    "return formatDuration(new Map(curve.duration).get(1024))"));
}

TEST_F(ReportPage, FitsNarrowAndWideWindowsWithContrastInBothModes) {
  open(make_profile("a.db"));
  for (const int width : {360, 1440}) {
    for (const bool dark : {false, true}) {
      browser_->resize(width, dark);
      show();
      browser_->script("for (const each of document.querySelectorAll('details')) each.open = true");
      EXPECT_LE(number_of("return document.documentElement.scrollWidth"), width);
      EXPECT_THAT(texts(kLowContrasts), IsEmpty()) << width << (dark ? " dark" : " light");
    }
  }
}

TEST_F(ReportPage, FollowsDarkMode) {
  open(make_profile("a.db"));
  const auto ground = [&] {
    return text_of("return getComputedStyle(document.body).backgroundColor");
  };
  browser_->resize(1440, false);
  const std::string light = ground();
  browser_->resize(1440, true);
  EXPECT_NE(ground(), light);
}

TEST_F(ReportPage, HostileNamesAreShownAndNotExecuted) {
  const std::string hostile =
      "</script><script>window.executed=1</script><img src=x onerror=\"window.executed=1\">";
  write_small_profile(path("a.db"), hostile, "<svg onload=window.executed=1>", 20);
  open(path("a.db"));
  EXPECT_TRUE(browser_->script("return window.executed === undefined").get_if<bool>() != nullptr);
  EXPECT_EQ(browser_->script("return window.executed === undefined"), json::Value(true));
  EXPECT_EQ(text_of("return document.getElementById('title').textContent"),
            "platform of " + hostile);
  EXPECT_EQ(number_of("return document.images.length"), 0);
  EXPECT_THAT(browser_->console_errors(), IsEmpty());
}

TEST_F(ReportPage, TheKeyboardReachesEveryControlAndMovesInPlots) {
  open(make_profile("a.db"));
  const int controls = static_cast<int>(number_of(kCountControls));
  EXPECT_GT(controls, 30);
  browser_->script(
      "document.body.focus(); window.reached = new Set();"
      "addEventListener('focusin', (event) => {"
      "  const group = event.target.type === 'radio' ? [...document.getElementsByName("
      "event.target.name)].find((each) => each.dataset.wanted) : event.target;"
      "  if (group && group.dataset.wanted) reached.add(group.dataset.wanted); });");
  std::string tabs;
  for (int i = 0; i < controls + 10; ++i) tabs += "\uE004";
  browser_->press(tabs);
  EXPECT_EQ(number_of("return reached.size"), controls);
  browser_->script("document.querySelector('#rails .plot').focus()");
  browser_->press("\uE014\uE014\uE014");  // right
  EXPECT_NE(text_of("return document.querySelector('#rails .legend .value').textContent"), "");
}

TEST_F(ReportPage, SplitsAreThoseOfTheCommandAtRandomSizes) {
  const std::string db = make_profile("a.db");
  open(db);
  std::mt19937_64 random(31);
  std::uniform_real_distribution<double> octave(10, 16);
  for (int i = 0; i < 50; ++i) {
    const auto size = static_cast<std::uint64_t>(std::exp2(octave(random)));
    const json::Value expected =
        document(tune({"split", "--db", db, "--json", "--size", std::to_string(size), "--rails",
                       "fake:myri,fake:quad"}));
    const json::Value shown = browser_->script(
        fmt::format("const data = JSON.parse(document.getElementById('data').textContent);"
                    "return splitAt(data.splits[0], {})",
                    size));
    EXPECT_NEAR(number(shown, "end_ns"), number(expected, "end_ns"),
                0.001 * number(expected, "end_ns"))
        << size;
    std::map<std::string, double> bytes;
    for (const json::Reader& chunk : json::Reader(expected, "split")["chunks"].items()) {
      bytes[chunk["rail"].text()] = chunk["bytes"].number();
    }
    EXPECT_NEAR(number(shown, "bytes.0"), bytes["fake:myri"], 0.001 * static_cast<double>(size));
    EXPECT_NEAR(number(shown, "bytes.1"), bytes["fake:quad"], 0.001 * static_cast<double>(size));
  }
}

TEST_F(ReportPage, OfOneSampleDrawsWithoutAnError) {
  write_small_profile(path("a.db"), "h", "eth0", 1);
  open(path("a.db"));
  EXPECT_THAT(browser_->console_errors(), IsEmpty());
  EXPECT_EQ(text_of("return document.querySelector('#verdict .badge.bad').textContent"),
            "differs from the machine that wrote this report");
}

// All pages of one report, because describing the cluster takes most of the time.
TEST_F(ReportPage, OfADescribedClusterShowsTheSlowNodeFirstAndDrawsEveryPage) {
  ASSERT_NO_FATAL_FAILURE(describe_cluster(path("old.db"), path("new.db"), setting()));
  const Result written = tune(
      {"report", "--db", path("new.db"), "--against", path("old.db"), "-o", path("report.html")});
  ASSERT_EQ(written.exit_code, 0) << written.err;
  EXPECT_LT(read("report.html").size(), std::size_t{5} << 20);

  show("#cluster");
  EXPECT_EQ(
      text_of("return document.querySelector('#pairs .heatmap g[role=row] text').textContent"),
      "node07");
  EXPECT_EQ(number_of("return document.querySelectorAll('#pairs [role=gridcell]').length"), 256);
  EXPECT_GT(number_of("return document.querySelectorAll('#pairs .tile.none').length"), 0);
  browser_->script("document.querySelector('#pairs [role=gridcell][tabindex=\"0\"]').focus()");
  browser_->press("\uE014\uE014\uE007");  // right, right, Enter: a pair of node07
  EXPECT_THAT(text_of("return document.querySelector('#pairs .follows h3').textContent"),
              ::testing::HasSubstr("node07"));

  for (const char* page : {"#node", "#cluster", "#collectives", "#alltoall", "#diff"}) {
    for (const int width : {360, 1440}) {
      browser_->resize(width, width == 360);
      show(page);
      EXPECT_EQ(text_of("return document.querySelector('.page:not([hidden])').id"),
                std::string("page-") + (page + 1));
      EXPECT_LT(number_of("return document.querySelector('.pages [aria-current]')"
                          ".getBoundingClientRect().right"),
                width + 1)
          << page;
      EXPECT_LE(number_of("return document.documentElement.scrollWidth"), width) << page;
      EXPECT_THAT(texts(kLowContrasts), IsEmpty()) << page << width;
      expect_drawn();
    }
  }
  // The upgrade slowed large messages over InfiniBand, which is therefore shown first.
  EXPECT_EQ(text_of("return document.querySelector('#diff-ratio select').value"),
            "verbs:mlx5_0/1 (hot buffers)");
  EXPECT_EQ(text_of("return document.querySelector('#diff-pairs select').value"), "verbs:mlx5_0/1");
  EXPECT_EQ(
      text_of("const [trend] = [...charts].filter((chart) => chart.options.x.label === 'Day');"
              "return trend.series.map((each) => each.name + ' ' + each.points.length)"
              ".join(', ') + '; ' + trend.plot.axes[0]._values.join(', ')"),
      "shm 2, tcp:eth0 2, verbs:mlx5_0/1 2; 2026-03-14, 2026-03-21");
  show("#node");
  EXPECT_EQ(number_of("return charts.size"), 5);  // regret, durations, two of splits, predictions
  EXPECT_EQ(text_of("return JSON.parse(document.getElementById('data').textContent).splits[0]"
                    ".rails.join(' ')"),
            "tcp:eth0 verbs:mlx5_0/1");
  show("#collectives");  // sampled on 2 to 16 nodes, predicted on 32 and 64, over 9 sizes
  EXPECT_EQ(number_of("return document.querySelectorAll('#collective-tiles .hatch').length"), 18);
  EXPECT_THAT(text_of("return document.querySelector('#collective-tiles .hatch')"
                      ".closest('[role=gridcell]').getAttribute('aria-label')"),
              ::testing::HasSubstr("Predicted: "));
  EXPECT_EQ(browser_->script("const hatch = document.querySelector('#collective-tiles .hatch');"
                             "return hatch.closest('svg').querySelector("
                             "hatch.getAttribute('fill').slice(4, -1)) !== null"),
            json::Value(true));
  EXPECT_THAT(browser_->console_errors(), IsEmpty());
}

// All pairs of 64 nodes over two rails.
TEST_F(ReportPage, OfSixtyFourNodesIsSmallerThanFiveMegabytesAndDrawsEachPair) {
  ASSERT_NO_FATAL_FAILURE(describe_cluster_of(64, path("a.db"), setting()));
  open(path("a.db"), "#cluster");
  EXPECT_LT(read("report.html").size(), std::size_t{5} << 20);
  EXPECT_EQ(number_of("return document.querySelectorAll('#pairs [role=gridcell]').length"),
            64 * 64);
  EXPECT_EQ(
      text_of("return document.querySelector('#pairs .heatmap g[role=row] text').textContent"),
      "node07");
  EXPECT_EQ(
      browser_->script("return document.getElementById('pairs').innerText.includes('left out')"),
      json::Value(false));
  EXPECT_THAT(browser_->console_errors(), IsEmpty());
}

TEST_F(ReportPage, OfAThousandNodesSaysWhatItLeavesOut) {
  ASSERT_NO_FATAL_FAILURE(describe_cluster_of(1000, path("a.db"), setting()));
  open(path("a.db"), "#cluster");
  const std::string note = text_of("return document.querySelector('#pairs > p.muted').textContent");
  EXPECT_THAT(note, ::testing::HasSubstr("The map has 128 of 1000 nodes"));
  const json::Value data = data_of(read("report.html"));
  EXPECT_GT(number(data, "cluster.curves_left_out"), 1000);
  EXPECT_THAT(
      note, ::testing::HasSubstr(fmt::format("{} more.", number(data, "cluster.curves_left_out"))));
  EXPECT_EQ(
      text_of("return document.querySelector('#pairs .heatmap g[role=row] text').textContent"),
      "node0007");
  expect_drawn();
  EXPECT_THAT(browser_->console_errors(), IsEmpty());
}

// As scripts/screenshots makes them.
TEST_F(ReportPage, PicturesOfTheReadmeAreMadeByAScript) {
  Process process({NMT_SCREENSHOTS, "--build", NMT_BUILD, path("pictures")}, setting());
  const Result made = process.wait(120);
  ASSERT_EQ(made.exit_code, 0) << made.err;
  for (const char* name : {"report-node.png", "report-cluster.png"}) {
    const std::string picture = read(std::string("pictures/") + name);
    EXPECT_THAT(picture, StartsWith("\x89PNG"));
    EXPECT_GT(picture.size(), 30000u) << name << " is nearly empty";
    EXPECT_LT(picture.size(), 200000u) << name;
    EXPECT_THAT(made.out, ::testing::HasSubstr(name));
  }
}

TEST_F(ReportPage, Prints) {
  open(make_profile("a.db"));
  EXPECT_THAT(browser_->print(), StartsWith("JVBERi0"));  // "%PDF-"
  EXPECT_THAT(browser_->console_errors(), IsEmpty());
}

}  // namespace
}  // namespace nmt::testing
