// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/overruled.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "hlo/spmd/propagate/array_table.h"

namespace podsim::hlo::spmd::propagate {

std::vector<UnplacedValue> overruled_annotations(const hlo::Module& module, const mesh::Mesh& mesh) {
  const ArrayTable table(module);
  std::map<ArrayId, ArrayId> last;  // the annotated array that counts, by representative
  for (ArrayId array = 0; array < table.size(); ++array) {
    if (table.annotation(array) != nullptr) last[table.representative(array)] = array;
  }
  std::vector<UnplacedValue> overruled;
  const auto instruction = [&](ArrayId array) -> const hlo::Instruction& {
    const ArrayTable::Location& at = table.location(array);
    return module.computations[std::size_t(at.computation)][at.id];
  };
  for (ArrayId array = 0; array < table.size(); ++array) {
    const hlo::Sharding* own = table.annotation(array);
    if (own == nullptr) continue;
    const ArrayId winner = last.at(table.representative(array));
    const hlo::Sharding& other = *table.annotation(winner);
    const int rank = table.location(array).shape->rank();
    if (winner == array || *own == other || mesh::from_hlo(mesh, *own, rank) == mesh::from_hlo(mesh, other, rank)) {
      continue;
    }
    overruled.push_back(
        {instruction(array).name, fmt::format("the sharding {} is not used: '{}' has the same value, and {}",
                                              hlo::to_string(*own), instruction(winner).name, hlo::to_string(other))});
  }
  return overruled;
}

}  // namespace podsim::hlo::spmd::propagate
