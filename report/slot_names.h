// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/isa/bundle.h"

namespace podsim::report {

/// Name of a slot in reports.
constexpr const char* slot_name(hw::isa::Slot slot) {
  constexpr const char* names[] = {"scalar0", "scalar1", "vector0", "vector1", "load", "store", "push", "pop", "misc"};
  return names[int(slot)];
}

}  // namespace podsim::report
