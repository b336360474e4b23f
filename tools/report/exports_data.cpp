// SPDX-License-Identifier: BSD-3-Clause
#include "tools/report/exports_data.h"

#include <utility>

#include "core/error.h"
#include "tools/stack/stack.h"

namespace nmt::tools {

json::Value exports_json(const profiledb::ProfileDb& db, const Id& platform, const Plan& plan,
                         const std::string& profile) {
  json::Value list = json::Value::array();
  for (const stacks::StackVersions& each : stacks::all_stack_versions()) {
    const std::string stack(each.stack);
    json::Value entry = json::Value::object().set("stack", stack);
    try {
      const Plan* own_rails = stack == "newmadeleine" ? &plan : nullptr;
      const stacks::StackFindings findings =
          find_settings(db, platform, own_rails,
                        {.stack = stack, .version = "", .folder = "", .profile = profile});
      json::Value files = json::Value::array();
      for (const stacks::ExportedFile& file : stacks::write_files(findings)) {
        files.push_back(json::Value::object().set("name", file.name).set("content", file.content));
      }
      Report verdicts;
      add_verdicts(findings.verdicts, &verdicts);
      entry.set("version", findings.version).set("files", std::move(files));
      if (const json::Value* settings = verdicts.payload.find("settings")) {
        entry.set("settings", *settings);
      }
    } catch (const Error& error) {  // not measured: the message names the command that does
      entry.set("reason", error.what());
    }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace nmt::tools
