// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/partition/partitioner.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/diagnostic.h"
#include "hlo/rules/instruction_error.h"
#include "hlo/spmd/partition/computation_partition.h"

namespace podsim::hlo::spmd::partition {

ModulePartition::ModulePartition(const hlo::Module& module, const mesh::Mesh& mesh,
                                 const propagate::ModuleShardings& shardings,
                                 const partition::PartitionOptions& options)
    : module_(module), mesh_(mesh), shardings_(shardings), options_(options) {
  for (const std::vector<mesh::ValueSharding>& computation : shardings.values) {
    for (const mesh::ValueSharding& value : computation) {
      has_manual_values_ = has_manual_values_ || std::ranges::any_of(value, &mesh::AxisSharding::manual);
    }
  }
  for (const hlo::Computation& computation : module.computations) {
    for (hlo::InstructionId id = 0; id < int(computation.instructions.size()); ++id) {
      is_partly_manual_ = is_partly_manual_ || mesh::manual_border(mesh, computation, id).has_value();
    }
  }
  has_manual_values_ = has_manual_values_ || is_partly_manual_;
  if (has_manual_values_ && module.replicas > 1 && module.partitions > 1) refuse_replicas();
}

void ModulePartition::refuse_replicas() const {
  for (std::size_t c = 0; c < shardings_.values.size(); ++c) {
    const std::vector<mesh::ValueSharding>& values = shardings_.values[c];
    const auto found = std::ranges::find_if(values, [](const mesh::ValueSharding& value) {
      return std::ranges::any_of(value, &mesh::AxisSharding::manual);
    });
    if (found == values.end()) continue;
    const std::string& name = module_.computations[c].instructions[std::size_t(found - values.begin())].name;
    throw rules::InstructionError(
        name, fmt::format("the program has {} replicas of {} partitions each, and in '{}' a value that each partition "
                          "has of its own: such a program has one replica",
                          module_.replicas, module_.partitions, name));
  }
}

mesh::ValueSharding ModulePartition::sharding(hlo::ComputationId computation, hlo::InstructionId id) const {
  const hlo::Shape& shape = module_.computations[std::size_t(computation)][id].shape;
  const std::vector<mesh::ValueSharding>& values = shardings_.values.at(std::size_t(computation));
  if (std::size_t(id) < values.size() && values[std::size_t(id)].size() == mesh::leaf_shapes(shape).size()) {
    return values[std::size_t(id)];
  }
  return mesh::replicated(shape);
}

hlo::Module ModulePartition::entry() {
  const hlo::Computation& computation = module_.entry_computation();
  std::vector<mesh::ValueSharding> parameters;
  for (const hlo::InstructionId parameter : computation.parameters)
    parameters.push_back(sharding(module_.entry, parameter));
  const mesh::ValueSharding root = sharding(module_.entry, computation.root);
  build::GraphBuilder builder(module_.name);
  ComputationPartition partition(*this, module_.entry, builder);
  const hlo::InstructionId result = partition.write(parameters, root);
  const hlo::Shape& shape = computation[computation.root].shape;
  builder.annotate(result, mesh::to_hlo(mesh_, shape, root));
  hlo::Module local = std::move(builder).build(result);
  local.computations[std::size_t(local.entry)].name = computation.name;
  return local;
}

const hlo::Module& ModulePartition::body(hlo::ComputationId id, const std::vector<mesh::ValueSharding>& parameters,
                                         const mesh::ValueSharding& root) {
  std::vector<std::unique_ptr<Body>>& written = bodies_[id];
  for (const std::unique_ptr<Body>& body : written) {
    if (body->parameters == parameters && body->root == root) return body->module;
  }
  const std::string& name = module_.computations[std::size_t(id)].name;
  build::GraphBuilder builder(name);
  ComputationPartition partition(*this, id, builder);
  const hlo::InstructionId result = partition.write(parameters, root);
  written.push_back(std::make_unique<Body>(Body{parameters, root, std::move(builder).build(result)}));
  hlo::Module& local = written.back()->module;
  local.computations[std::size_t(local.entry)].name = name;
  return local;
}

namespace {

/// True if the array of the entry's result still has the shape of the parameter that it replaces.
bool fits(const hlo::Module& module, const hlo::Donation& donation) {
  const hlo::Computation& entry = module.entry_computation();
  const hlo::Shape& result = entry[entry.root].shape;
  const hlo::Shape& parameter = entry[entry.parameters[std::size_t(donation.parameter)]].shape;
  const hlo::Shape& from = parameter.is_tuple() ? parameter.tuple_shapes[std::size_t(donation.element)] : parameter;
  const hlo::Shape& to = result.is_tuple() ? result.tuple_shapes[std::size_t(donation.output)] : result;
  return from.compatible(to);
}

}  // namespace

hlo::Module partition(const hlo::Module& module, const mesh::Mesh& mesh, const propagate::ModuleShardings& shardings,
                      const partition::PartitionOptions& options) {
  if (module.scheduled) {
    throw base::InputError(
        fmt::format("{} says is_scheduled=true: a compiled program is one core's already", module.name),
        "it runs as it is; what can be cut is the text before it was compiled");
  }
  ModulePartition partition(module, mesh, shardings, options);
  hlo::Module local = partition.entry();
  local.partitions = mesh.partitions();
  local.replicas = partition.has_manual_values() ? 1 : module.replicas;
  std::ranges::copy_if(module.donations, std::back_inserter(local.donations),
                       [&](const hlo::Donation& donation) { return fits(local, donation); });
  local.buffer_donors = module.buffer_donors;  // parameters keep their numbers
  reshard::number_channels(local);
  return local;
}

}  // namespace podsim::hlo::spmd::partition
