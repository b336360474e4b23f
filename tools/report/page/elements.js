// SPDX-License-Identifier: BSD-3-Clause
//
// Elements of the page. Text is always set as text, so names from a profile are never markup.
"use strict";

// element("p", {class: "muted"}, "text", child ...); a member that is a function listens.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  return filled(made, attributes, children);
}

function svgElement(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  return filled(made, attributes, children);
}

function filled(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) {
      made.setAttribute(key, value);
    }
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined) made.append(child);
  }
  return made;
}

let elementCount = 0;
function uniqueId(prefix) {
  return prefix + "-" + ++elementCount;
}

// A heading that begins with ">" is of a column of numbers, aligned to the right.
function makeTable(headings, rows, caption) {
  const right = headings.map((heading) => heading.startsWith(">"));
  const head = headings.map((heading, i) =>
    element("th", {scope: "col", class: right[i] ? "number" : null},
      right[i] ? heading.slice(1) : heading));
  const body = rows.map((row) => element("tr", {}, row.map((cell, i) =>
    element(i === 0 ? "th" : "td",
      {scope: i === 0 ? "row" : null, class: right[i] ? "number" : null}, cell))));
  return element("div", {class: "scroll", tabindex: "0", role: "region",
      "aria-label": caption || "table"},
    element("table", {}, caption ? element("caption", {}, caption) : null,
      element("thead", {}, element("tr", {}, head)), element("tbody", {}, body)));
}

// The table of a plot: closed until it is asked for, and filled then.
function tableBehind(caption, content) {
  const details = element("details", {class: "table"}, element("summary", {}, "Table: " + caption));
  let drawn = false;
  const draw = () => {
    if (drawn) return;
    drawn = true;
    details.append(content());
  };
  details.addEventListener("toggle", draw);
  details.drawTable = draw;
  return details;
}

// Buttons of which one is chosen; arrow keys move between them, as the browser does it.
function choice(label, options, chosen, onChange) {
  const name = uniqueId("choice");
  return element("fieldset", {class: "choice"}, element("legend", {}, label),
    options.map(([value, text]) => {
      const id = uniqueId("option");
      const input = element("input", {type: "radio", name, id, value,
        change: () => onChange(value)});
      input.checked = value === chosen;
      return [input, element("label", {for: id}, text)];
    }));
}

// One of many.
function pick(label, options, chosen, onChange) {
  const id = uniqueId("pick");
  const select = element("select", {id, change: () => onChange(select.value)},
    options.map(([value, text]) => element("option", {value}, text)));
  select.value = chosen;
  return element("span", {class: "pick"}, element("label", {for: id}, label), select);
}

function panel(id, title, lead) {
  return element("section", {class: "panel", id, "aria-labelledby": id + "-title"},
    element("h2", {id: id + "-title"}, title),
    lead ? element("p", {class: "lead"}, lead) : null);
}

function badge(kind, text) {
  return element("span", {class: "badge " + kind}, text);
}

function copyButton(text) {
  const button = element("button", {type: "button", class: "copy", click: async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch (error) {
      button.textContent = "Select it and copy";
    }
  }}, "Copy");
  return button;
}
