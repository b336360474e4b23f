// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the report: one HTML file that shows what a profile holds, for any browser, without a
// network.
//
// The page is written in tools/report/page (HTML, CSS, plain JavaScript) and compiled in, together
// with uPlot (tools/report/third_party). The file's Content-Security-Policy allows the scripts and
// the style of this build by their hashes, and nothing else: no request, no other script. What was
// measured, names included, stands in one JSON block that no browser executes, and the scripts make
// text of it, never markup.
//
// In reading order:
//   assets             the files of the page, compiled in (embed.cmake makes the source)
//   node_data          data of the page "Node": curves, foreign thresholds, held-out sizes
//   constants          thresholds that other stacks have as constants
//   split_data         how messages are split over rails, by size
//   exports_data       settings for other stacks, with their evidence
//   cluster_data       data of the page "Cluster": each pair of nodes
//   collectives_data   data of the pages "Collectives" and "Alltoall"
//   diff_data          data of the page "Diff": an older profile against a newer one
//   tables             what the plots show, for browsers without scripts
#pragma once

#include <string>

#include "core/json.h"
#include "tools/command/text.h"

namespace nmt::tools {

// `tables` is shown where scripts are switched off.
std::string report_page(const std::string& title, const json::Value& data, const Text& tables);

}  // namespace nmt::tools
