// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/parts/mxu/mxu_parameters.h"

namespace podsim::validation::profile {

/// Rows and columns of the matrix units that profiles were measured on, TPU v2 and v3. What a fusion contains follows
/// from the chip that it was compiled for, whatever machine it is modelled on.
inline constexpr std::int64_t measured_array_side = 128;

inline hw::parts::mxu::Parameters measured_array() {
  hw::parts::mxu::Parameters array;
  array.count = 2;
  array.size = measured_array_side;
  array.weight_rows = 1;
  return array;
}

}  // namespace podsim::validation::profile
