// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/schedule/addition.h"

#include "hlo/shape.h"

namespace podsim::sw::collectives::schedule {

hw::VectorWork addition(const hw::Machine& machine, std::int64_t elements, hlo::ElementType type,
                        std::int64_t operands) {
  const std::int64_t words =
      base::divide_round_up(elements * hlo::byte_width(type), machine.vector.register_bytes().value());
  const bool packs =
      machine.vector.types == hw::parts::vector::LaneTypes::words_and_bf16 && type == hlo::ElementType::bf16;
  const std::int64_t added = base::divide_round_up(elements, machine.vector.register_elements() * (packs ? 2 : 1));
  return {.loads = words * operands, .stores = words, .alu_ops = (operands - 1) * added};
}

}  // namespace podsim::sw::collectives::schedule
