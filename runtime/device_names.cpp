// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/device_names.h"

#include <algorithm>

namespace nmt::runtime {

std::vector<DeviceName> device_names(const Rail& rail) {
  std::vector<DeviceName> names;
  const auto field = [&](const char* name) {
    const auto found = rail.fingerprint.find(name);
    return found == rail.fingerprint.end() ? std::string() : found->second;
  };
  const std::string::size_type slash = rail.name.find('/');
  const std::string device = rail.name.substr(0, slash);
  if (rail.driver == "verbs") {  // "mlx5_0/1": the device and its port
    const std::string port = slash == std::string::npos ? "1" : rail.name.substr(slash + 1);
    names.push_back({NMT_DEVICE_VERBS, device});
    names.push_back({NMT_DEVICE_UCX, device + ":" + port.substr(0, port.find('/'))});
    names.push_back({NMT_DEVICE_KERNEL, field("interface")});
  } else if (rail.driver == "tcp") {  // "eth0", or "eth0/INTERFACE OF THE PEER"
    names.push_back({NMT_DEVICE_KERNEL, device});
  }
  names.push_back({NMT_DEVICE_PCI, field("pci")});
  std::erase_if(names, [](const DeviceName& name) { return name.name.empty(); });
  return names;
}

}  // namespace nmt::runtime
