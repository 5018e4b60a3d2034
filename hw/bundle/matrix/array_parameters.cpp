// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/matrix/array_parameters.h"

#include "hw/isa/fixed_sizes.h"

namespace podsim::hw::bundle::matrix {

ArrayParameters array_parameters(const Machine& machine) {
  const parts::mxu::Parameters& mxu = machine.mxu;
  isa::require_fixed_sizes(machine);
  return {mxu.operand_fifo, mxu.result_fifo, mxu.first_result_latency(), mxu.weight_load() / tile_registers};
}

}  // namespace podsim::hw::bundle::matrix
