// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/signatures.h"

namespace nmt::runtime {
namespace {

Curve bound_of(const View& view, const SignatureRecord& record) {
  std::vector<Point> points;
  for (const PointRecord& point : view.points.subspan(record.points_from, record.points)) {
    points.push_back({point.size_bytes, point.duration_ns});
  }
  return Curve(std::move(points));
}

std::vector<Rise> rises_of(const View& view, std::uint32_t from, std::uint32_t count) {
  std::vector<Rise> rises;
  for (const RiseRecord& rise : view.rises.subspan(from, count)) {
    rises.push_back({static_cast<std::int64_t>(rise.ranks), rise.factor});
  }
  return rises;
}

Signature signature_of(const View& view, const SignatureRecord& record) {
  Signature signature{.algorithm = view.text_at(record.algorithm),
                      .ranks_per_node = record.ranks_per_node,
                      .bound = bound_of(view, record),
                      .gamma = record.gamma,
                      .delta_ns = record.delta_ns,
                      .delta_per_message = record.delta_per_message != 0,
                      .delta_from_bytes = record.delta_from_bytes,
                      .ranks_min = record.ranks_min,
                      .ranks_max = record.ranks_max,
                      .size_bytes_min = record.size_bytes_min,
                      .size_bytes_max = record.size_bytes_max,
                      .error = record.error,
                      .saturated = record.saturated != 0,
                      .rises = rises_of(view, record.rises_from, record.rises),
                      .growth = record.growth,
                      .growth_saturates = record.growth_saturates != 0,
                      .cores = record.cores,
                      .processor_ns = record.processor_ns};
  for (const SmallRatioRecord& small : view.small_ratios.subspan(record.small_from, record.small)) {
    signature.small.push_back({small.size_bytes, small.ratio, small.spread});
  }
  if (record.by_ratios != 0) {
    signature.ratio_growth =
        RatioGrowth{.rises = rises_of(view, record.ratio_rises_from, record.ratio_rises),
                    .growth = record.ratio_growth,
                    .growth_error = record.ratio_growth_error,
                    .growth_saturates = record.ratio_growth_saturates != 0};
  }
  if (record.uncertain != 0) {
    signature.uncertainty = Uncertainty{.gamma_variance = record.gamma_variance,
                                        .delta_variance = record.delta_variance,
                                        .covariance = record.covariance,
                                        .sessions = record.sessions,
                                        .misfit = record.misfit,
                                        .left_out = record.left_out,
                                        .growth = record.growth_error,
                                        .quantile = record.quantile};
  }
  return signature;
}

}  // namespace

std::vector<Signature> signatures_of(const View& view) {
  std::vector<Signature> signatures;
  for (const SignatureRecord& record : view.signatures) {
    signatures.push_back(signature_of(view, record));
  }
  return signatures;
}

}  // namespace nmt::runtime
