// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/path_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace nmt::tools {
namespace {

bool has_end(const PathName& name, const std::string& host) {
  return name.node == host || (!name.peer.empty() && name.peer == host);
}

bool is_wanted(const Id& path, const PathName& name, const PathChoice& choice) {
  if (!choice.node.empty() && !has_end(name, choice.node)) return false;
  if (!choice.peer.empty()) {
    const bool far =
        name.peer == choice.peer || (name.node == choice.peer && !name.peer.empty() &&
                                     (choice.node.empty() || name.peer == choice.node));
    if (!far) return false;
  }
  return choice.path.empty() || path.hex().starts_with(choice.path) ||
         to_string(name) == choice.path;
}

void require_known(const std::map<Id, PathName>& paths, const PathChoice& choice) {
  std::set<std::string> hosts, names;
  for (const auto& [id, name] : paths) {
    hosts.insert(name.node);
    if (!name.peer.empty()) hosts.insert(name.peer);
    names.insert(to_string(name));
  }
  const auto require = [](const char* option, const std::string& wanted,
                          const std::set<std::string>& known) {
    if (wanted.empty() || known.contains(wanted)) return;
    throw Error(Fault::kUsage, fmt::format("{}: '{}' was not measured{}", option, wanted,
                                           suggestion(wanted, {known.begin(), known.end()})));
  };
  require("--node", choice.node, hosts);
  require("--peer", choice.peer, hosts);
  const bool by_id = std::ranges::any_of(
      paths, [&](const auto& each) { return each.first.hex().starts_with(choice.path); });
  if (!by_id) require("--path", choice.path, names);
}

}  // namespace

void declare(Options& options, PathChoice& target) {
  options.text("--node", target.node, "HOST", "only paths with this node at either end");
  options.text("--peer", target.peer, "HOST", "only paths to this node");
  options
      .text("--path", target.path, "PATH",
            "only this path: its name or its identifier\n"
            "As it is printed (\"node07 tcp:e0 -> node12\"), or the first digits of the identifier "
            "that --json prints.")
      .rare();
}

std::set<Id> chosen_paths(const std::map<Id, PathName>& paths, const PathChoice& choice) {
  require_known(paths, choice);
  std::set<Id> chosen;
  for (const auto& [id, name] : paths) {
    if (is_wanted(id, name, choice)) chosen.insert(id);
  }
  if (chosen.empty() && !paths.empty()) {
    throw Error(Fault::kUsage,
                "no measured path matches all of --node, --peer and --path; leave one of them out");
  }
  return chosen;
}

}  // namespace nmt::tools
