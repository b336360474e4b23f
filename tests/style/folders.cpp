// SPDX-License-Identifier: BSD-3-Clause
#include "tests/style/folders.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace nmt::style {
namespace {

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string without_ending(const std::string& path) { return path.substr(0, path.rfind('.')); }

// What the rules of this file are about: C ABIs have a face of their own, and tests and benchmarks
// stand alone.
bool is_ours(const SourceFile& file) {
  static const std::set<std::string> others = {"bench", "examples", "include", "scripts", "tests"};
  return file.is_code() && !others.contains(file.folder());
}

std::set<std::string> headers_of(std::span<const SourceFile> files) {
  std::set<std::string> headers;
  for (const SourceFile& file : files) {
    if (is_ours(file) && file.is_header()) headers.insert(without_ending(file.path));
  }
  return headers;
}

// "engine/gate_loss" is part of engine/gate.h.
bool has_header(const std::string& stem, const std::set<std::string>& headers) {
  if (headers.contains(stem)) return true;
  for (std::size_t at = stem.rfind('_'); at != std::string::npos && at > 0;
       at = stem.rfind('_', at - 1)) {
    if (headers.contains(stem.substr(0, at))) return true;
  }
  return false;
}

std::string last_of(const std::string& folder) {
  return folder.substr(folder.rfind('/') + 1);  // all of it where there is no '/'
}

// Names in the rows of the opening paragraph.
std::vector<std::string> rows_of(const std::string& text) {
  constexpr std::string_view kMargin = "//   ";
  std::vector<std::string> rows;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with("//")) break;
    if (!line.starts_with(kMargin) || line.size() == kMargin.size()) continue;
    const std::string_view row = line.substr(kMargin.size());
    const std::size_t end = row.find("  ");
    if (row.front() == ' ' || end == std::string_view::npos) continue;
    rows.emplace_back(row.substr(0, end));
  }
  return rows;
}

}  // namespace

std::vector<std::string> sources_without_header(std::span<const SourceFile> files,
                                                std::span<const Elsewhere> exceptions) {
  const std::set<std::string> headers = headers_of(files);
  std::vector<std::string> problems;
  std::set<std::string> used;
  for (const SourceFile& file : files) {
    if (!is_ours(file) || file.is_header() || has_header(without_ending(file.path), headers)) {
      continue;
    }
    const auto exception = std::ranges::find_if(exceptions, [&](const Elsewhere& each) {
      return each.source == file.path || each.source == folder_of(file.path) + "/";
    });
    if (exception == exceptions.end()) {
      problems.push_back(file.path + " has no header of its name");
    } else {
      used.insert(exception->source);
    }
  }
  for (const Elsewhere& each : exceptions) {
    if (!used.contains(each.source)) problems.push_back(each.source + " needs no exception");
    const bool exists = std::ranges::find(files, each.header, &SourceFile::path) != files.end();
    if (!each.header.empty() && !exists) problems.push_back(each.header + " does not exist");
  }
  return problems;
}

std::vector<std::string> map_problems(std::span<const SourceFile> files,
                                      std::span<const Face> faces) {
  const std::set<std::string> headers = headers_of(files);
  std::map<std::string, std::set<std::string>> names;  // by folder, of files; true of folders too
  std::map<std::string, std::set<std::string>> optional;
  for (const SourceFile& file : files) {
    if (!is_ours(file)) continue;
    const std::string folder = folder_of(file.path), stem = without_ending(file.path);
    const bool part = !headers.contains(stem) && has_header(stem, headers);
    (part ? optional : names)[folder].insert(stem.substr(folder.size() + 1));
    for (std::string below = folder; below.find('/') != std::string::npos;) {
      const std::string above = folder_of(below);
      optional[above].insert(below.substr(above.size() + 1) + "/");
      below = above;
    }
  }
  std::vector<std::string> problems;
  for (const auto& of_folder : names) {
    const std::string& folder = of_folder.first;
    const auto face = std::ranges::find(faces, folder, &Face::folder);
    const std::string header =
        face != faces.end() ? face->header : folder + "/" + last_of(folder) + ".h";
    const auto file = std::ranges::find(files, header, &SourceFile::path);
    if (file == files.end()) {
      problems.push_back(fmt::format("{} has no face {}", folder, header));
      continue;
    }
    const std::vector<std::string> rows = rows_of(file->text);
    for (const std::string& name : of_folder.second) {
      if (folder + "/" + name == without_ending(header)) continue;
      if (std::ranges::find(rows, name) == rows.end()) {
        problems.push_back(fmt::format("{} has no row for {}", header, name));
      }
    }
    for (const std::string& row : rows) {
      const bool known = std::ranges::any_of(names, [&](const auto& each) {
        const bool shown = each.first == folder || each.first == folder_of(header);
        return shown && (each.second.contains(row) || optional[each.first].contains(row));
      });
      if (!known && folder_of(header) == folder) {
        problems.push_back(fmt::format("{} has a row for {}, which does not exist", header, row));
      }
    }
  }
  return problems;
}

std::vector<std::string> namespace_violations(std::span<const SourceFile> files) {
  constexpr std::string_view kOpening = "namespace nmt";
  std::vector<std::string> violations;
  for (const SourceFile& file : files) {
    if (!is_ours(file) || file.folder() == "core") continue;
    const std::string own = fmt::format("nmt::{}", file.folder());
    for (const std::string_view line : split(file.text, '\n')) {
      if (!line.starts_with(kOpening) || !line.ends_with('{')) continue;
      std::string_view name = line.substr(line.find("nmt"));
      name = trim(name.substr(0, name.size() - 1));
      if (name == own || name.starts_with(own + "::")) continue;
      violations.push_back(fmt::format("{}: {} is not {}", file.path, name, own));
    }
  }
  return violations;
}

}  // namespace nmt::style
