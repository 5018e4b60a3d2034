// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/op_records.h"

#include <algorithm>
#include <utility>

#include "hw/timing/chip_cycles.h"

namespace podsim::sw::runtime {
namespace {

TargetMachine slow_machine(const TargetMachine& healthy, const noc::ChipSpeed& speed) {
  TargetMachine slow = healthy;
  static_cast<hw::Machine&>(slow) = hw::timing::in_cycles_of(healthy, speed);
  return slow;
}

}  // namespace

OpRecords::Slow::Slow(const TargetMachine& healthy, const noc::ChipSpeed& speed, compiler::OpCache* cache,
                      std::size_t ops)
    : machine(slow_machine(healthy, speed)), costs(machine, cache), known(ops) {}

OpRecords::OpRecords(const compiler::Program& program, const TargetMachine& machine, compiler::OpCache* cache,
                     noc::Faults faults)
    : program_(program),
      machine_(machine),
      cache_(cache),
      faults_(std::move(faults)),
      costs_(machine, cache),
      known_(program.ops.size()) {}

const hw::OpResult& OpRecords::of(int op) {
  std::optional<hw::OpResult>& known = known_[std::size_t(op)];
  if (!known) known = costs_.simulate(program_.ops[std::size_t(op)].tiles);
  return *known;
}

const hw::OpResult& OpRecords::of(int op, noc::NodeId chip) {
  const noc::ChipSpeed speed = faults_.chip_speed(chip);
  if (speed.clock == speed.hbm) return of(op);
  std::unique_ptr<Slow>& slow = slow_[{speed.clock, speed.hbm}];
  if (slow == nullptr) slow = std::make_unique<Slow>(machine_, speed, cache_, program_.ops.size());
  std::optional<hw::OpResult>& known = slow->known[std::size_t(op)];
  if (known) return *known;
  known = slow->costs.simulate(program_.ops[std::size_t(op)].tiles);
  const base::Cycles least = hw::timing::in_slow_cycles(of(op).cycles, speed.clock);
  const base::Cycles missing = std::max(base::Cycles(0), least - known->cycles);
  known->read_wait += missing;
  known->cycles += missing;
  return *known;
}

}  // namespace podsim::sw::runtime
