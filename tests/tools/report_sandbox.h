// SPDX-License-Identifier: BSD-3-Clause
//
// For tests of the report: profiles that are made, not measured, and the data of a page.
#pragma once

#include <string>

#include "core/json.h"
#include "tests/tools/sandbox.h"

namespace nmt::testing {

// The data block of a page of nmad-tune report, parsed as a browser does it.
json::Value data_of(const std::string& page);

// A profile of one path between two hosts, with `samples` samples of one repetition each.
void write_small_profile(const std::string& file, const std::string& host, const std::string& rail,
                         int samples);

// The profiles of examples/cluster_report: of a described cluster, and of the same after an
// upgrade.
void describe_cluster(const std::string& file, const std::string& file_later,
                      const Setting& setting);
// That of the example, with so many nodes.
void describe_cluster_of(int nodes, const std::string& file, const Setting& setting);

}  // namespace nmt::testing
