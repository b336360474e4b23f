// SPDX-License-Identifier: BSD-3-Clause
#include "core/method.h"

#include "core/error.h"

namespace nmt {

std::string_view to_string(Method method) {
  switch (method) {
    case Method::kCopy:
      return "copy";
    case Method::kIovec:
      return "iovec";
    case Method::kRendezvous:
      return "rendezvous";
  }
  NMT_CHECK(!"method");
  return {};
}

std::optional<Method> parse_method(std::string_view text) {
  for (const Method method : kMethods) {
    if (to_string(method) == text) return method;
  }
  return std::nullopt;
}

Choices choices(DecisionKind kind) {
  switch (kind) {
    case DecisionKind::kIovec:
      return {"copy", "iovec"};
    case DecisionKind::kRendezvous:
      return {"eager", "rendezvous"};
    case DecisionKind::kAggregation:
      return {"aggregate", "separate"};
  }
  NMT_CHECK(!"decision kind");
  return {};
}

std::string_view to_string(DecisionKind kind) {
  switch (kind) {
    case DecisionKind::kIovec:
      return "iovec";
    case DecisionKind::kRendezvous:
      return "rendezvous";
    case DecisionKind::kAggregation:
      return "aggregation";
  }
  NMT_CHECK(!"decision kind");
  return {};
}

std::optional<DecisionKind> parse_decision(std::string_view text) {
  for (const DecisionKind kind : kDecisions) {
    if (to_string(kind) == text) return kind;
  }
  return std::nullopt;
}

}  // namespace nmt
