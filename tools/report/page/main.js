// SPDX-License-Identifier: BSD-3-Clause
//
// The pages: which there are, which is shown, and when each is drawn. A page is drawn when it is
// first shown, and all are before the report is printed.
"use strict";

const pages = [
  {id: "node", name: "Node", there: () => true,
    panels: [verdictPanel, regretPanel, railsPanel, splitPanel, heldOutPanel, exportsPanel]},
  {id: "cluster", name: "Cluster", there: (data) => Boolean(data.cluster),
    panels: [outliersPanel, clusterMapPanel, platformsPanel, togetherPanel]},
  {id: "collectives", name: "Collectives", there: (data) => Boolean(data.collectives),
    panels: [collectivesPanel]},
  {id: "alltoall", name: "Alltoall", there: (data) => data.alltoalls.length > 0,
    panels: [alltoallPanel]},
  {id: "diff", name: "Diff", there: (data) => Boolean(data.diff),
    panels: [diffPanel, diffRatioPanel, diffThresholdsPanel, diffMapPanel, trendPanel]},
];

function drawPage(page, data) {
  if (page.drawn) return;
  page.drawn = true;
  for (const make of page.panels) page.section.append(...[make(data)].flat());
}

function showPage(shown, data) {
  for (const page of shown) {
    const current = page === shown.current;
    page.section.hidden = !current;
    if (current) page.link.setAttribute("aria-current", "page");
    else page.link.removeAttribute("aria-current");
  }
  drawPage(shown.current, data);
  // A narrow window has no room for the links of all pages.
  shown.current.link.scrollIntoView({block: "nearest", inline: "nearest"});
}

function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  document.getElementById("title").textContent = data.platform.name;
  const rails = [...new Set(data.rails.map((rail) => rail.rail))];
  document.getElementById("subtitle").textContent =
    `${rails.length} ${rails.length === 1 ? "rail" : "rails"}: ${rails.join(", ")}`;
  document.getElementById("made").textContent =
    `Written ${data.made_utc.slice(0, 16).replace("T", " ")} UTC by nmad-tune report ` +
    `${data.tool_version}${data.profile ? " from " + data.profile : ""}.`;
  const shown = pages.filter((page) => page.there(data));
  for (const page of shown) {
    // Not the id of the link, so that the browser does not scroll the heading away.
    page.section = element("div", {class: "page", id: "page-" + page.id, hidden: true});
    page.link = element("a", {href: "#" + page.id}, page.name);
    document.getElementById("content").append(page.section);
    document.getElementById("pages").append(page.link);
  }
  // "#cluster" is a page, "#split" is a panel in one.
  const follow = () => {
    const wanted = decodeURIComponent(location.hash.slice(1));
    const page = shown.find((each) => each.id === wanted);
    if (!page && document.getElementById(wanted) && shown.current) return;
    shown.current = page || shown[0];
    showPage(shown, data);
    if (page && document.activeElement !== page.link) scrollTo(0, 0);
    const part = page ? null : document.getElementById(wanted);
    if (part) part.scrollIntoView();
  };
  addEventListener("hashchange", follow);
  follow();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawCharts);
  addEventListener("beforeprint", () => {
    document.documentElement.dataset.theme = "light";
    for (const page of shown) {
      page.section.hidden = false;
      drawPage(page, data);
    }
    for (const chart of charts) chart.resize();
    redrawCharts();
  });
  addEventListener("afterprint", () => {
    delete document.documentElement.dataset.theme;
    showPage(shown, data);
    redrawCharts();
  });
}

start();
