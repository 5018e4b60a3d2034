// SPDX-License-Identifier: Apache-2.0
#include "workloads/scalesim/scalesim_cycles.h"

namespace podsim::workloads::scalesim {

std::int64_t weight_folds(const SystolicArray& array, const MatrixProduct& product) {
  return base::divide_round_up(product.k, array.rows) * base::divide_round_up(product.n, array.columns);
}

base::Cycles scalesim_cycles(const SystolicArray& array, const MatrixProduct& product) {
  const std::int64_t fold = 2 * array.rows + array.columns + product.m - 2;
  return base::Cycles(weight_folds(array, product) * fold - 1);
}

}  // namespace podsim::workloads::scalesim
