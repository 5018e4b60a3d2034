// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hw/bundle/matrix/array_control.h"
#include "hw/bundle/matrix/array_data.h"
#include "hw/bundle/matrix/matrix_unit.h"
#include "hw/bundle/matrix/matrix_unit_trace.h"
#include "hw/bundle/matrix/push_order.h"
#include "hw/bundle/matrix/row_trace.h"

namespace podsim::hw::bundle::matrix {

/// The detailed view of a matrix unit: every row of the array with its registers, clocked in every cycle in which
/// something moves, up to the cycle of the latest call.
class RowMatrixUnit : public MatrixUnit {
 public:
  RowMatrixUnit(sc_core::sc_module_name name, const ArrayParameters& array, const CoreTime& time, const Trace& trace);

  results::Readiness ready_to_push(isa::Opcode opcode, base::Cycles now) override;
  void push(isa::Opcode opcode, base::Cycles now, const vector::VectorRegister* x, std::int32_t amount,
            const vector::VectorRegister* index) override;
  results::Readiness ready_to_pop(base::Cycles now) override;
  void pop(base::Cycles now, vector::VectorRegister* result) override;
  void show_until(base::Cycles now) override;
  base::Cycles busy(base::Cycles now) override;

 private:
  void advance(base::Cycles now);
  void step();

  ArrayParameters array_;
  ArrayControl control_;
  base::Cycles cycle_{-1};  ///< the last cycle that was stepped through
  base::Cycles shown_{-1};  ///< the last cycle in the trace
  bool still_ = false;      ///< nothing moves until the next push or pop
  PushOrder order_;
  std::int64_t in_flight_ = 0;       ///< LHS registers pushed whose results have not been popped
  std::unique_ptr<ArrayData> data_;  ///< made by the first push with data
  std::unique_ptr<MatrixUnitTrace> trace_;
  std::unique_ptr<RowTrace> row_trace_;
};

}  // namespace podsim::hw::bundle::matrix
