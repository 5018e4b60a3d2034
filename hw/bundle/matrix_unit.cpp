// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/matrix_unit.h"

#include "hw/bundle/event_matrix_unit.h"

namespace podsim::hw {

std::unique_ptr<MatrixUnit> make_matrix_unit(MatrixUnitView, sc_core::sc_module_name name, const Machine& machine,
                                             const CoreTime&, const Trace&) {
  return std::make_unique<EventMatrixUnit>(name, array_parameters(machine));
}

}  // namespace podsim::hw
