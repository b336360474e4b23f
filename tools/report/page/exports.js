// SPDX-License-Identifier: BSD-3-Clause
//
// Settings for other stacks, to copy, with what shows that they pay.
"use strict";

const stackNames = {openmpi: "Open MPI", mpich: "MPICH", ucx: "UCX", newmadeleine: "NewMadeleine"};

function exportsPanel(data) {
  const section = panel("exports", "Settings to copy",
    "What makes other communication stacks faster on this machine, as their own files.");
  for (const each of data.exports) {
    const part = element("details", {class: "table"},
      element("summary", {}, stackNames[each.stack] ?? each.stack,
        each.reason ? ": not measured"
          : each.files.length === 0 ? ": no setting is measurably faster"
            : `: ${each.files.map((file) => file.name).join(", ")}`));
    if (each.reason) part.append(element("p", {class: "muted"}, each.reason));
    for (const file of each.files ?? []) {
      part.append(element("h3", {}, file.name, " ", copyButton(file.content)),
        element("pre", {tabindex: "0"}, file.content));
    }
    if (each.settings && each.settings.length > 0) {
      part.append(makeTable(
        ["group", "settings", ">gain", ">95 % interval", "measured on", "verdict"],
        each.settings.map((one) => [one.group, one.settings, one.gain.toFixed(3),
          `${one.gain_low.toFixed(3)} .. ${one.gain_high.toFixed(3)}`, one.rail,
          one.kept ? "kept" : "left out: " + one.reason]), "The evidence"));
    }
    section.append(part);
  }
  return section;
}
