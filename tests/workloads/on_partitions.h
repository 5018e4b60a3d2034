// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/spmd/partition/partitioner.h"

namespace podsim::workloads::testing {

/// The results of an annotated program that is partitioned, compiled by `compile` and evaluated on all partitions; the
/// shards are joined. Padding in the shards of arguments is filled with a large number. A result that is not a tuple
/// gives one element.
inline std::vector<hlo::Literal> on_partitions(
    const hlo::Module& module, const hlo::spmd::mesh::Mesh& mesh, const std::vector<hlo::Literal>& arguments,
    const std::function<hlo::Module(hlo::Module)>& compile = [](hlo::Module local) { return local; }) {
  const hlo::spmd::propagate::ModuleShardings shardings = hlo::spmd::propagate::propagate(module, mesh);
  const std::vector<hlo::spmd::mesh::ValueSharding>& of = shardings.values[std::size_t(module.entry)];
  const hlo::Module local = compile(hlo::spmd::partition::partition(module, mesh, shardings));
  hlo::build::verify(local);
  const hlo::Computation& entry = module.entry_computation();
  std::vector<std::vector<hlo::Literal>> shards(std::size_t(mesh.partitions()));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::vector<hlo::Literal> parts =
        hlo::spmd::partition::split_into_shards(mesh, arguments[i], of[std::size_t(entry.parameters[i])], 1e6);
    for (std::size_t p = 0; p < parts.size(); ++p) shards[p].push_back(parts[p]);
  }
  const std::vector<hlo::Literal> results = hlo::eval::evaluate_partitions(local, shards);
  const hlo::Literal whole =
      hlo::spmd::partition::join(mesh, entry[entry.root].shape, results, of[std::size_t(entry.root)]);
  return whole.shape.is_tuple() ? whole.elements : std::vector{whole};
}

}  // namespace podsim::workloads::testing
