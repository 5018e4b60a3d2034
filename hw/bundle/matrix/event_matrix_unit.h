// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hw/bundle/matrix/matrix_unit.h"
#include "hw/bundle/matrix/matrix_unit_timing.h"
#include "hw/bundle/matrix/matrix_unit_trace.h"
#include "hw/bundle/matrix/push_order.h"
#include "hw/bundle/matrix/systolic_product.h"

namespace podsim::hw::bundle::matrix {

/// The fast view of a matrix unit, by whole registers. A push costs a few comparisons. In runs with data, an LHS
/// register is multiplied when it is pushed: the weights that it meets depend only on the order of the pushes.
class EventMatrixUnit : public MatrixUnit {
 public:
  EventMatrixUnit(sc_core::sc_module_name name, const ArrayParameters& array, const CoreTime& time, const Trace& trace);

  results::Readiness ready_to_push(isa::Opcode opcode, base::Cycles now) override;
  void push(isa::Opcode opcode, base::Cycles now, const vector::VectorRegister* x, std::int32_t amount,
            const vector::VectorRegister* index) override;
  results::Readiness ready_to_pop(base::Cycles now) override;
  void pop(base::Cycles now, vector::VectorRegister* result) override;
  void show_until(base::Cycles now) override;
  base::Cycles busy(base::Cycles now) override { return timing_.busy(now); }

 private:
  /// Contents of the unit in runs with data.
  struct Data {
    explicit Data(const ArrayParameters& array) : results(array.result_fifo + array.operand_fifo) {}
    std::array<WeightTile, 2> tiles;
    int active = 0;  ///< index of the tile in use; pushes fill the other one
    OperandRegister operand;
    results::Ring<vector::VectorRegister> results;  ///< by number of the LHS register
  };
  void tell_starts();
  void compute(isa::Opcode opcode, int weight_register, const vector::VectorRegister* x);

  ArrayParameters array_;
  MatrixUnitTiming timing_;
  PushOrder order_;
  std::unique_ptr<Data> data_;                    ///< made by the first push with data
  std::int64_t lhs_registers_ = 0, results_ = 0;  ///< number of results computed, and popped
  std::unique_ptr<MatrixUnitTrace> trace_;
  std::int64_t lhs_told_ = 0, weights_told_ = 0;  ///< starts that the trace has been given
};

}  // namespace podsim::hw::bundle::matrix
