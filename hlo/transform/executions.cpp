// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/executions.h"

#include <algorithm>

namespace podsim::hlo::transform {

std::vector<double> executions(const Module& module) {
  const std::vector<bool> executed = executed_computations(module);
  std::vector<double> times(module.computations.size(), 0);
  times[std::size_t(module.entry)] = 1;
  for (std::size_t c = module.computations.size(); c-- > 0;) {  // a computation comes after those that it calls
    for (const Instruction& instruction : module.computations[c].instructions) {
      const bool loops = instruction.opcode == Opcode::while_loop;
      const double trips = loops ? double(std::max<std::int64_t>(1, instruction.trip_count)) : 1;
      for (const ComputationId called : instruction.called) {
        if (executed[std::size_t(called)]) times[std::size_t(called)] += times[c] * trips;
      }
    }
  }
  return times;
}

}  // namespace podsim::hlo::transform
