// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/runtime.h"

#include "runtime/profile.h"

namespace nmt::runtime {

std::span<const std::byte> snapshot_bytes(const nmt_profile& profile) {
  return profile.storage.bytes();
}

Curve split_curve_of(const nmt_profile& profile, int path) {
  const PathBlock& block = profile.view.paths[static_cast<std::size_t>(path)];
  if (block.measured == 0) return {};
  const TimeTable& table = block.inverse;
  std::vector<Point> points;
  for (std::uint32_t piece = 1; piece < table.pieces; ++piece) {
    const Point point{static_cast<double>(table.bytes[piece]),
                      static_cast<double>(table.start(piece))};
    const bool flat = !points.empty() && points.back().size_bytes >= point.size_bytes;
    if (flat) {
      points.back().duration_ns = point.duration_ns;
    } else {
      points.push_back(point);
    }
  }
  // One more point, to give the slope after it.
  const double rate = static_cast<double>(table.bytes_per_ns[table.pieces - 1]);
  const Point last = points.back();
  points.push_back({2 * last.size_bytes + 1, last.duration_ns + (last.size_bytes + 1) / rate});
  return Curve(std::move(points));
}

}  // namespace nmt::runtime
