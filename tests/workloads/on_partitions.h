// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "sw/graph/evaluator.h"
#include "sw/spmd/partitioner.h"

namespace podsim::workloads::testing {

/// The results of an annotated program after it was cut and its program of a core compiled, put together; what lies
/// beyond arrays is filled with a large number. One of a result that is no tuple.
inline std::vector<sw::Literal> on_partitions(
    const sw::Module& module, const sw::Mesh& mesh, const std::vector<sw::Literal>& arguments,
    const std::function<sw::Module(sw::Module)>& compile = [](sw::Module local) { return local; }) {
  const sw::ModuleShardings shardings = propagate(module, mesh);
  const std::vector<sw::ValueSharding>& of = shardings.values[std::size_t(module.entry)];
  const sw::Module local = compile(partition(module, mesh, shardings));
  sw::verify(local);
  const sw::Computation& entry = module.entry_computation();
  std::vector<std::vector<sw::Literal>> shards(std::size_t(mesh.partitions()));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::vector<sw::Literal> parts = cut(mesh, arguments[i], of[std::size_t(entry.parameters[i])], 1e6);
    for (std::size_t p = 0; p < parts.size(); ++p) shards[p].push_back(parts[p]);
  }
  const std::vector<sw::Literal> results = evaluate_partitions(local, shards);
  const sw::Literal whole = join(mesh, entry[entry.root].shape, results, of[std::size_t(entry.root)]);
  return whole.shape.is_tuple() ? whole.elements : std::vector{whole};
}

}  // namespace podsim::workloads::testing
