// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/partition/sharding_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "base/text/csv_field.h"
#include "sw/ir/transform/flops.h"

namespace podsim::sw::spmd::partition {
namespace {

/// Number of results times the number of products that each sums.
double macs(const ir::Computation& computation, const ir::Instruction& instruction) {
  const ir::Shape& left = computation[instruction.operands[0]].shape;
  const ir::Shape& right = computation[instruction.operands[1]].shape;
  const double results = double(instruction.shape.element_count());
  if (instruction.opcode == ir::Opcode::convolution) {
    const std::int64_t features = right.dimensions[std::size_t(instruction.convolution.kernel_output_feature)];
    return results * double(right.element_count()) / double(std::max<std::int64_t>(1, features));
  }
  double contracted = 1;
  for (const int d : instruction.dot.lhs_contracting) contracted *= double(left.dimensions[std::size_t(d)]);
  return results * contracted;
}

/// The number of executions of each computation in a step.
std::vector<double> executions_of(const ir::Module& module) {
  std::vector<double> executions(module.computations.size(), 0);
  const std::vector<bool> executed = ir::executed_computations(module);
  executions[std::size_t(module.entry)] = 1;
  for (std::size_t c = module.computations.size(); c-- > 0;) {
    if (!executed[c]) continue;
    for (const ir::Instruction& instruction : module.computations[c].instructions) {
      const bool loops = instruction.opcode == ir::Opcode::while_loop && instruction.trip_count > 0;
      const double trips = loops ? double(instruction.trip_count) : 1;
      for (const ir::ComputationId called : instruction.called) {
        if (executed[std::size_t(called)]) executions[std::size_t(called)] += executions[c] * trips;
      }
    }
  }
  return executions;
}

using Visit = std::function<void(const ir::Computation&, const ir::Instruction&, double executions)>;

void for_each_executed(const ir::Module& module, const Visit& visit) {
  const std::vector<double> executions = executions_of(module);
  // The entry computation is last in the module; it comes first here, so that its layers are in order.
  for (std::size_t c = module.computations.size(); c-- > 0;) {
    if (executions[c] == 0) continue;
    for (const ir::Instruction& instruction : module.computations[c].instructions) {
      visit(module.computations[c], instruction, executions[c]);
    }
  }
}

std::int64_t payload(const ir::Computation& computation, const ir::Instruction& instruction) {
  std::int64_t operands = 0;
  for (const ir::InstructionId operand : instruction.operands) {
    operands += ir::logical_bytes(computation[operand].shape).value();
  }
  if (instruction.opcode == ir::Opcode::collective_permute) return operands;
  return std::max(operands, ir::logical_bytes(instruction.shape).value());
}

}  // namespace

std::vector<ShardingCost> sharding_costs(const ir::Module& whole, const ir::Module& sharded) {
  std::vector<ShardingCost> costs;
  std::map<std::string, std::size_t> index;
  const auto entry = [&](const std::string& op_name) -> ShardingCost& {
    const auto [found, is_new] = index.try_emplace(op_name, costs.size());
    if (is_new) costs.push_back({op_name});
    return costs[found->second];
  };
  for_each_executed(
      sharded, [&](const ir::Computation& computation, const ir::Instruction& instruction, double executions) {
        if (ir::transform::is_matmul(instruction.opcode)) {
          entry(instruction.op_name).sharded_macs +=
              macs(computation, instruction) * executions * double(sharded.partitions);
        } else if (ir::is_collective(instruction.opcode) && instruction.phase != ir::AsyncPhase::done) {
          const std::int64_t bytes = payload(computation, instruction) * std::int64_t(executions);
          ShardingCost& cost = entry(instruction.op_name);
          (instruction.opcode == ir::Opcode::collective_permute ? cost.halo_bytes : cost.other_bytes) += bytes;
        }
      });
  for_each_executed(whole,
                    [&](const ir::Computation& computation, const ir::Instruction& instruction, double executions) {
                      if (ir::transform::is_matmul(instruction.opcode)) {
                        entry(instruction.op_name).whole_macs += macs(computation, instruction) * executions;
                      }
                    });
  return costs;
}

ShardingCost total(const std::vector<ShardingCost>& costs) {
  ShardingCost sum;
  for (const ShardingCost& cost : costs) {
    sum.whole_macs += cost.whole_macs;
    sum.sharded_macs += cost.sharded_macs;
    sum.halo_bytes += cost.halo_bytes;
    sum.other_bytes += cost.other_bytes;
  }
  return sum;
}

std::string sharding_costs_csv(const std::vector<ShardingCost>& costs) {
  std::string text = "op_name,whole GMAC,all partitions GMAC,waste %,halo bytes per core,other bytes per core\n";
  for (const ShardingCost& cost : costs) {
    text += fmt::format("{},{:.6f},{:.6f},{:.3f},{},{}\n", base::text::csv_field(cost.op_name), cost.whole_macs * 1e-9,
                        cost.sharded_macs * 1e-9, 100 * cost.waste(), cost.halo_bytes, cost.other_bytes);
  }
  return text;
}

}  // namespace podsim::sw::spmd::partition
