// SPDX-License-Identifier: BSD-3-Clause
#include "node/topology.h"

#include <fmt/format.h>
#include <hwloc.h>

#include <map>
#include <memory>

#include "core/units.h"

namespace nmt::node {
namespace {

using Topology = std::unique_ptr<hwloc_topology, void (*)(hwloc_topology*)>;

Topology load(const std::string& synthetic) {
  hwloc_topology_t topology = nullptr;
  if (::hwloc_topology_init(&topology) != 0) return {nullptr, nullptr};
  Topology owner(topology, ::hwloc_topology_destroy);
  if (synthetic.empty()) {
    ::hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  } else if (::hwloc_topology_set_synthetic(topology, synthetic.c_str()) != 0) {
    return {nullptr, nullptr};
  }
  if (::hwloc_topology_load(topology) != 0) return {nullptr, nullptr};
  return owner;
}

// A machine may have cores of several kinds, each kind with its own caches.
std::string describe_caches(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::map<std::string, int> kinds;
  for (hwloc_obj_t cache = nullptr;
       (cache = ::hwloc_get_next_obj_by_type(topology, type, cache)) != nullptr;) {
    const int cores =
        ::hwloc_get_nbobjs_inside_cpuset_by_type(topology, cache->cpuset, HWLOC_OBJ_CORE);
    ++kinds[fmt::format("{}, {} {} each", format_bytes(cache->attr->cache.size), cores,
                        cores == 1 ? "core" : "cores")];
  }
  std::string text;
  for (const auto& [kind, number] : kinds) {
    text += fmt::format("{}{} x {}", text.empty() ? "" : "; ", number, kind);
  }
  return text;
}

}  // namespace

Fields topology_fields(const std::string& synthetic) {
  Fields fields;
  const Topology topology = load(synthetic);
  if (!topology) return fields;
  const auto count = [&](hwloc_obj_type_t type) {
    return std::to_string(::hwloc_get_nbobjs_by_type(topology.get(), type));
  };
  fields["packages"] = count(HWLOC_OBJ_PACKAGE);
  fields["physical_cores"] = count(HWLOC_OBJ_CORE);
  fields["numa_nodes"] = count(HWLOC_OBJ_NUMANODE);
  fields["l1d_cache"] = describe_caches(topology.get(), HWLOC_OBJ_L1CACHE);
  fields["l2_cache"] = describe_caches(topology.get(), HWLOC_OBJ_L2CACHE);
  fields["l3_cache"] = describe_caches(topology.get(), HWLOC_OBJ_L3CACHE);
  std::erase_if(fields,
                [](const auto& field) { return field.second.empty() || field.second == "0"; });
  return fields;
}

}  // namespace nmt::node
