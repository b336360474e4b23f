// SPDX-License-Identifier: BSD-3-Clause
//
// Descriptions of a profile and its paths.
#include <algorithm>

#include "runtime/find_path.h"
#include "runtime/profile.h"

const char* nmt_version(void) { return NMT_VERSION; }

const char* nmt_status_text(int status) {
  switch (status) {
    case NMT_NO_ADVICE:
      return "the profile has no measurement of this";
    case NMT_INVALID:
      return "an argument is invalid";
    case NMT_UNKNOWN:
      return "no such path, platform or index";
    case NMT_NOT_FOUND:
      return "no such profile";
    case NMT_UNUSABLE:
      return "the file is damaged, of a newer version, or not a profile";
    case NMT_FOREIGN:
      return "the profile does not hold for this platform as it is now";
    case NMT_NO_MEMORY:
      return "out of memory";
    case NMT_FAILED:
      return "a call of the operating system failed";
    case NMT_AMBIGUOUS:
      return "the name stands for two nodes; name one by its identifier";
    default:
      return status >= 0 ? "ok" : "unknown status";
  }
}

int nmt_describe(const nmt_profile* profile, nmt_description* description) {
  if (profile == nullptr || !nmt::runtime::is_writable(description)) return NMT_INVALID;
  const nmt::runtime::View& view = profile->view;
  const nmt::runtime::ProfileRecord& record = *view.profile;
  nmt::runtime::put(description,
                    {.struct_bytes = 0,
                     .paths = static_cast<std::uint32_t>(view.paths.size()),
                     .file = profile->file.c_str(),
                     .platform = view.text_at(record.platform),
                     .platform_id = view.text_at(record.platform_id),
                     .measured_utc = view.text_at(record.measured_utc),
                     .tool_version = view.text_at(record.tool_version),
                     .foreign = (profile->advice_flags & NMT_ADVICE_FOREIGN) != 0,
                     .differences = static_cast<std::uint32_t>(profile->differences.size()),
                     .complete = record.complete,
                     .verified = record.verified,
                     .quality = record.quality,
                     .error_median = record.error_median,
                     .regret_median = record.regret_median,
                     .unconfirmed = (profile->advice_flags & NMT_ADVICE_UNCONFIRMED) != 0,
                     .reserved = 0});
  return NMT_OK;
}

int nmt_describe_difference(const nmt_profile* profile, uint32_t index,
                            nmt_difference* difference) {
  if (profile == nullptr || !nmt::runtime::is_writable(difference)) return NMT_INVALID;
  if (index >= profile->differences.size()) return NMT_UNKNOWN;
  const nmt::Difference& found = profile->differences[index];
  nmt::runtime::put(difference, {.struct_bytes = 0,
                                 .reserved = 0,
                                 .field = found.field.c_str(),
                                 .measured = found.before ? found.before->c_str() : nullptr,
                                 .here = found.now ? found.now->c_str() : nullptr});
  return NMT_OK;
}

int nmt_describe_path(const nmt_profile* profile, int path, nmt_path_description* description) {
  if (const int wrong = nmt::runtime::check_question(profile, path, 0)) return wrong;
  if (!nmt::runtime::is_writable(description)) return NMT_INVALID;
  const nmt::runtime::View& view = profile->view;
  const nmt::runtime::PathBlock& block = view.paths[static_cast<std::size_t>(path)];
  const nmt::runtime::PathDetailRecord& detail = view.details[static_cast<std::size_t>(path)];
  nmt::runtime::put(description, {.struct_bytes = 0,
                                  .methods = detail.methods,
                                  .rail = view.text_at(detail.rail),
                                  .path_id = view.text_at(detail.path_id),
                                  .regime = view.text_at(detail.regime),
                                  .placement = view.text_at(detail.placement),
                                  .busy_rails = view.text_at(detail.busy_rails),
                                  .size_bytes_max = block.size_bytes_max,
                                  .max_unexpected_bytes = detail.max_unexpected_bytes,
                                  .chunk_bytes_min = block.chunk_bytes_min,
                                  .monotone_departure = detail.monotone_departure,
                                  .table_departure = detail.table_departure,
                                  .host = view.text_at(detail.host),
                                  .node_id = view.text_at(detail.node_id),
                                  .peer_host = view.text_at(detail.peer_host),
                                  .peer_id = view.text_at(detail.peer_id),
                                  .memory = nmt::runtime::memory_of(view, detail),
                                  .ranks_per_nic = std::max(1u, detail.ranks_per_nic),
                                  .devices = detail.devices});
  return NMT_OK;
}

int nmt_describe_device(const nmt_profile* profile, int path, uint32_t index, nmt_device* device) {
  if (const int wrong = nmt::runtime::check_question(profile, path, 0)) return wrong;
  if (!nmt::runtime::is_writable(device)) return NMT_INVALID;
  const nmt::runtime::View& view = profile->view;
  const nmt::runtime::PathDetailRecord& detail = view.details[static_cast<std::size_t>(path)];
  if (index >= detail.devices) return NMT_UNKNOWN;
  const nmt::runtime::DeviceRecord& found = view.devices[detail.devices_from + index];
  nmt::runtime::put(device,
                    {.struct_bytes = 0, .naming = found.naming, .name = view.text_at(found.name)});
  return NMT_OK;
}
