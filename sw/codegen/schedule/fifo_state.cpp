// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/schedule/fifo_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostic.h"
#include "hw/isa/fixed_sizes.h"

namespace podsim::sw::codegen::schedule {

using hw::isa::Opcode;

namespace {
/// Number of result registers of a transpose.
constexpr int transposed_registers = hw::isa::register_lanes / hw::isa::register_sublanes;

/// The machine's key with the slots of a unit.
const char* key_of(int unit) {
  if (unit < hw::isa::max_matrix_units) return "mxu.result_fifo_registers";
  if (unit == hw::isa::cross_lane_unit) return "cross_lane.result_fifo_registers";
  return unit == hw::isa::scalar_path ? "scalar.from_vector_fifo_words" : "vector.transcendental_fifo_registers";
}
}  // namespace

int results_of(const registers::Operation& operation) {
  const int unit = registers::unit_of(operation);
  if (unit < 0) return 0;
  if (registers::is_pop(operation)) return -1;
  if (unit < hw::isa::max_matrix_units) return operation.opcode == hw::isa::Opcode::mxu_lhs ? 1 : 0;
  if (operation.opcode == hw::isa::Opcode::x_transpose) return 0;
  return operation.opcode == hw::isa::Opcode::x_transpose_end ? transposed_registers : 1;
}

int result_slots(const hw::Machine& machine, int unit) {
  if (unit < hw::isa::max_matrix_units) return int(machine.mxu.result_fifo);
  if (unit == hw::isa::cross_lane_unit) return int(machine.cross_lane.result_fifo);
  return int(unit == hw::isa::scalar_path ? machine.scalar.from_vector_fifo : machine.vector.transcendental_fifo);
}

int push_interval(const hw::Machine& machine, int unit) {
  if (unit == hw::isa::cross_lane_unit) return int(machine.cross_lane.interval.value());
  return unit == hw::isa::scalar_path ? 1 : int(machine.vector.transcendental_interval.value());
}

int push_to_pop(const hw::Machine& machine, int unit) {
  if (unit == hw::isa::cross_lane_unit) return int(machine.cross_lane.latency.value());
  return int((unit == hw::isa::scalar_path ? machine.scalar.from_vector_latency : machine.vector.transcendental_latency)
                 .value());
}

void check_results_fit(const hw::Machine& machine, const FifoState& before,
                       const std::vector<registers::Operation>& operations) {
  std::array<int, hw::isa::result_units> now = before.waiting, most = now;
  for (const registers::Operation& operation : operations) {
    const int unit = registers::unit_of(operation);
    if (unit < 0 || before.unknown[std::size_t(unit)]) continue;
    now[std::size_t(unit)] += results_of(operation);
    most[std::size_t(unit)] = std::max(most[std::size_t(unit)], now[std::size_t(unit)]);
  }
  for (int unit = 0; unit < hw::isa::result_units; ++unit) {
    const int slots = result_slots(machine, unit);
    if (most[std::size_t(unit)] <= slots) continue;
    throw base::InputError(fmt::format("'{}' is {}, and the kernel has {} results in flight at a time", key_of(unit),
                                       slots, most[std::size_t(unit)]),
                           fmt::format("at least {} for this kernel", most[std::size_t(unit)]));
  }
}

}  // namespace podsim::sw::codegen::schedule
