// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/cut_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "base/csv_field.h"
#include "sw/graph/flops.h"

namespace podsim::sw {
namespace {

/// Results times the elements that each is a sum of.
double macs(const Computation& computation, const Instruction& instruction) {
  const Shape& left = computation[instruction.operands[0]].shape;
  const Shape& right = computation[instruction.operands[1]].shape;
  const double results = double(instruction.shape.element_count());
  if (instruction.opcode == Opcode::convolution) {
    const std::int64_t features = right.dimensions[std::size_t(instruction.convolution.kernel_output_feature)];
    return results * double(right.element_count()) / double(std::max<std::int64_t>(1, features));
  }
  double contracted = 1;
  for (const int d : instruction.dot.lhs_contracting) contracted *= double(left.dimensions[std::size_t(d)]);
  return results * contracted;
}

/// Executions of every computation in a step.
std::vector<double> executions_of(const Module& module) {
  std::vector<double> executions(module.computations.size(), 0);
  const std::vector<bool> executed = executed_computations(module);
  executions[std::size_t(module.entry)] = 1;
  for (std::size_t c = module.computations.size(); c-- > 0;) {
    if (!executed[c]) continue;
    for (const Instruction& instruction : module.computations[c].instructions) {
      const bool loops = instruction.opcode == Opcode::while_loop && instruction.trip_count > 0;
      const double trips = loops ? double(instruction.trip_count) : 1;
      for (const ComputationId called : instruction.called) {
        if (executed[std::size_t(called)]) executions[std::size_t(called)] += executions[c] * trips;
      }
    }
  }
  return executions;
}

using Visit = std::function<void(const Computation&, const Instruction&, double executions)>;

void for_each_executed(const Module& module, const Visit& visit) {
  const std::vector<double> executions = executions_of(module);
  // The entry first, so that its layers are in order.
  for (std::size_t c = module.computations.size(); c-- > 0;) {
    if (executions[c] == 0) continue;
    for (const Instruction& instruction : module.computations[c].instructions) {
      visit(module.computations[c], instruction, executions[c]);
    }
  }
}

std::int64_t payload(const Computation& computation, const Instruction& instruction) {
  std::int64_t operands = 0;
  for (const InstructionId operand : instruction.operands) {
    operands += logical_bytes(computation[operand].shape).value();
  }
  if (instruction.opcode == Opcode::collective_permute) return operands;
  return std::max(operands, logical_bytes(instruction.shape).value());
}

}  // namespace

std::vector<CutCost> cut_costs(const Module& whole, const Module& cut) {
  std::vector<CutCost> costs;
  std::map<std::string, std::size_t> index;
  const auto entry = [&](const std::string& op_name) -> CutCost& {
    const auto [found, is_new] = index.try_emplace(op_name, costs.size());
    if (is_new) costs.push_back({op_name});
    return costs[found->second];
  };
  for_each_executed(cut, [&](const Computation& computation, const Instruction& instruction, double executions) {
    if (is_matmul(instruction.opcode)) {
      entry(instruction.op_name).cut_macs += macs(computation, instruction) * executions * double(cut.partitions);
    } else if (is_collective(instruction.opcode) && instruction.phase != AsyncPhase::done) {
      const std::int64_t bytes = payload(computation, instruction) * std::int64_t(executions);
      CutCost& cost = entry(instruction.op_name);
      (instruction.opcode == Opcode::collective_permute ? cost.halo_bytes : cost.other_bytes) += bytes;
    }
  });
  for_each_executed(whole, [&](const Computation& computation, const Instruction& instruction, double executions) {
    if (is_matmul(instruction.opcode)) {
      entry(instruction.op_name).whole_macs += macs(computation, instruction) * executions;
    }
  });
  return costs;
}

CutCost total(const std::vector<CutCost>& costs) {
  CutCost sum;
  for (const CutCost& cost : costs) {
    sum.whole_macs += cost.whole_macs;
    sum.cut_macs += cost.cut_macs;
    sum.halo_bytes += cost.halo_bytes;
    sum.other_bytes += cost.other_bytes;
  }
  return sum;
}

std::string cut_costs_csv(const std::vector<CutCost>& costs) {
  std::string text = "op_name,whole GMAC,all partitions GMAC,waste %,halo bytes per core,other bytes per core\n";
  for (const CutCost& cost : costs) {
    text += fmt::format("{},{:.6f},{:.6f},{:.3f},{},{}\n", base::csv_field(cost.op_name), cost.whole_macs * 1e-9,
                        cost.cut_macs * 1e-9, 100 * cost.waste(), cost.halo_bytes, cost.other_bytes);
  }
  return text;
}

}  // namespace podsim::sw
