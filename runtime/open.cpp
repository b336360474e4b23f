// SPDX-License-Identifier: BSD-3-Clause
//
// Opening a profile: the one place of the C ABI where failures outside the program can occur.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>

#include "core/confirmation.h"
#include "core/effect.h"
#include "core/error.h"
#include "core/log.h"
#include "core/site_switch.h"
#include "runtime/load_plan.h"
#include "runtime/older_version.h"
#include "runtime/open_log.h"
#include "runtime/profile.h"
#include "runtime/runtime.h"
#include "runtime/signatures.h"

namespace nmt::runtime {
namespace {

std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

// A snapshot is recognised by its first bytes; the database layer judges every other file.
bool is_snapshot(const std::string& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    const int error = errno;
    if (error == ENOENT || error == ENOTDIR) {
      throw Refused(NMT_NOT_FOUND,
                    fmt::format("{}: no such profile; make one with nmad-sample", file));
    }
    throw system_error(Fault::kDatabase, fmt::format("open({})", file), error);
  }
  std::array<char, kSnapshotMagic.size()> magic{};
  const bool whole = ::read(descriptor, magic.data(), magic.size()) == ssize_t{magic.size()};
  ::close(descriptor);
  return whole && magic == kSnapshotMagic;
}

Fields fields_of(const View& view) {
  Fields fields;
  for (const FieldRecord& field : view.fields) {
    fields.emplace(view.text_at(field.name), view.text_at(field.value));
  }
  return fields;
}

void load_snapshot(const std::string& requested, nmt_profile& profile) {
  profile.storage = completed(Storage::read(profile.file), profile.file);
  profile.view = check(profile.storage.bytes(), profile.file);
  const ProfileRecord& record = *profile.view.profile;
  const bool fits = requested.empty() || requested == "newest" ||
                    is_platform(requested, profile.view.text_at(record.platform),
                                profile.view.text_at(record.platform_id));
  if (!fits) {
    throw Refused(NMT_UNKNOWN, fmt::format("{}: no platform {}; it has: {}", profile.file,
                                           requested, profile.view.text_at(record.platform)));
  }
}

void load_database(const std::string& requested, const Fields& here, nmt_profile& profile) {
  const Loaded loaded = load_from_database(profile.file, requested, here);
  profile.storage = compile(loaded.provenance, loaded.plan);
  profile.view = check(profile.storage.bytes(), profile.file);
}

// Where a check may have left its result: beside the profile, or, of a snapshot, which is not
// checked itself, beside the usual profile.
std::vector<std::string> checked_files(const std::string& file) {
  std::vector<std::string> files = {file};
  try {
    if (is_snapshot(file)) files.push_back(usual_file());
  } catch (const Error&) {
    // there is no usual profile
  }
  return files;
}

// The last check of this platform on this node, as it is now (nmad-sample --confirm).
std::optional<Confirmation> confirmation_of(const nmt_profile& profile, const Fields& here) {
  for (const std::string& file : checked_files(profile.file)) {
    std::optional<Confirmation> checked = read_confirmation(file);
    if (checked &&
        checked->holds_for(profile.view.text_at(profile.view.profile->platform_id), here)) {
      return checked;
    }
  }
  return std::nullopt;
}

// What a check says of a path under another patch release: as measured, no longer so, or unknown.
std::uint32_t flags_by(const Confirmation& checked, const View& view, std::size_t path) {
  const PathDetailRecord& detail = view.details[path];
  const std::string_view peer = view.text_at(detail.peer_id);
  const bool between_nodes = !peer.empty() && peer != view.text_at(detail.node_id);
  const CheckedRail* rail = checked.find(view.text_at(detail.rail), between_nodes);
  if (rail == nullptr) return NMT_ADVICE_UNCONFIRMED;
  return rail->slower ? NMT_ADVICE_FOREIGN : 0;
}

void mark_unconfirmed(nmt_profile& profile, const Fields& here) {
  profile.advice_flags = NMT_ADVICE_UNCONFIRMED;
  const std::optional<Confirmation> checked = confirmation_of(profile, here);
  if (!checked) return;
  profile.advice_flags = 0;
  for (std::size_t path = 0; path < profile.view.details.size(); ++path) {
    profile.path_flags.push_back(flags_by(*checked, profile.view, path));
    profile.advice_flags |= profile.path_flags[path];
  }
}

// Why advice is foreign: the field that differs, or what a check found.
std::string foreign_because(const nmt_profile& profile) {
  const auto first = std::ranges::find(profile.differences, Effect::kForeign,
                                       [](const Difference& each) { return effect_of(each); });
  if (first == profile.differences.end()) {
    return "nmad-sample --confirm found a rail slower than it was measured";
  }
  return fmt::format("measured on another platform: {} was {}, here it is {}", first->field,
                     first->before.value_or("unknown"), first->now.value_or("unknown"));
}

std::unique_ptr<nmt_profile> open(const nmt_open_options& options) {
  if (is_switched_off(text_or_empty(options.machine_root))) {
    throw Refused(NMT_NOT_FOUND,
                  fmt::format("{}/{}: the site has turned advice off on this node; nmad-tune db on "
                              "turns it on again",
                              kSiteFolder, kSwitchFile));
  }
  auto profile = std::make_unique<nmt_profile>();
  profile->file = options.file != nullptr ? options.file : usual_file();
  const std::string requested = text_or_empty(options.platform);
  const Fields here = machine_fingerprint(text_or_empty(options.machine_root));
  if (is_snapshot(profile->file)) {
    load_snapshot(requested, *profile);
  } else {
    load_database(requested, here, *profile);
  }
  profile->signatures = signatures_of(profile->view);
  profile->collective_rules = CollectiveRules(profile->view);
  profile->differences = differences_here(fields_of(profile->view), here);
  const Effect effect = effect_of(profile->differences);
  if (effect == Effect::kNone) return profile;
  if (effect == Effect::kUnconfirmed) {
    mark_unconfirmed(*profile, here);
  } else {
    profile->advice_flags = NMT_ADVICE_FOREIGN;
  }
  if (options.refuse_foreign != 0 && (profile->advice_flags & NMT_ADVICE_FOREIGN) != 0) {
    throw Refused(NMT_FOREIGN, fmt::format("{}: {}; run nmad-sample on this machine", profile->file,
                                           foreign_because(*profile)));
  }
  return profile;
}

void log_opened(const nmt_profile& profile) {
  const std::string problem = log_problem();
  if (!problem.empty()) std::fprintf(stderr, "nmadtune: %s\n", problem.c_str());
  if (log_wants(kLogDecisions)) std::fputs(decisions_of(profile).c_str(), stderr);
}

void report(const nmt_open_options& options, const char* message) {
  if (options.message == nullptr || options.message_bytes == 0) return;
  std::snprintf(options.message, options.message_bytes, "%s", message);
}

int status_of(Fault fault) {
  switch (fault) {
    case Fault::kUsage:
      return NMT_UNKNOWN;
    case Fault::kStale:
      return NMT_FOREIGN;
    case Fault::kDatabase:
    case Fault::kFailed:
      return NMT_UNUSABLE;
    case Fault::kNoRail:
    case Fault::kPartial:
    case Fault::kPeer:
      break;
  }
  return NMT_FAILED;
}

}  // namespace

nmt_profile* open_plan(const Plan& plan) {
  auto profile = std::make_unique<nmt_profile>();
  profile->file = "the plan";
  profile->storage =
      compile({.platform = {.id = plan.platform}, .complete = true, .quality = 1}, plan);
  profile->view = check(profile->storage.bytes(), profile->file);
  profile->signatures = signatures_of(profile->view);
  profile->collective_rules = CollectiveRules(profile->view);
  return profile.release();
}

}  // namespace nmt::runtime

int nmt_open(const nmt_open_options* options, nmt_profile** profile) {
  nmt_open_options requested{};
  if (profile == nullptr) return NMT_INVALID;
  *profile = nullptr;
  if (options != nullptr && !nmt::runtime::get(options, requested)) return NMT_INVALID;
  try {
    std::unique_ptr<nmt_profile> opened = nmt::runtime::open(requested);
    nmt::runtime::log_opened(*opened);
    *profile = opened.release();
    return NMT_OK;
  } catch (const nmt::runtime::Refused& refused) {
    nmt::runtime::report(requested, refused.what());
    return refused.status();
  } catch (const nmt::Error& error) {
    nmt::runtime::report(requested, error.what());
    return nmt::runtime::status_of(error.fault());
  } catch (const std::bad_alloc&) {
    nmt::runtime::report(requested, "out of memory");
    return NMT_NO_MEMORY;
  } catch (const std::exception& error) {
    nmt::runtime::report(requested, error.what());
    return NMT_FAILED;
  }
}

void nmt_close(nmt_profile* profile) { delete profile; }
