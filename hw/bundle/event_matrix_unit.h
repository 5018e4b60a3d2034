// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hw/bundle/matrix_unit.h"
#include "hw/bundle/matrix_unit_timing.h"
#include "hw/bundle/matrix_unit_trace.h"
#include "hw/bundle/push_order.h"
#include "hw/bundle/systolic_product.h"

namespace podsim::hw {

/// The fast view of a matrix unit: whole registers. A push costs a few comparisons; with data, an LHS register is
/// multiplied when it is pushed, since the order of the pushes alone decides with which weights.
class EventMatrixUnit : public MatrixUnit {
 public:
  EventMatrixUnit(sc_core::sc_module_name name, const ArrayParameters& array, const CoreTime& time, const Trace& trace);

  Readiness ready_to_push(isa::Opcode opcode, base::Cycles now) override;
  void push(isa::Opcode opcode, base::Cycles now, const VectorRegister* x, std::int32_t amount,
            const VectorRegister* index) override;
  Readiness ready_to_pop(base::Cycles now) override;
  void pop(base::Cycles now, VectorRegister* result) override;
  void show_until(base::Cycles now) override;
  base::Cycles busy(base::Cycles now) override { return timing_.busy(now); }

 private:
  /// What the unit holds in runs with data.
  struct Data {
    explicit Data(const ArrayParameters& array) : results(array.result_fifo + array.operand_fifo) {}
    std::array<WeightTile, 2> tiles;
    int active = 0;  ///< the tile in use; the other one is being pushed
    OperandRegister operand;
    Ring<VectorRegister> results;  ///< by the number of the LHS register
  };
  void tell_starts();
  void compute(isa::Opcode opcode, int weight_register, const VectorRegister* x);

  ArrayParameters array_;
  MatrixUnitTiming timing_;
  PushOrder order_;
  std::unique_ptr<Data> data_;                    ///< from the first push with data on
  std::int64_t lhs_registers_ = 0, results_ = 0;  ///< computed, popped
  std::unique_ptr<MatrixUnitTrace> trace_;
  std::int64_t lhs_told_ = 0, weights_told_ = 0;  ///< starts that the trace knows
};

}  // namespace podsim::hw
