// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hw/bundle/array_control.h"
#include "hw/bundle/array_data.h"
#include "hw/bundle/matrix_unit.h"
#include "hw/bundle/matrix_unit_trace.h"
#include "hw/bundle/push_order.h"
#include "hw/bundle/row_trace.h"

namespace podsim::hw {

/// The processing-element view of a matrix unit: every row of the array with its registers, clocked in every cycle in
/// which something moves, up to the cycle of the latest call.
class RowMatrixUnit : public MatrixUnit {
 public:
  RowMatrixUnit(sc_core::sc_module_name name, const ArrayParameters& array, const CoreTime& time, const Trace& trace);

  Readiness ready_to_push(isa::Opcode opcode, base::Cycles now) override;
  void push(isa::Opcode opcode, base::Cycles now, const VectorRegister* x, std::int32_t amount,
            const VectorRegister* index) override;
  Readiness ready_to_pop(base::Cycles now) override;
  void pop(base::Cycles now, VectorRegister* result) override;
  void show_until(base::Cycles now) override;
  base::Cycles busy(base::Cycles now) override;

 private:
  void advance(base::Cycles now);
  void step();

  ArrayParameters array_;
  ArrayControl control_;
  base::Cycles cycle_{-1};  ///< the last one that was stepped through
  base::Cycles shown_{-1};  ///< the last one in the trace
  bool still_ = false;      ///< nothing moves until the next push or pop
  PushOrder order_;
  std::int64_t on_their_way_ = 0;    ///< results that LHS registers asked for and that were not popped
  std::unique_ptr<ArrayData> data_;  ///< from the first push with data on
  std::unique_ptr<MatrixUnitTrace> trace_;
  std::unique_ptr<RowTrace> row_trace_;
};

}  // namespace podsim::hw
