// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/op_partition.h"

#include <stdexcept>
#include <utility>

namespace podsim::sw {

std::vector<LocalValue> partition_op(LocalProgram& program, const OpToPartition& op) {
  using Family = std::vector<LocalValue> (*)(LocalProgram&, const OpToPartition&);
  for (const Family family : {partition_windowed_einsum, partition_windows, partition_shifted, partition_indexed,
                              partition_special, partition_by_factors}) {
    if (std::vector<LocalValue> results = family(program, op); !results.empty()) return results;
  }
  throw std::logic_error("no way to partition an op: " + op.instruction().name);
}

}  // namespace podsim::sw
