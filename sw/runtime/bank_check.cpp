// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/bank_check.h"

#include <algorithm>
#include <map>

#include "hw/memory/banks/bank_pipeline.h"

namespace podsim::sw::runtime {
namespace {

/// Core ops of the step that are equal.
struct Equals {
  int first_item = 0;
  std::int64_t count = 0;
  base::Time duration;  ///< of one
  base::Time total() const { return duration * count; }
};

std::vector<std::pair<int, Equals>> by_cost(const compiler::Program& program, const RunResult& result) {
  std::map<int, Equals> equals;
  for (const ItemResult& item : result.items) {
    const compiler::ProgramItem& op = program.items[std::size_t(item.item)];
    if (op.kind != compiler::ProgramItem::Kind::op) continue;
    Equals& same = equals.try_emplace(op.index, Equals{item.item, 0, item.duration}).first->second;
    same.count += item.times;
  }
  std::vector<std::pair<int, Equals>> order(equals.begin(), equals.end());
  std::ranges::stable_sort(order, std::ranges::greater{}, [](const auto& entry) { return entry.second.total(); });
  return order;
}

}  // namespace

BankCheck check_on_banks(const TargetMachine& machine, const compiler::Program& program, const RunResult& result,
                         std::size_t max_ops) {
  BankCheck check;
  check.step_time = result.step_time;
  for (const auto& [op, same] : by_cost(program, result)) {
    if (check.ops.size() == max_ops) break;
    const base::Cycles cycles = hw::memory::banks::op_cycles_on_banks(machine, program.ops[std::size_t(op)].tiles);
    const base::Time banks = machine.core_clock().time_of(cycles);
    check.ops.push_back({same.first_item, same.count, same.duration, banks});
    check.step_time += (banks - same.duration) * same.count;
  }
  return check;
}

}  // namespace podsim::sw::runtime
