// SPDX-License-Identifier: BSD-3-Clause
#include "node/fingerprint.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "node/sysfs.h"

namespace nmt::node {
namespace {

// "name : value" lines of the first processor. Reads no further, because the kernel generates the
// rest core by core.
Fields first_processor(const std::string& root) {
  Fields fields;
  std::ifstream stream(root + "/proc/cpuinfo");
  for (std::string line; std::getline(stream, line) && !line.empty();) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || colon == 0) continue;
    const std::string name = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    fields[name] = value == std::string::npos ? "" : line.substr(value);
  }
  return fields;
}

// x86 reports a model; ARM only the implementer and the part; POWER calls it "cpu".
void add_processor(const std::string& root, Fields& fields) {
  Fields cpu = first_processor(root);
  fields["cpu_model"] = !cpu["model name"].empty() ? cpu["model name"] : cpu["cpu"];
  if (!cpu["CPU part"].empty()) {
    fields["cpu_id"] =
        fmt::format("implementer {} part {} variant {} revision {}", cpu["CPU implementer"],
                    cpu["CPU part"], cpu["CPU variant"], cpu["CPU revision"]);
    if (fields["cpu_model"].empty()) fields["cpu_model"] = "ARM " + cpu["CPU part"];
  } else if (!cpu["vendor_id"].empty()) {
    fields["cpu_id"] = fmt::format("{} {}/{}/{}", cpu["vendor_id"], cpu["cpu family"], cpu["model"],
                                   cpu["stepping"]);
  }
  if ((" " + cpu["flags"] + " ").find(" hypervisor ") != std::string::npos) {
    fields["hypervisor"] = "yes";
  }
}

std::string count(const std::string& file) {
  const std::size_t number = parse_list(read_line(file)).size();
  return number > 0 ? std::to_string(number) : "";
}

// "always [madvise] never" -> "madvise"
std::string chosen(const std::string& choices) {
  const std::size_t open = choices.find('[');
  const std::size_t close = choices.find(']', open);
  return close == std::string::npos ? "" : choices.substr(open + 1, close - open - 1);
}

std::string machine(const std::string& root) {
  const std::string folder = root + "/sys/class/dmi/id/";
  const std::string vendor = read_line(folder + "sys_vendor");
  const std::string product = read_line(folder + "product_name");
  return vendor.empty() || product.empty() ? vendor + product : vendor + " " + product;
}

void add_this_machine(Fields& fields) {
  utsname names{};
  ::uname(&names);
  fields["architecture"] = names.machine;
  fields["libc"] = fmt::format("glibc {}", ::gnu_get_libc_version());
  fields["page_size_bytes"] = std::to_string(::sysconf(_SC_PAGESIZE));
}

}  // namespace

Fields cheap_fingerprint(const std::string& root) {
  Fields fields;
  add_processor(root, fields);
  const std::string cpu = root + "/sys/devices/system/cpu/";
  fields["cores"] = count(cpu + "online");
  fields["numa_nodes"] = count(root + "/sys/devices/system/node/online");
  const std::string smt = read_line(cpu + "smt/active");
  fields["smt"] = smt == "1" ? "on" : smt == "0" ? "off" : "";
  fields["cpu_governor"] = read_line(cpu + "cpu0/cpufreq/scaling_governor");
  fields["machine"] = machine(root);
  fields["kernel"] = read_line(root + "/proc/sys/kernel/osrelease");
  fields["huge_pages"] = chosen(read_line(root + "/sys/kernel/mm/transparent_hugepage/enabled"));
  if (root.empty()) add_this_machine(fields);
  std::erase_if(fields, [](const auto& field) { return field.second.empty(); });
  return fields;
}

Fields fingerprint_for_collectives(const std::string& root) {
  Fields fields = cheap_fingerprint(root);
  for (const char* name : {"kernel", "libc", "numa_nodes"}) fields.erase(name);
  return fields;
}

std::string platform_name(const Fields& fingerprint) {
  const auto field = [&](const char* name) {
    const auto found = fingerprint.find(name);
    return found == fingerprint.end() ? std::string() : found->second;
  };
  std::string name = field("cpu_model").empty() ? "unknown processor" : field("cpu_model");
  const std::string cores = field("cores");
  if (!cores.empty()) name += fmt::format(", {} {}", cores, cores == "1" ? "core" : "cores");
  const std::string kernel = field("kernel");
  if (kernel.empty()) return name;
  // The first two numbers: "6.18.44-generic" is Linux 6.18.
  const std::size_t minor = std::min(kernel.find('.'), kernel.size() - 1) + 1;
  return fmt::format("{}, Linux {}", name,
                     kernel.substr(0, kernel.find_first_not_of("0123456789", minor)));
}

std::string host_name() {
  utsname names{};
  ::uname(&names);
  return names.nodename;
}

}  // namespace nmt::node
