// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "hw/parts/mxu/mxu_events.h"
#include "hw/parts/mxu/mxu_timing.h"
#include "hw/parts/unit_list.h"

namespace podsim::hw::parts::mxu {

/// The matrix units of a core: weight-stationary systolic arrays.
struct Unit {
  using Parameters = mxu::Parameters;
  using Work = mxu::Work;
  using Events = mxu::Events;
  using Timing = MxuTiming;
  struct InMachine {
    Parameters mxu;
  };

  static constexpr UnitNames names{.name = "mxu",
                                   .title = "matrix unit",
                                   .bound = "MXU",
                                   .busy = "of all matrix units together, weight load and drain included",
                                   .timeline = "matrix",
                                   .color = base::trace::GtkwColor::orange,
                                   .numbered = true};
  /// States while it works, in order.
  static constexpr std::array states{"load weights", "stream", "drain"};

  template <class Machine>
  static Timing timing(const Machine& machine) {
    return {machine.mxu, machine.vector, machine.tile_level.matrix_phase};
  }
  template <class Machine>
  static Events events(const Machine& machine, const Work& work) {
    if (work.weight_tiles <= 0 || work.rows <= 0) return {};
    const std::int64_t cells = machine.mxu.size * machine.mxu.size;
    const std::int64_t rows =
        base::divide_round_up(base::round_up(work.rows, machine.vector.sublanes), machine.mxu.products(work.product));
    return {.multiply_accumulates = work.weight_tiles * work.rows * cells,
            .cell_cycles = work.weight_tiles * rows * cells,
            .weight_tiles = work.weight_tiles,
            .operand_registers = work.weight_tiles * timing(machine).registers(work)};
  }
  static VmemRegisters vmem(const Events& events) { return {.read = events.operand_registers}; }
  static std::int64_t count(const InMachine& machine) { return machine.mxu.count; }
  template <class AnyMachine>
  static auto& parameters(AnyMachine& machine) {
    return machine.mxu;
  }
};

}  // namespace podsim::hw::parts::mxu
