// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "sw/spmd/propagation.h"
#include "tests/sw/graph/hlo_text.h"

/// Graphs written as text, their annotations beside it by names of axes.
namespace podsim::sw::testing {

inline const Instruction& find_value(const Computation& computation, const std::string& name) {
  const auto found = std::ranges::find(computation.instructions, name, &Instruction::name);
  if (found == computation.instructions.end()) throw std::logic_error("no value " + name);
  return *found;
}

/// "name" of the entry, or "computation/name".
struct ValueName {
  ComputationId computation;
  InstructionId id;

  ValueName(const Module& module, const std::string& name) : computation(module.entry) {
    const std::size_t slash = name.find('/');
    if (slash != std::string::npos) {
      const auto found = std::ranges::find(module.computations, name.substr(0, slash), &Computation::name);
      computation = int(found - module.computations.begin());
    }
    const Computation& in = module.computations.at(std::size_t(computation));
    id = int(&find_value(in, slash == std::string::npos ? name : name.substr(slash + 1)) - in.instructions.data());
  }
};

using Axes = std::vector<std::string>;

/// Annotates a value that is no tuple.
inline void annotate(Module& module, const Mesh& mesh, const std::string& name, const Axes& axes) {
  const ValueName value(module, name);
  Instruction& instruction = module.computations[std::size_t(value.computation)][value.id];
  const AxisSharding sharding =
      axes == Axes{"manual"} ? manual(instruction.shape.rank()) : parse_axes(mesh, axes, instruction.shape.rank());
  instruction.sharding = std::make_shared<const Sharding>(to_hlo(mesh, sharding));
}

/// Shardings after propagation, by name: "[x, -]", of tuples "[x, -] replicated".
class Propagated {
 public:
  Propagated(Module module, Mesh mesh, const std::map<std::string, Axes>& annotations)
      : module_(std::move(module)), mesh_(std::move(mesh)) {
    for (const auto& [name, axes] : annotations) annotate(module_, mesh_, name, axes);
    shardings_ = propagate(module_, mesh_);
  }

  std::string operator()(const std::string& name) const {
    const ValueName value(module_, name);
    std::string text;
    for (const AxisSharding& array : shardings_.values[std::size_t(value.computation)][std::size_t(value.id)]) {
      text += (text.empty() ? "" : " ") + to_string(mesh_, array);
    }
    return text;
  }

  std::string why(const std::string& pattern) const { return explain(module_, mesh_, shardings_, pattern); }
  const Module& module() const { return module_; }
  const ModuleShardings& shardings() const { return shardings_; }

 private:
  Module module_;
  Mesh mesh_;
  ModuleShardings shardings_;
};

inline Propagated propagated(const std::string& lines, const std::string& mesh,
                             const std::map<std::string, Axes>& annotations, const std::string& computations = "") {
  return {graph_of_entry(lines, computations + scalar_functions), Mesh::parse(mesh), annotations};
}

}  // namespace podsim::sw::testing
