// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/scope_time.h"

#include "sw/compiler/op_costs.h"

namespace podsim::sw::compiler {

bool is_within(std::string_view op_name, std::string_view scope) {
  return op_name == scope || (op_name.starts_with(scope) && op_name[scope.size()] == '/');
}

base::Time time_under(const Program& program, const TargetMachine& machine, std::string_view scope, OpCache* cache) {
  OpCosts costs(machine, cache);
  base::Cycles cycles;
  for (const ProgramItem& item : program.items) {
    if (item.kind != ProgramItem::Kind::op || item.phase == hlo::AsyncPhase::done || !is_within(item.op_name, scope))
      continue;
    cycles += costs.estimate(program.ops[std::size_t(item.index)].tiles);
  }
  return machine.core_clock().time_of(cycles);
}

base::Time time_of_ops(const Program& program, const TargetMachine& machine, OpCache* cache) {
  OpCosts costs(machine, cache);
  base::Cycles cycles;
  for (std::size_t i = 0; i < program.items.size(); ++i) {
    const ProgramItem& item = program.items[i];
    if (item.kind != ProgramItem::Kind::op || item.phase == hlo::AsyncPhase::done) continue;
    cycles += costs.estimate(program.ops[std::size_t(item.index)].tiles) * program.executions(int(i));
  }
  return machine.core_clock().time_of(cycles);
}

}  // namespace podsim::sw::compiler
