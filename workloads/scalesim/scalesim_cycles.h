// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/units.h"
#include "workloads/scalesim/scalesim_topology.h"

namespace podsim::workloads::scalesim {

/// Size of a systolic array in processing elements.
struct SystolicArray {
  std::int64_t rows = 0, columns = 0;
  std::int64_t elements() const { return rows * columns; }
};

/// Number of blocks of the [k, n] weights that fill the array one after another: ceil(k / rows) * ceil(n / columns).
std::int64_t weight_folds(const SystolicArray& array, const MatrixProduct& product);

/// Compute cycles of a product as SCALE-Sim counts them for a weight-stationary array:
///
///   folds * (2 * rows + columns + m - 2) - 1
///
/// In every fold the weights enter row by row (rows), the first row of the left operand reaches the last row of the
/// array (rows - 1), m rows pass (m), and the last one crosses the columns (columns - 1). Folds do not overlap, and a
/// block that fills only part of the array takes as long as a full one. The tool reports the number of the last cycle,
/// counted from zero, hence the -1. Memory never stalls the array. Source: Samajdar et al., "A Systematic
/// Methodology for Characterizing Scalability of DNN Accelerators using SCALE-Sim", ISPASS 2020, the runtime of a
/// scaled-up array with S_R = k, S_C = n, T = m.
base::Cycles scalesim_cycles(const SystolicArray& array, const MatrixProduct& product);

}  // namespace podsim::workloads::scalesim
