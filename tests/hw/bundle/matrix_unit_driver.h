// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <memory>

#include "hw/bundle/matrix/matrix_unit.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::bundle {

/// TPU v3, whose cycle is a nanosecond here, with other FIFOs and skews.
struct MatrixUnitMachine {
  int operand_fifo = 4, result_fifo = 32, skew = 7, weight_rows = 1;
  Machine machine() const {
    base::Config config = machine_file("tpu-v3");
    config.set("core.clock=1 GHz");
    config.set(fmt::format("mxu.operand_fifo_registers={}", operand_fifo));
    config.set(fmt::format("mxu.result_fifo_registers={}", result_fifo));
    config.set(fmt::format("mxu.result_skew_cycles={}", skew));
    config.set(fmt::format("mxu.weight_rows_per_cycle={}", weight_rows));
    return read_machine(config);
  }
};

/// A matrix unit, and a core that does one thing to it per cycle, as early as it can.
class MatrixUnitDriver {
 public:
  explicit MatrixUnitDriver(matrix::MatrixUnitView view, const MatrixUnitMachine& parameters = {},
                            const Trace& trace = {})
      : machine_(parameters.machine()),
        time_(machine_.clock),
        unit_(matrix::make_matrix_unit(view, sc_core::sc_gen_unique_name("mxu"), machine_, time_, trace)) {}

  matrix::MatrixUnit& unit() { return *unit_; }
  /// The first cycle that has nothing yet.
  std::int64_t now() const { return now_; }
  void wait_until(std::int64_t cycle) { now_ = cycle; }

  /// The cycle of the push.
  std::int64_t push(isa::Opcode opcode, const vector::VectorRegister* x = nullptr) {
    const std::int64_t cycle = cycle_of(unit_->ready_to_push(opcode, base::Cycles(now_)));
    unit_->push(opcode, base::Cycles(cycle), x, 0, nullptr);
    now_ = cycle + 1;
    return cycle;
  }
  std::int64_t pop(vector::VectorRegister* result = nullptr) {
    const std::int64_t cycle = cycle_of(unit_->ready_to_pop(base::Cycles(now_)));
    unit_->pop(base::Cycles(cycle), result);
    now_ = cycle + 1;
    return cycle;
  }
  void push_tile(isa::Opcode weights = isa::Opcode::mxu_weights) {
    for (int i = 0; i < 16; ++i) push(weights);
  }
  results::Readiness ready_to_push(isa::Opcode opcode) { return unit_->ready_to_push(opcode, base::Cycles(now_)); }
  results::Readiness ready_to_pop() { return unit_->ready_to_pop(base::Cycles(now_)); }
  std::int64_t busy(std::int64_t cycle) { return unit_->busy(base::Cycles(cycle)).value(); }

 private:
  static std::int64_t cycle_of(const results::Readiness& ready) {
    EXPECT_EQ(ready.kind, results::Readiness::Kind::at) << ready.why;
    return ready.cycle.value();
  }

  Machine machine_;
  CoreTime time_;
  std::unique_ptr<matrix::MatrixUnit> unit_;
  std::int64_t now_ = 0;
};

}  // namespace podsim::hw::bundle
