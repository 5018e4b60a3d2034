// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/matrix/array_parameters.h"

#include <fmt/format.h>

#include "base/diagnostic.h"

namespace podsim::hw::bundle::matrix {

ArrayParameters array_parameters(const Machine& machine) {
  const MxuParameters& mxu = machine.mxu;
  if (mxu.size != vector::lanes) {
    throw base::InputError(
        fmt::format("bundles run on matrix units of {0} x {0} only, and 'mxu.size' is {1}", vector::lanes, mxu.size),
        "the tile level takes any size");
  }
  const base::Cycles interval = mxu.weight_load / tile_registers;
  if (interval * tile_registers != mxu.weight_load || vector::sublanes % interval.value() != 0) {
    throw base::InputError(
        fmt::format("bundles run on matrix units that take 1, 2, 4 or 8 rows of weights per cycle; the machine's need "
                    "{} for a tile",
                    base::to_string(mxu.weight_load)),
        "the tile level takes any 'mxu.weight_rows_per_cycle'");
  }
  return {mxu.operand_fifo, mxu.result_fifo, mxu.first_result_latency, interval};
}

}  // namespace podsim::hw::bundle::matrix
