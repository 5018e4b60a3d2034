// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/partition/sharding_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "base/text/csv_field.h"
#include "hlo/transform/flops.h"
#include "hlo/transform/partition_branch.h"

namespace podsim::hlo::spmd::partition {
namespace {

/// Number of results times the number of products that each sums.
double macs(const hlo::Computation& computation, const hlo::Instruction& instruction) {
  const hlo::Shape& left = computation[instruction.operands[0]].shape;
  const hlo::Shape& right = computation[instruction.operands[1]].shape;
  const double results = double(instruction.shape.element_count());
  if (instruction.opcode == hlo::Opcode::convolution) {
    const std::int64_t features = right.dimensions[std::size_t(instruction.convolution->kernel_output_feature)];
    return results * double(right.element_count()) / double(std::max<std::int64_t>(1, features));
  }
  double contracted = 1;
  for (const int d : instruction.dot->lhs_contracting) contracted *= double(left.dimensions[std::size_t(d)]);
  return results * contracted;
}

/// Executions of a computation in a step.
struct Executions {
  double once = 0;         ///< in a program that is not partitioned, or by each partition that reaches it
  double in_all = 0;       ///< the sum over partitions
  bool is_manual = false;  ///< its arguments are shards that the program itself makes (shard_map)
};

/// The share of partitions that take each branch of a conditional; all of them where they do not differ by the number
/// of the partition alone.
std::vector<double> shares_of_branches(const hlo::Module& module, const hlo::Computation& computation,
                                       const hlo::Instruction& conditional) {
  const std::optional<std::vector<int>> taken =
      transform::branch_of_devices(module, {.computation = computation}, conditional);
  if (!taken || taken->empty()) return std::vector<double>(conditional.called.size(), 1);
  std::vector<double> shares(conditional.called.size(), 0);
  for (const int branch : *taken) shares.at(std::size_t(branch)) += 1 / double(taken->size());
  return shares;
}

using Visit = std::function<void(const hlo::Computation&, const hlo::Instruction&, const Executions&)>;

/// Visits the executed instructions of a module, those of the entry first. Values computed from those that
/// SPMDFullToShardShape returns are manual until SPMDShardToFullShape.
class Walk {
 public:
  Walk(const hlo::Module& module, double partitions)
      : module_(module), executions_(module.computations.size()), executed_(hlo::executed_computations(module)) {
    executions_[std::size_t(module.entry)] = {1, partitions, false};
  }

  void run(const Visit& visit) {
    // A computation comes after those that it calls.
    for (std::size_t c = module_.computations.size(); c-- > 0;) {
      if (executed_[c] && executions_[c].in_all > 0) walk(module_.computations[c], executions_[c], visit);
    }
  }

 private:
  void walk(const hlo::Computation& computation, const Executions& here, const Visit& visit) {
    std::vector<bool> manual(computation.instructions.size(), false);
    for (std::size_t i = 0; i < computation.instructions.size(); ++i) {
      const hlo::Instruction& instruction = computation.instructions[i];
      const auto is_manual = [&](hlo::InstructionId operand) { return bool(manual[std::size_t(operand)]); };
      manual[i] =
          (here.is_manual && instruction.opcode == hlo::Opcode::parameter) ||
          instruction.target == "SPMDFullToShardShape" ||
          (instruction.target != "SPMDShardToFullShape" && std::ranges::any_of(instruction.operands, is_manual));
      visit(computation, instruction, {here.once, here.in_all, manual[i]});
      if (!instruction.called.empty()) enter(computation, instruction, {here.once, here.in_all, manual[i]});
    }
  }

  void enter(const hlo::Computation& computation, const hlo::Instruction& caller, const Executions& here) {
    const bool loops = caller.opcode == hlo::Opcode::while_loop && caller.trip_count > 0;
    const double trips = loops ? double(caller.trip_count) : 1;
    const std::vector<double> shares = caller.opcode == hlo::Opcode::conditional
                                           ? shares_of_branches(module_, computation, caller)
                                           : std::vector<double>(caller.called.size(), 1);
    for (std::size_t k = 0; k < caller.called.size(); ++k) {
      Executions& called = executions_[std::size_t(caller.called[k])];
      called.once += shares[k] > 0 ? here.once * trips : 0;
      called.in_all += here.in_all * trips * shares[k];
      called.is_manual = called.is_manual || here.is_manual;
    }
  }

  const hlo::Module& module_;
  std::vector<Executions> executions_;
  std::vector<bool> executed_;
};

std::int64_t payload(const hlo::Computation& computation, const hlo::Instruction& instruction) {
  std::int64_t operands = 0;
  for (const hlo::InstructionId operand : instruction.operands) {
    operands += hlo::logical_bytes(computation[operand].shape).value();
  }
  if (instruction.opcode == hlo::Opcode::collective_permute) return operands;
  return std::max(operands, hlo::logical_bytes(instruction.shape).value());
}

}  // namespace

std::vector<ShardingCost> sharding_costs(const hlo::Module& whole, const hlo::Module& sharded) {
  std::vector<ShardingCost> costs;
  std::map<std::string, std::size_t> index;
  const auto entry = [&](const std::string& op_name) -> ShardingCost& {
    const auto [found, is_new] = index.try_emplace(op_name, costs.size());
    if (is_new) costs.push_back({op_name});
    return costs[found->second];
  };
  Walk(sharded, double(sharded.partitions))
      .run([&](const hlo::Computation& computation, const hlo::Instruction& instruction, const Executions& executions) {
        if (transform::is_matmul(instruction.opcode)) {
          entry(instruction.op_name).sharded_macs += macs(computation, instruction) * executions.in_all;
        } else if (hlo::is_collective(instruction.opcode) && instruction.phase != hlo::AsyncPhase::done) {
          const std::int64_t bytes = payload(computation, instruction) * std::int64_t(executions.once);
          ShardingCost& cost = entry(instruction.op_name);
          (instruction.opcode == hlo::Opcode::collective_permute ? cost.halo_bytes : cost.other_bytes) += bytes;
        }
      });
  Walk(whole, double(sharded.partitions))
      .run([&](const hlo::Computation& computation, const hlo::Instruction& instruction, const Executions& executions) {
        if (!transform::is_matmul(instruction.opcode)) return;
        ShardingCost& cost = entry(instruction.op_name);
        const double products = macs(computation, instruction);
        cost.whole_macs += products * (executions.is_manual ? executions.in_all : executions.once);
        if (executions.is_manual) cost.manual_macs += products * executions.in_all;
      });
  return costs;
}

ShardingCost total(const std::vector<ShardingCost>& costs) {
  ShardingCost sum;
  for (const ShardingCost& cost : costs) {
    sum.whole_macs += cost.whole_macs;
    sum.sharded_macs += cost.sharded_macs;
    sum.manual_macs += cost.manual_macs;
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

}  // namespace podsim::hlo::spmd::partition
