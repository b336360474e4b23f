// SPDX-License-Identifier: BSD-3-Clause
//
// Sizes, durations, fractions and bandwidths as the commands print them (core/units.cpp).
"use strict";

function formatBytes(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  let value = bytes;
  while (value >= 1024 && unit + 1 < units.length) {
    value /= 1024;
    ++unit;
  }
  const digits = Number.isInteger(value) ? 0 : value < 10 ? 2 : 1;
  return value.toFixed(digits) + " " + units[unit];
}

function formatDuration(ns) {
  for (const [factor, name] of [[1e9, "s"], [1e6, "ms"], [1e3, "us"]]) {
    if (Math.abs(ns) < factor * 0.9995) continue;
    const value = ns / factor;
    return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0) + " " + name;
  }
  return ns.toFixed(ns < 100 ? 1 : 0) + " ns";
}

function formatFraction(fraction) {
  return (fraction * 100).toFixed(1) + " %";
}

function formatChange(fraction) {
  return (fraction < 0 ? "−" : "+") + formatFraction(Math.abs(fraction));
}

function formatBandwidth(bytesPerSecond) {
  if (bytesPerSecond >= 1e9) return (bytesPerSecond / 1e9).toFixed(2) + " GB/s";
  if (bytesPerSecond >= 1e6) return (bytesPerSecond / 1e6).toFixed(1) + " MB/s";
  return (bytesPerSecond / 1e3).toFixed(1) + " kB/s";
}

// For an axis: without digits that say nothing.
function shortened(text) {
  return text.replace(/\.0+ /, " ").replace(/(\.\d*?)0+ /, "$1 ");
}

function formatAge(seconds) {
  const minute = 60, hour = 3600, day = 86400;
  if (seconds < 2 * minute) return Math.max(0, seconds).toFixed(0) + " s";
  if (seconds < 2 * hour) return (seconds / minute).toFixed(0) + " min";
  if (seconds < 2 * day) return (seconds / hour).toFixed(0) + " h";
  return (seconds / day).toFixed(0) + " days";
}

// "64K", "1.5 MiB" -> bytes; NaN for anything else.
function parseBytes(text) {
  const match = /^\s*(\d+(?:\.\d+)?)\s*(?:([KMGT])i?)?B?\s*$/i.exec(text);
  if (match === null) return NaN;
  const power = match[2] === undefined ? 0 : "KMGT".indexOf(match[2].toUpperCase()) + 1;
  return Math.round(Number(match[1]) * 1024 ** power);
}
