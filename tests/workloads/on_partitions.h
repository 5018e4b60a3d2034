// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "sw/ir/build/verify.h"
#include "sw/ir/eval/evaluator.h"
#include "sw/spmd/partition/partitioner.h"

namespace podsim::workloads::testing {

/// The results of an annotated program that is partitioned, compiled by `compile` and evaluated on all partitions; the
/// shards are joined. Padding in the shards of arguments is filled with a large number. A result that is not a tuple
/// gives one element.
inline std::vector<sw::ir::Literal> on_partitions(
    const sw::ir::Module& module, const sw::spmd::mesh::Mesh& mesh, const std::vector<sw::ir::Literal>& arguments,
    const std::function<sw::ir::Module(sw::ir::Module)>& compile = [](sw::ir::Module local) { return local; }) {
  const sw::spmd::propagate::ModuleShardings shardings = sw::spmd::propagate::propagate(module, mesh);
  const std::vector<sw::spmd::mesh::ValueSharding>& of = shardings.values[std::size_t(module.entry)];
  const sw::ir::Module local = compile(sw::spmd::partition::partition(module, mesh, shardings));
  sw::ir::build::verify(local);
  const sw::ir::Computation& entry = module.entry_computation();
  std::vector<std::vector<sw::ir::Literal>> shards(std::size_t(mesh.partitions()));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::vector<sw::ir::Literal> parts =
        sw::spmd::partition::split_into_shards(mesh, arguments[i], of[std::size_t(entry.parameters[i])], 1e6);
    for (std::size_t p = 0; p < parts.size(); ++p) shards[p].push_back(parts[p]);
  }
  const std::vector<sw::ir::Literal> results = sw::ir::eval::evaluate_partitions(local, shards);
  const sw::ir::Literal whole =
      sw::spmd::partition::join(mesh, entry[entry.root].shape, results, of[std::size_t(entry.root)]);
  return whole.shape.is_tuple() ? whole.elements : std::vector{whole};
}

}  // namespace podsim::workloads::testing
