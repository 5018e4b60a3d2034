// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/matrix/matrix_unit.h"

#include "hw/bundle/matrix/event_matrix_unit.h"
#include "hw/bundle/matrix/row_matrix_unit.h"

namespace podsim::hw::bundle::matrix {

std::unique_ptr<MatrixUnit> make_matrix_unit(MatrixUnitView view, sc_core::sc_module_name name, const Machine& machine,
                                             const CoreTime& time, const Trace& trace) {
  const ArrayParameters array = array_parameters(machine);
  if (view == MatrixUnitView::event) return std::make_unique<EventMatrixUnit>(name, array, time, trace);
  return std::make_unique<RowMatrixUnit>(name, array, time, trace);
}

}  // namespace podsim::hw::bundle::matrix
