// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune db approve, rollback, off, on: which profile all users of a site get, and whether any.
//
// The published profile is a link, so that a job finds the old one or the new one, and never a part
// of either. Jobs that have opened a profile keep it.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "core/descriptor.h"
#include "core/durable_file.h"
#include "core/error.h"
#include "core/site_switch.h"
#include "tools/tune/open_profile.h"

namespace nmt::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNamesTried = 100;  // of one second

struct SiteOptions {
  std::string folder = kSiteFolder;
  std::string reason;
};

class Site {
 public:
  explicit Site(const std::string& folder) : folder_(folder) {}

  fs::path published() const { return folder_ / "profile.db"; }
  fs::path previous() const { return folder_ / "profile.db.previous"; }
  fs::path switch_file() const { return folder_ / kSwitchFile; }

  void make_folders() const {
    std::error_code error;
    fs::create_directories(folder_ / "profiles", error);
    if (error) fail("create " + (folder_ / "profiles").string(), error);
  }

  // A name below profiles/ that no other profile has, also if another command takes one meanwhile:
  // an empty file holds it, until the profile replaces that file.
  fs::path reserve_name() const {
    return take_name([](const fs::path& file) {
      const Descriptor held(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
      const int error = held ? 0 : errno;
      if (error != 0 && error != EEXIST) {
        fail("create " + file.string(), std::error_code(error, std::generic_category()));
      }
      return error == 0;
    });
  }

  // Where the link leads; empty if there is none. A plain file, as older sites have it, becomes one
  // of the kept profiles first.
  fs::path target_of(const fs::path& link) const {
    std::error_code error;
    const fs::file_status status = fs::symlink_status(link, error);
    if (!fs::exists(status)) return {};
    if (fs::is_symlink(status)) return fs::read_symlink(link);
    return take_name([&](const fs::path& kept) {
      fs::create_hard_link(link, kept, error);
      if (error && error != std::errc::file_exists) fail("keep " + link.string(), error);
      return !error;
    });
  }

  // In one step: rename replaces a link that is there.
  void point(const fs::path& link, const fs::path& target) const {
    const fs::path temporary =
        folder_ / fmt::format(".{}.{}", link.filename().string(), Id::random().hex());
    std::error_code error;
    fs::create_symlink(target, temporary, error);
    if (error) fail("create " + temporary.string(), error);
    fs::rename(temporary, link, error);
    if (!error) return;
    fs::remove(temporary);
    fail("replace " + link.string(), error);
  }

  const fs::path& folder() const { return folder_; }

 private:
  // The first name for a profile of this second for which `take` returns true.
  template <typename Take>
  fs::path take_name(const Take& take) const {
    char date[32];
    const std::time_t now = std::time(nullptr);
    std::tm fields = {};
    ::gmtime_r(&now, &fields);
    std::strftime(date, sizeof date, "%Y-%m-%dT%H%M%SZ", &fields);
    for (std::size_t i = 0; i < kNamesTried; ++i) {
      const fs::path name = fs::path("profiles") /
                            (std::string(date) + (i == 0 ? "" : "-" + std::to_string(i)) + ".db");
      if (take(folder_ / name)) return name;
    }
    throw Error(Fault::kFailed,
                fmt::format("{}: {} profiles were published in this second; try again",
                            (folder_ / "profiles").string(), kNamesTried));
  }

  [[noreturn]] static void fail(const std::string& what, const std::error_code& error) {
    throw Error(Fault::kFailed, fmt::format("cannot {}: {}; publishing needs the rights of the "
                                            "site's folder (run it as root, or name one with "
                                            "--site)",
                                            what, error.message()));
  }

  fs::path folder_;
};

std::string content_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream content;
  content << stream.rdbuf();
  if (!stream)
    throw Error(Fault::kDatabase, file + ": cannot read this file; check its permissions");
  return content.str();
}

Report approve(const SiteOptions& options, const ProfileOptions& profile,
               const Invocation& invocation) {
  const profiledb::Location source = profiledb::locate_for_reading(profile.db);
  const auto require_whole = [&](const std::string& file) {
    const profiledb::ProfileDb db = open_whole_to_read({.db = file, .platform = ""}, invocation);
    const auto problems = db.check();
    if (!problems.empty()) {
      throw Error(Fault::kDatabase,
                  fmt::format("{}: not approved: {}: {}; nmad-tune db check "
                              "lists the damage",
                              file, problems.front().where, problems.front().what));
    }
    for (const Platform& platform : db.platforms()) {
      if (db.plan(platform.id)) return;
    }
    throw Error(Fault::kDatabase,
                fmt::format("{}: not approved: it has no plan; nmad-tune retune derives it", file));
  };
  require_whole(source.file);
  if (::access((source.file + "-journal").c_str(), F_OK) == 0) {
    throw Error(Fault::kDatabase, source.file + ": it is being written; try again later");
  }
  const Site site(options.folder);
  site.make_folders();
  const fs::path name = site.reserve_name();
  const std::string file = site.folder() / name;
  try {
    write_durable_file(file, content_of(source.file), true);
    let_all_read(file);
    require_whole(file);  // what was copied, in case it was written meanwhile
  } catch (const Error&) {
    fs::remove(file);
    throw;
  }
  const fs::path before = site.target_of(site.published());
  if (!before.empty()) site.point(site.previous(), before);
  site.point(site.published(), name);
  Report report;
  report.text.line(
      fmt::format("{}: approved {} ({})", site.published().string(), source.file, name.string()));
  if (!before.empty()) {
    report.text.line(
        fmt::format("Before: {}; nmad-tune db rollback returns to it.", before.string()));
  }
  report.payload.set("published", name.string())
      .set("previous", before.empty() ? json::Value() : json::Value(before.string()));
  report.records = {{"published", "previous"}, {{name.string(), before.string()}}};
  report.summary = {{"published", name.string()}, {"site", options.folder}};
  return report;
}

Report rollback(const SiteOptions& options) {
  const Site site(options.folder);
  const fs::path before = site.target_of(site.previous());
  if (before.empty() || !fs::exists(site.folder() / before)) {
    throw Error(Fault::kUsage,
                fmt::format("{}: there is no profile before the published one; nmad-tune db "
                            "approve --db FILE publishes one",
                            options.folder));
  }
  const fs::path now = site.target_of(site.published());
  site.point(site.published(), before);
  if (!now.empty()) site.point(site.previous(), now);
  Report report;
  report.text.line(fmt::format("{}: back at {}; nmad-tune db rollback again returns to {}",
                               site.published().string(), before.string(), now.string()));
  report.payload.set("published", before.string()).set("previous", now.string());
  report.records = {{"published", "previous"}, {{before.string(), now.string()}}};
  report.summary = {{"published", before.string()}, {"site", options.folder}};
  return report;
}

Report switch_to(bool on, const SiteOptions& options) {
  const Site site(options.folder);
  const std::string file = site.switch_file();
  if (on) {
    std::error_code error;
    fs::remove(file, error);
    if (error)
      throw Error(Fault::kFailed, fmt::format("cannot remove {}: {}; run this command as root",
                                              file, error.message()));
  } else {
    site.make_folders();
    write_durable_file(file, options.reason + "\n", true);
    let_all_read(file);
  }
  Report report;
  report.text.line(
      on ? fmt::format("removed {}: jobs that start from now on follow the profile", file)
         : fmt::format("wrote {}: jobs that start from now on get no advice, on "
                       "every node that has this file",
                       file));
  report.payload.set("on", on).set("file", file);
  report.records = {{"on", "file"}, {{on, file}}};
  report.summary = {{"advice", on ? "on" : "off"}, {"site", options.folder}};
  return report;
}

void declare_site(Options& options, SiteOptions& target) {
  options.text("--site", target.folder, "DIR", "the site's folder (default: /etc/nmadtune)");
}

}  // namespace

Work declare_db_approve(Options& options, const ProfileOptions& profile) {
  const auto own = std::make_shared<SiteOptions>();
  declare_site(options, *own);
  options.example("nmad-tune db approve --db cluster.db");
  return
      [own, &profile](const Invocation& invocation) { return approve(*own, profile, invocation); };
}

Work declare_db_rollback(Options& options, const ProfileOptions&) {
  const auto own = std::make_shared<SiteOptions>();
  declare_site(options, *own);
  options.example("nmad-tune db rollback");
  return [own](const Invocation&) { return rollback(*own); };
}

Work declare_db_off(Options& options, const ProfileOptions&) {
  const auto own = std::make_shared<SiteOptions>();
  declare_site(options, *own);
  options.text("--reason", own->reason, "TEXT", "reason to write into the file, for other people");
  options.example("nmad-tune db off --reason 'new switches'");
  return [own](const Invocation&) { return switch_to(false, *own); };
}

Work declare_db_on(Options& options, const ProfileOptions&) {
  const auto own = std::make_shared<SiteOptions>();
  declare_site(options, *own);
  options.example("nmad-tune db on");
  return [own](const Invocation&) { return switch_to(true, *own); };
}

}  // namespace nmt::tools
