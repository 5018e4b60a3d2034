// SPDX-License-Identifier: Apache-2.0
#include "report/run/op_scope.h"

#include <algorithm>
#include <array>
#include <vector>

namespace podsim::report::run {
namespace {

constexpr std::string_view forward = "forward", gradients = "gradients", rematerialised = "rematerialised";
constexpr std::array<std::string_view, 3> phases{gradients, "optimizer", rematerialised};
constexpr std::array<std::string_view, 5> control_flow{"while", "body", "cond", "closed_call", "checkpoint"};

/// Splits at slashes outside of parentheses.
std::vector<std::string_view> split(std::string_view op_name) {
  std::vector<std::string_view> names;
  std::size_t begin = 0;
  int open = 0;
  for (std::size_t i = 0; i <= op_name.size(); ++i) {
    if (i == op_name.size() || (op_name[i] == '/' && open <= 0)) {
      if (i > begin) names.push_back(op_name.substr(begin, i - begin));
      begin = i + 1;
    } else {
      open += op_name[i] == '(' ? 1 : op_name[i] == ')' ? -1 : 0;
    }
  }
  return names;
}

/// Removes "wrapper(" and ")" from a name. Returns false if it does not have them.
bool unwrap(std::string_view& name, std::string_view wrapper) {
  if (!name.starts_with(wrapper) || !name.ends_with(')') || name.size() <= wrapper.size() ||
      name[wrapper.size()] != '(') {
    return false;
  }
  name = name.substr(wrapper.size() + 1, name.size() - wrapper.size() - 2);
  return true;
}

class ScopeReader {
 public:
  OpScope read(std::string_view op_name, std::size_t depth) {
    const std::vector<std::string_view> names = split(op_name);
    for (std::size_t i = 0; i < names.size(); ++i) take(names[i], i == 0);
    if (of_jax_ && !layer_.empty() && !names.back().ends_with(')')) layer_.pop_back();  // the operation
    OpScope scope{std::string(phase_), ""};
    for (std::size_t i = 0; i < std::min(depth, layer_.size()); ++i) {
      scope.layer += (i > 0 ? "/" : "") + std::string(layer_[i]);
    }
    return scope;
  }

 private:
  void take(std::string_view name, bool first) {
    if (first && std::ranges::find(phases, name) != phases.end()) {
      phase_ = name;
      return;
    }
    if (unwrap(name, "jit") || unwrap(name, "pjit")) {
      of_jax_ = true;
      return;
    }
    if (of_jax_) {
      if (unwrap(name, "transpose")) phase_ = gradients;
      unwrap(name, "jvp");
      if (name == "rematted_computation") phase_ = rematerialised;
      if (name.empty() || name == "rematted_computation" || std::ranges::find(control_flow, name) != control_flow.end())
        return;
    }
    layer_.push_back(name);
  }

  std::string_view phase_ = forward;
  bool of_jax_ = false;
  std::vector<std::string_view> layer_;
};

}  // namespace

OpScope op_scope(std::string_view op_name, std::size_t depth) { return ScopeReader().read(op_name, depth); }

}  // namespace podsim::report::run
