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
    const std::int64_t products = work.weight_tiles * work.rows * cells;
    return {.multiply_accumulates = products,
            .cell_cycles = work.weight_tiles * rows * cells,
            .weight_tiles = work.weight_tiles,
            .operand_registers = work.weight_tiles * timing(machine).registers(work),
            .s8_products = work.product == Product::s8 ? products : 0,
            .f8_products = work.product == Product::f8 ? products : 0};
  }
  template <class Machine>
  static double joules(const Machine& machine, const Events& events) {
    const std::int64_t bf16 = events.multiply_accumulates - events.s8_products - events.f8_products;
    return machine.energy.unit_overhead *
           (double(bf16) * machine.energy.mxu_bf16 + double(events.s8_products) * machine.energy.mxu_s8 +
            double(events.f8_products) * machine.energy.mxu_f8);
  }
  /// Area of the units of a core, mm2.
  template <class Machine>
  static double area(const Machine& machine) {
    return double(machine.mxu.count * machine.mxu.size * machine.mxu.size) * machine.area.mxu_cell;
  }
  static VmemRegisters vmem(const Events& events) { return {.read = events.operand_registers}; }
  static std::int64_t count(const InMachine& machine) { return machine.mxu.count; }
  template <class AnyMachine>
  static auto& parameters(AnyMachine& machine) {
    return machine.mxu;
  }
};

}  // namespace podsim::hw::parts::mxu
