// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/surroundings.h"

#include "sw/ir/shape.h"

namespace podsim::sw::collectives::engine {

Surroundings::Surroundings(const hw::Machine& machine, const noc::FoldedTopology& topology)
    : machine_(machine),
      topology_(topology),
      cores_per_chip_(int(machine.cores_per_chip)),
      flag_latency_(base::to_time(machine.ici.end_latency())) {}

hw::VectorWork Surroundings::addition(std::int64_t elements, ir::ElementType type, std::int64_t operands) const {
  std::int64_t lanes = machine_.vector.lanes * machine_.vector.sublanes;
  std::int64_t words = base::divide_round_up(elements * ir::byte_width(type), lanes * 4);
  return {
      .loads = words * operands, .stores = words, .alu_ops = (operands - 1) * base::divide_round_up(elements, lanes)};
}

}  // namespace podsim::sw::collectives::engine
