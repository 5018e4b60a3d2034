// SPDX-License-Identifier: Apache-2.0
#include "sw/graph/evaluator.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "sw/graph/contraction.h"
#include "sw/graph/elementwise.h"
#include "sw/graph/rearrangement.h"
#include "sw/graph/reduction.h"

namespace podsim::sw {

namespace {

using Value = std::shared_ptr<const Literal>;

Value make_value(Literal literal) { return std::make_shared<const Literal>(std::move(literal)); }

std::vector<InstructionId> last_uses(const Computation& computation) {
  std::vector<InstructionId> last(computation.instructions.size(), -1);
  for (InstructionId id = 0; id < int(last.size()); ++id) {
    for (InstructionId operand : computation[id].operands) last[operand] = id;
  }
  last[computation.root] = int(last.size());
  return last;
}

/// One computation evaluated for all partitions in lock step, an instruction at a time.
class Evaluation {
 public:
  Evaluation(const Module& module, const Computation& computation, const EvaluationHost& host, int partitions)
      : module_(module), computation_(computation), host_(host), partitions_(partitions) {
    values_.resize(computation.instructions.size(), std::vector<Value>(partitions));
  }

  /// arguments[partition][parameter] -> the root's value in each partition.
  std::vector<Value> run(const std::vector<std::vector<Value>>& arguments) {
    const std::vector<InstructionId> last = last_uses(computation_);
    for (InstructionId id = 0; id < int(values_.size()); ++id) {
      evaluate(id, arguments);
      for (InstructionId operand : computation_[id].operands) {
        if (last[operand] == id) std::ranges::fill(values_[operand], nullptr);
      }
    }
    return values_[computation_.root];
  }

 private:
  void evaluate(InstructionId id, const std::vector<std::vector<Value>>& arguments) {
    const Instruction& instruction = computation_[id];
    if (instruction.opcode == Opcode::all_reduce) {
      values_[id] = evaluate_all_reduce(instruction);
      return;
    }
    if (instruction.opcode == Opcode::fusion) {
      values_[id] = evaluate_fusion(instruction);
      return;
    }
    for (int partition = 0; partition < partitions_; ++partition) {
      values_[id][partition] = instruction.opcode == Opcode::parameter ? arguments[partition][instruction.index]
                                                                       : evaluate(instruction, partition);
    }
  }

  std::vector<const Literal*> operands_of(const Instruction& instruction, int partition) const {
    std::vector<const Literal*> operands;
    for (InstructionId operand : instruction.operands) operands.push_back(values_[operand][partition].get());
    return operands;
  }

  Value evaluate(const Instruction& instruction, int partition) const {
    const std::vector<const Literal*> operands = operands_of(instruction, partition);
    if (is_elementwise(instruction.opcode)) return make_value(evaluate_elementwise(instruction, operands));
    if (is_rearrangement(instruction.opcode)) return make_value(evaluate_rearrangement(instruction, operands));
    switch (instruction.opcode) {
      case Opcode::constant:
        return instruction.literal;
      case Opcode::tuple:
        return make_value(make_tuple(instruction, operands));
      case Opcode::get_tuple_element:
        return make_value(operands[0]->elements[instruction.index]);
      case Opcode::convolution:
        return make_value(evaluate_convolution(instruction, *operands[0], *operands[1]));
      case Opcode::dot:
        return make_value(evaluate_dot(instruction, *operands[0], *operands[1]));
      case Opcode::reduce:
        return make_value(evaluate_reduce(instruction, *operands[0], *operands[1], function(instruction, 0)));
      case Opcode::reduce_window:
        return make_value(evaluate_reduce_window(instruction, *operands[0], *operands[1], function(instruction, 0)));
      case Opcode::select_and_scatter:
        return make_value(evaluate_select_and_scatter(instruction, *operands[0], *operands[1], *operands[2],
                                                      function(instruction, 0), function(instruction, 1)));
      case Opcode::infeed:
        return make_value(feed_in(instruction, partition));
      case Opcode::outfeed:
        if (host_.outfeed) host_.outfeed(partition, *operands[0]);
        return make_value({instruction.shape, {}, {}});
      default:
        break;
    }
    throw std::logic_error(fmt::format("{}: {} cannot be evaluated", instruction.name, to_string(instruction.opcode)));
  }

  static Literal make_tuple(const Instruction& instruction, const std::vector<const Literal*>& operands) {
    Literal tuple{instruction.shape, {}, {}};
    for (const Literal* operand : operands) tuple.elements.push_back(*operand);
    return tuple;
  }

  Literal feed_in(const Instruction& instruction, int partition) const {
    if (!host_.infeed) throw std::logic_error("the module feeds in and the host has no infeed");
    Literal literal = host_.infeed(partition, instruction);
    if (!literal.shape.compatible(instruction.shape)) throw std::logic_error("the host feeds in another shape");
    return literal;
  }

  /// A called computation of two scalars: its operation when there is only one, else an evaluation per call.
  ScalarFunction function(const Instruction& instruction, std::size_t i) const {
    const Computation& called = module_.computations[instruction.called[i]];
    const Instruction& root = called[called.root];
    const ElementType type = called[called.parameters[0]].shape.element_type;
    if (is_elementwise(root.opcode) && root.operands == called.parameters) {
      return [&root, type](double x, double y) {
        const double arguments[] = {x, y};
        return apply_elementwise(root, type, arguments);
      };
    }
    return [this, &called, type](double x, double y) {
      const Shape scalar = make_shape(type, {});
      Evaluation evaluation(module_, called, host_, 1);
      return evaluation.run({{make_value({scalar, {x}, {}}), make_value({scalar, {y}, {}})}})[0]->values[0];
    };
  }

  std::vector<Value> evaluate_fusion(const Instruction& instruction) const {
    std::vector<std::vector<Value>> arguments(partitions_);
    for (int partition = 0; partition < partitions_; ++partition) {
      for (InstructionId operand : instruction.operands) arguments[partition].push_back(values_[operand][partition]);
    }
    return Evaluation(module_, module_.computations[instruction.called[0]], host_, partitions_).run(arguments);
  }

  std::vector<Value> evaluate_all_reduce(const Instruction& instruction) const {
    std::vector<Value> results;
    if (host_.all_reduce) {
      std::vector<std::vector<Literal>> operands(partitions_);
      for (int partition = 0; partition < partitions_; ++partition) {
        for (const Literal* operand : operands_of(instruction, partition)) operands[partition].push_back(*operand);
      }
      for (Literal& result : host_.all_reduce(instruction, operands)) results.push_back(make_value(std::move(result)));
      if (int(results.size()) != partitions_) throw std::logic_error("the host's all-reduce lost a partition");
      return results;
    }
    return std::vector<Value>(partitions_, make_value(fold_partitions(instruction)));
  }

  Literal fold_partitions(const Instruction& instruction) const {
    const ScalarFunction combine = function(instruction, 0);
    std::vector<Literal> totals;
    for (InstructionId operand : instruction.operands) {
      Literal total = *values_[operand][0];
      for (std::size_t i = 0; i < total.values.size(); ++i) {
        for (int partition = 1; partition < partitions_; ++partition) {
          total.values[i] = combine(total.values[i], values_[operand][partition]->values[i]);
        }
        total.values[i] = round_to(total.shape.element_type, total.values[i]);
      }
      totals.push_back(std::move(total));
    }
    return totals.size() == 1 ? std::move(totals[0]) : Literal{instruction.shape, {}, std::move(totals)};
  }

  const Module& module_;
  const Computation& computation_;
  const EvaluationHost& host_;
  int partitions_;
  std::vector<std::vector<Value>> values_;  // [instruction][partition]
};

void check_arguments(const Computation& entry, std::span<const Literal> arguments) {
  if (arguments.size() != entry.parameters.size()) {
    throw std::logic_error(fmt::format("{} arguments for {} parameters", arguments.size(), entry.parameters.size()));
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Instruction& parameter = entry[entry.parameters[i]];
    if (!arguments[i].shape.compatible(parameter.shape)) {
      throw std::logic_error(fmt::format("argument {} for parameter {}: {}", to_string(arguments[i].shape),
                                         parameter.name, to_string(parameter.shape)));
    }
  }
}

}  // namespace

Literal evaluate(const Module& module, std::span<const Literal> arguments, const EvaluationHost& host) {
  return std::move(evaluate_partitions(module, {{arguments.begin(), arguments.end()}}, host)[0]);
}

std::vector<Literal> evaluate_partitions(const Module& module, const std::vector<std::vector<Literal>>& arguments,
                                         const EvaluationHost& host) {
  const Computation& entry = module.entry_computation();
  std::vector<std::vector<Value>> values(arguments.size());
  for (std::size_t partition = 0; partition < arguments.size(); ++partition) {
    check_arguments(entry, arguments[partition]);
    for (const Literal& argument : arguments[partition]) values[partition].push_back(make_value(argument));
  }
  std::vector<Literal> results;
  for (const Value& value : Evaluation(module, entry, host, int(arguments.size())).run(values)) {
    results.push_back(*value);
  }
  return results;
}

}  // namespace podsim::sw
