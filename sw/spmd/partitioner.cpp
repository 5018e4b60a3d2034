// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/partitioner.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/diagnostic.h"
#include "sw/spmd/computation_partition.h"

namespace podsim::sw {

ModulePartition::ModulePartition(const Module& module, const Mesh& mesh, const ModuleShardings& shardings,
                                 const PartitionOptions& options)
    : module_(module), mesh_(mesh), shardings_(shardings), options_(options) {
  for (const std::vector<ValueSharding>& computation : shardings.values) {
    for (const ValueSharding& value : computation) {
      has_manual_values_ = has_manual_values_ || std::ranges::any_of(value, &AxisSharding::manual);
    }
  }
}

ValueSharding ModulePartition::sharding(ComputationId computation, InstructionId id) const {
  const Shape& shape = module_.computations[std::size_t(computation)][id].shape;
  const std::vector<ValueSharding>& values = shardings_.values.at(std::size_t(computation));
  if (std::size_t(id) < values.size() && values[std::size_t(id)].size() == leaf_shapes(shape).size()) {
    return values[std::size_t(id)];
  }
  return replicated(shape);
}

Module ModulePartition::entry() {
  const Computation& computation = module_.entry_computation();
  std::vector<ValueSharding> parameters;
  for (const InstructionId parameter : computation.parameters) parameters.push_back(sharding(module_.entry, parameter));
  const ValueSharding root = sharding(module_.entry, computation.root);
  GraphBuilder builder(module_.name);
  ComputationPartition partition(*this, module_.entry, builder);
  const InstructionId result = partition.write(parameters, root);
  const Shape& shape = computation[computation.root].shape;
  builder.annotate(result, to_hlo(mesh_, shape, root));
  Module local = std::move(builder).build(result);
  local.computations[std::size_t(local.entry)].name = computation.name;
  return local;
}

const Module& ModulePartition::body(ComputationId id, const std::vector<ValueSharding>& parameters,
                                    const ValueSharding& root) {
  std::vector<std::unique_ptr<Body>>& written = bodies_[id];
  for (const std::unique_ptr<Body>& body : written) {
    if (body->parameters == parameters && body->root == root) return body->module;
  }
  const std::string& name = module_.computations[std::size_t(id)].name;
  GraphBuilder builder(name);
  ComputationPartition partition(*this, id, builder);
  const InstructionId result = partition.write(parameters, root);
  written.push_back(std::make_unique<Body>(Body{parameters, root, std::move(builder).build(result)}));
  Module& local = written.back()->module;
  local.computations[std::size_t(local.entry)].name = name;
  return local;
}

namespace {

/// Whether an array of the entry's result still fits into that of the parameter which it replaces.
bool fits(const Module& module, const Donation& donation) {
  const Computation& entry = module.entry_computation();
  const Shape& result = entry[entry.root].shape;
  const Shape& parameter = entry[entry.parameters[std::size_t(donation.parameter)]].shape;
  const Shape& from = parameter.is_tuple() ? parameter.tuple_shapes[std::size_t(donation.element)] : parameter;
  const Shape& to = result.is_tuple() ? result.tuple_shapes[std::size_t(donation.output)] : result;
  return from.compatible(to);
}

}  // namespace

Module partition(const Module& module, const Mesh& mesh, const ModuleShardings& shardings,
                 const PartitionOptions& options) {
  if (module.scheduled) {
    throw base::InputError(
        fmt::format("{} says is_scheduled=true: a compiled program is one core's already", module.name),
        "it runs as it is; what can be cut is the text before it was compiled");
  }
  ModulePartition partition(module, mesh, shardings, options);
  Module local = partition.entry();
  local.partitions = mesh.partitions();
  local.replicas = partition.has_manual_values() ? 1 : module.replicas;
  std::ranges::copy_if(module.donations, std::back_inserter(local.donations),
                       [&](const Donation& donation) { return fits(local, donation); });
  number_channels(local);
  return local;
}

}  // namespace podsim::sw
