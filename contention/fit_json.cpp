// SPDX-License-Identifier: BSD-3-Clause
#include "contention/fit_json.h"

#include "core/alltoall.h"
#include "core/plan_json.h"

namespace nmt::contention {
namespace {

using json::Value;

Value to_json(const Interval& interval) { return Value::Array{interval.low, interval.high}; }

template <class T>
Value numbers(const std::vector<T>& values) {
  Value list = Value::array();
  for (const T& value : values) list.push_back(value);
  return list;
}

Value to_json(const GammaAt& at) {
  return Value::object()
      .set("n", at.ranks)
      .set("gamma", at.gamma)
      .set("interval", to_json(at.interval));
}

Value to_json(const SmallRatio& small) {
  return Value::object()
      .set("m_bytes", small.size_bytes)
      .set("ratio", small.ratio)
      .set("spread", small.spread);
}

Value to_json(const RatioGrowth& ratios) {
  Value rises = Value::array();
  for (const Rise& rise : ratios.rises) {
    rises.push_back(Value::object().set("n", rise.ranks).set("factor", rise.factor));
  }
  return Value::object()
      .set("rises", rises)
      .set("growth", ratios.growth)
      .set("growth_error", ratios.growth_error)
      .set("growth_saturates", ratios.growth_saturates);
}

Value to_json(const Uncertainty& uncertainty) {
  return Value::object()
      .set("gamma_variance", uncertainty.gamma_variance)
      .set("delta_variance_ns2", uncertainty.delta_variance)
      .set("covariance_ns", uncertainty.covariance)
      .set("sessions", uncertainty.sessions)
      .set("misfit", uncertainty.misfit)
      .set("growth", uncertainty.growth)
      .set("quantile", uncertainty.quantile);
}

Value to_json(const MeasuredAlltoall& one) {
  return Value::object()
      .set("n", one.ranks)
      .set("m_bytes", one.size_bytes)
      .set("duration_ns", one.duration_ns)
      .set("lower_bound_ns", one.bound_ns);
}

Value to_json(const ConnectionProbe& probe) {
  return Value::object()
      .set("connections", probe.connections)
      .set("size_bytes", probe.size_bytes)
      .set("mean_ns", probe.mean_ns)
      .set("slowest_ns", probe.slowest_ns)
      .set("nodes", probe.nodes);
}

Value to_json(const TwoStates& states) {
  return Value::object()
      .set("free_gap_ns_per_byte", states.free_gap_ns)
      .set("contended_gap_ns_per_byte", states.contended_gap_ns)
      .set("rho", states.rho)
      .set("gap_ns_per_byte",
           two_state_gap(states.free_gap_ns, states.contended_gap_ns, states.rho));
}

// `uplink_nics` of each switch: the speed of its cables up, in NICs of a node.
Value to_json(const Topology& topology) {
  Value switches = Value::array();
  for (const Switch& one : topology.switches()) {
    switches.push_back(
        Value::object()
            .set("name", one.name)
            .set("nodes", one.nodes.size())
            .set("parent", one.parent ? Value(topology.switches()[*one.parent].name) : Value())
            .set("uplink_nics", one.uplink > 0 ? Value(one.uplink) : Value()));
  }
  return switches;
}

template <class T>
Value list(const std::vector<T>& values) {
  Value all = Value::array();
  for (const T& value : values) all.push_back(to_json(value));
  return all;
}

}  // namespace

Value to_json(const SignatureFit& fit) {
  const Signature& signature = fit.signature;
  const bool has_delta = signature.delta_ns > 0;
  const DeltaForm form =
      signature.delta_per_message ? DeltaForm::kPerCommunication : DeltaForm::kOnce;
  return Value::object()
      .set("algorithm", signature.algorithm)
      .set("ranks_per_node", signature.ranks_per_node)
      .set("alpha_ns", signature.bound.at(0))
      .set("beta_ns_per_byte", signature.bound.slope_beyond())
      .set("bound", nmt::to_json(signature.bound))
      .set("gamma", signature.gamma)
      .set("gamma_interval", to_json(fit.gamma))
      .set("delta_ns", signature.delta_ns)
      .set("delta_interval_ns", to_json(fit.delta_ns))
      .set("delta_form", has_delta ? Value(to_string(form)) : Value())
      .set("no_delta_probability", fit.no_delta_probability)
      .set("m_from_bytes", has_delta ? Value(signature.delta_from_bytes) : Value())
      .set("m_from_interval_bytes", has_delta ? to_json(fit.delta_from_bytes) : Value())
      .set("ranks", numbers(fit.ranks))
      .set("sizes_bytes", numbers(fit.sizes_bytes))
      .set("times", fit.times)
      .set("outliers", fit.outliers)
      .set("sessions", fit.sessions)
      .set("saturated", signature.saturated)
      .set("saturated_from_ranks", fit.saturated_from > 0 ? Value(fit.saturated_from) : Value())
      .set("gamma_by_ranks", list(fit.gamma_by_ranks))
      .set("measured", list(fit.measured))
      .set("connections", list(fit.connections))
      .set("two_states", fit.two_states ? to_json(*fit.two_states) : Value())
      .set("switches", fit.topology ? to_json(*fit.topology) : Value())
      .set("uplink_fitted", fit.uplink_fitted)
      .set("switches_measured", fit.groups_measured)
      .set("uplink_interval_nics",
           fit.uplink_measured ? to_json(fit.uplink_measured->interval) : Value())
      .set("growth", signature.growth)
      .set("growth_saturates", signature.growth_saturates)
      .set("predicted_by", predicts_by_ratios(signature) ? "ratios" : "signature")
      .set("small", list(signature.small))
      .set("ratio_growth", signature.ratio_growth ? to_json(*signature.ratio_growth) : Value())
      .set("cores", signature.cores > 0 ? Value(signature.cores) : Value())
      .set("processor_ns", signature.processor_ns)
      .set("error_left_out", fit.error_left_out ? Value(*fit.error_left_out) : Value())
      .set("prediction_error", signature.error)
      .set("uncertainty", signature.uncertainty ? to_json(*signature.uncertainty) : Value())
      .set("remarks", numbers(fit.remarks));
}

}  // namespace nmt::contention
