// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <systemc>

#include "base/units.h"

namespace podsim::hw::core {

/// What the sequencer asks of a unit that does `Work` of a phase.
template <class Work>
class Unit : public sc_core::sc_interface {
 public:
  /// Starts work at `now` and returns the cycle in which it is done. The unit must be idle.
  virtual base::Cycles start(base::Cycles now, const Work& work, std::string_view op) = 0;
  /// Cycles during which the unit has worked so far.
  virtual base::Cycles busy() const = 0;
};

}  // namespace podsim::hw::core
