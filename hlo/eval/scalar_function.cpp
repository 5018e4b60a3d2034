// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/scalar_function.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>

#include <fmt/format.h>

#include "base/host/interrupt.h"
#include "hlo/eval/elementwise.h"

namespace podsim::hlo::eval {

namespace {

constexpr std::size_t max_steps = 1 << 16;

[[noreturn]] void fail(const Computation& computation, const Instruction& instruction) {
  throw std::logic_error(fmt::format("calls {}, whose {} = {} is no operation on scalars", computation.name,
                                     instruction.name, to_string(instruction.opcode)));
}

bool is_scalar(const Shape& shape) { return shape.rank() == 0 && byte_width(shape.element_type) > 0; }

/// True for a bitcast to a type of as many bits.
bool is_scalar_bitcast(const Computation& computation, const Instruction& instruction) {
  if (instruction.opcode != Opcode::bitcast && instruction.opcode != Opcode::bitcast_convert) return false;
  const auto bits = [](const Shape& shape) { return element_types()[std::size_t(shape.element_type)].bits; };
  return bits(instruction.shape) == bits(computation[instruction.operands[0]].shape);
}

}  // namespace

ScalarFunction::ScalarFunction(const Module& module, const Computation& computation) {
  std::vector<Registers> arguments;
  for (const InstructionId parameter : computation.parameters) {
    if (!is_scalar(computation[parameter].shape)) fail(computation, computation[parameter]);
    arguments.push_back({int(registers_.size())});
    registers_.emplace_back();
  }
  results_ = inline_computation(module, computation, arguments);
  single_ = steps_.size() == 1;
}

ScalarFunction::Registers ScalarFunction::inline_computation(const Module& module, const Computation& computation,
                                                             const std::vector<Registers>& arguments) {
  std::vector<Registers> values;
  for (const Instruction& instruction : computation.instructions) {
    const bool parameter = instruction.opcode == Opcode::parameter;
    values.push_back(parameter ? arguments.at(std::size_t(instruction.index))
                               : append(module, computation, instruction, values));
    if (steps_.size() > max_steps) throw std::logic_error("calls a computation of too many operations on scalars");
  }
  return values[std::size_t(computation.root)];
}

ScalarFunction::Registers ScalarFunction::append(const Module& module, const Computation& computation,
                                                 const Instruction& instruction, const std::vector<Registers>& values) {
  const auto operand = [&](std::size_t i) { return values[std::size_t(instruction.operands[i])]; };
  if (instruction.phase != AsyncPhase::none) fail(computation, instruction);
  switch (instruction.opcode) {
    case Opcode::tuple: {
      Registers elements;
      for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        if (!is_scalar(computation[instruction.operands[i]].shape)) fail(computation, instruction);
        elements.push_back(operand(i)[0]);
      }
      return elements;
    }
    case Opcode::get_tuple_element:
      return {operand(0).at(std::size_t(instruction.index))};
    case Opcode::fusion:
    case Opcode::call: {
      std::vector<Registers> arguments;
      for (std::size_t i = 0; i < instruction.operands.size(); ++i) arguments.push_back(operand(i));
      return inline_computation(module, module.computations[std::size_t(instruction.called[0])], arguments);
    }
    default:
      break;
  }
  if (!is_scalar(instruction.shape)) fail(computation, instruction);
  switch (instruction.opcode) {
    case Opcode::constant:
      if (!instruction.literal) fail(computation, instruction);
      registers_.push_back(element_of(*instruction.literal, 0));
      return {int(registers_.size()) - 1};
    case Opcode::broadcast:
    case Opcode::reshape:
      return operand(0);
    default:
      return {append_step(computation, instruction, values)};
  }
}

int ScalarFunction::append_step(const Computation& computation, const Instruction& instruction,
                                const std::vector<Registers>& values) {
  const std::vector<InstructionId>& operands = instruction.operands;
  if (!(is_elementwise(instruction.opcode) || is_scalar_bitcast(computation, instruction)) || operands.empty() ||
      operands.size() > 3)
    fail(computation, instruction);
  const auto typed = std::size_t(operands[operands.size() == 3 ? 1 : 0]);
  Step step{&instruction, computation[InstructionId(typed)].shape.element_type, int(operands.size()), {}, 0};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!is_scalar(computation[operands[i]].shape)) fail(computation, instruction);
    step.operands[i] = values[std::size_t(operands[i])][0];
  }
  step.result = int(registers_.size());
  registers_.emplace_back();
  steps_.push_back(step);
  return step.result;
}

void ScalarFunction::operator()(std::span<const Element> arguments, std::span<Element> results) {
  assert(results.size() == results_.size());
  base::host::end_if_interrupted();
  std::ranges::copy(arguments, registers_.begin());
  for (const Step& step : steps_) {
    Element operands[3];
    for (int i = 0; i < step.operand_count; ++i) operands[i] = registers_[std::size_t(step.operands[i])];
    const Element result = apply_elementwise(*step.instruction, step.type,
                                             std::span<const Element>(operands, std::size_t(step.operand_count)));
    registers_[std::size_t(step.result)] = single_ ? result : rounded(step.instruction->shape.element_type, result);
  }
  for (std::size_t i = 0; i < results.size(); ++i) results[i] = registers_[std::size_t(results_[i])];
}

Element ScalarFunction::operator()(Element x, Element y) {
  const Element arguments[] = {x, y};
  Element result;
  (*this)(arguments, std::span<Element>(&result, 1));
  return result;
}

}  // namespace podsim::hlo::eval
