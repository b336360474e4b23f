// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune compile: the profile as one flat snapshot, for many processes to read.
#include <fmt/format.h>

#include "core/units.h"
#include "tools/command/write_file.h"
#include "tools/tune/advice.h"

namespace nmt::tools {
namespace {

struct CompileOptions {
  std::string file;
  bool force = false;
};

Report compile_profile(const CompileOptions& options, const ProfileOptions& profile,
                       const Invocation& invocation) {
  const Advice advice = open_advice(profile, invocation);
  const std::span<const std::byte> bytes = runtime::snapshot_bytes(*advice);
  write_file(options.file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()},
             options.force);
  const std::uint64_t size_bytes = bytes.size();
  Report report;
  report.text.line(fmt::format("{} of {} written to {}", format_bytes(size_bytes),
                               describe(advice).platform, options.file));
  report.payload.set("platform", platform_json(advice));
  report.payload.set("file", options.file).set("size_bytes", size_bytes);
  report.records = {{"file", "size_bytes"}, {{options.file, size_bytes}}};
  report.summary = {{"size_bytes", std::to_string(size_bytes)}, {"file", options.file}};
  return report;
}

}  // namespace

Work declare_compile(Options& options, const ProfileOptions& profile) {
  const auto own = std::make_shared<CompileOptions>();
  options
      .text("--output,-o", own->file, "FILE",
            "snapshot to write\n"
            "One file with a checksum. nmt_open reads it in place of the database, so that any "
            "number of processes can open it on a parallel file system.")
      .required();
  options.flag("--force", own->force, "replace FILE");
  options.example("nmad-tune compile -o profile.nmt");
  return [own, &profile](const Invocation& invocation) {
    return compile_profile(*own, profile, invocation);
  };
}

}  // namespace nmt::tools
