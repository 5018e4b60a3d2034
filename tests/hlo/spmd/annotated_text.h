// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "hlo/spmd/propagate/propagation.h"
#include "tests/hlo/hlo_text.h"

/// Graphs given as text, with their annotations as names of axes.
namespace podsim::hlo::spmd::testing {

inline const hlo::Instruction& find_value(const hlo::Computation& computation, const std::string& name) {
  const auto found = std::ranges::find(computation.instructions, name, &hlo::Instruction::name);
  if (found == computation.instructions.end()) throw std::logic_error("no value " + name);
  return *found;
}

/// "name" of the entry, or "computation/name".
struct ValueName {
  hlo::ComputationId computation;
  hlo::InstructionId id;

  ValueName(const hlo::Module& module, const std::string& name) : computation(module.entry) {
    const std::size_t slash = name.find('/');
    if (slash != std::string::npos) {
      const auto found = std::ranges::find(module.computations, name.substr(0, slash), &hlo::Computation::name);
      computation = int(found - module.computations.begin());
    }
    const hlo::Computation& in = module.computations.at(std::size_t(computation));
    id = int(&find_value(in, slash == std::string::npos ? name : name.substr(slash + 1)) - in.instructions.data());
  }
};

using Axes = std::vector<std::string>;

/// Annotates a value that is not a tuple.
inline void annotate(hlo::Module& module, const mesh::Mesh& mesh, const std::string& name, const Axes& axes) {
  const ValueName value(module, name);
  hlo::Instruction& instruction = module.computations[std::size_t(value.computation)][value.id];
  const mesh::AxisSharding sharding = axes == Axes{"manual"} ? mesh::manual(instruction.shape.rank())
                                                             : mesh::parse_axes(mesh, axes, instruction.shape.rank());
  instruction.sharding = std::make_shared<const hlo::Sharding>(mesh::to_hlo(mesh, sharding));
}

/// Shardings after propagation, by name: "[x, -]"; "[x, -] replicated" for a tuple.
class Propagated {
 public:
  Propagated(hlo::Module module, mesh::Mesh mesh, const std::map<std::string, Axes>& annotations)
      : module_(std::move(module)), mesh_(std::move(mesh)) {
    for (const auto& [name, axes] : annotations) annotate(module_, mesh_, name, axes);
    shardings_ = propagate::propagate(module_, mesh_);
  }

  std::string operator()(const std::string& name) const {
    const ValueName value(module_, name);
    std::string text;
    for (const mesh::AxisSharding& array : shardings_.values[std::size_t(value.computation)][std::size_t(value.id)]) {
      text += (text.empty() ? "" : " ") + mesh::to_string(mesh_, array);
    }
    return text;
  }

  std::string why(const std::string& pattern) const { return propagate::explain(module_, mesh_, shardings_, pattern); }
  const hlo::Module& module() const { return module_; }
  const propagate::ModuleShardings& shardings() const { return shardings_; }

 private:
  hlo::Module module_;
  mesh::Mesh mesh_;
  propagate::ModuleShardings shardings_;
};

inline Propagated propagated(const std::string& lines, const std::string& mesh,
                             const std::map<std::string, Axes>& annotations, const std::string& computations = "") {
  return {hlo::testing::graph_of_entry(lines, computations + hlo::testing::scalar_functions), mesh::Mesh::parse(mesh),
          annotations};
}

}  // namespace podsim::hlo::spmd::testing
