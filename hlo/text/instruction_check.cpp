// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/instruction_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/counted.h"
#include "hlo/text/attribute_value.h"
#include "hlo/text/sharding_check.h"

namespace podsim::hlo::text {
namespace {

std::string operands_needed(const hlo::OpcodeRow& row) {
  if (row.max_operands < 0) return fmt::format("at least {}", base::text::counted(row.min_operands, "operand"));
  if (row.max_operands == 0) return "no operands";
  return base::text::counted(row.max_operands, "operand");
}

bool check_operand_count(const Instruction& instruction, DiagnosticList& diagnostics) {
  const hlo::OpcodeRow& known = hlo::row(instruction.opcode);
  const int count = int(instruction.operands.count);
  if (count >= known.min_operands && (known.max_operands < 0 || count <= known.max_operands)) return true;
  diagnostics.error(instruction.opcode_text,
                    fmt::format("{} takes {}, found {}", known.name, operands_needed(known), count));
  return false;
}

/// Returns an unknown attribute whose name resembles `name`.
const Attribute* misspelt(std::span<const Attribute> attributes, std::string_view name) {
  const std::vector<std::string> candidates{std::string(name)};
  for (const Attribute& attribute : attributes) {
    if (find_attribute_row(attribute.name) == nullptr && !base::closest(attribute.name, candidates).empty()) {
      return &attribute;
    }
  }
  return nullptr;
}

bool check_required(const Module& module, const Instruction& instruction, DiagnosticList& diagnostics) {
  const std::span<const Attribute> attributes = module.attributes_of(instruction);
  for (const std::string_view name : hlo::row(instruction.opcode).required) {
    if (name.empty() || find_value(attributes, name) != nullptr) continue;
    const Attribute* meant = misspelt(attributes, name);
    diagnostics.error(meant != nullptr ? meant->name : instruction.opcode_text,
                      fmt::format("{} needs the attribute '{}'", instruction.opcode_text, name),
                      meant != nullptr ? fmt::format("did you mean '{}'?", name) : "");
    return false;
  }
  return true;
}

std::string_view dimensions_part(std::string_view shape) {
  return shape.substr(std::min(shape.find('['), shape.size()));
}

void check_elementwise(const Module& module, const Instruction& instruction, DiagnosticList& diagnostics) {
  const ShapeTable& shapes = module.shapes;
  const Shape& result = shapes[instruction.shape];
  for (const InstructionIndex index : module.operands(instruction)) {
    const Instruction& operand = module.instructions[std::size_t(index)];
    const Shape& shape = shapes[operand.shape];
    if (operand.shape == instruction.shape || result.is_tuple || shape.is_tuple || !result.dynamic.empty() ||
        !shape.dynamic.empty() || result.dimensions == shape.dimensions) {
      continue;
    }
    diagnostics.error(
        instruction.opcode_text,
        fmt::format("{} is elementwise, but operand '{}' is {} and the result {}", instruction.opcode_text,
                    operand.name, dimensions_part(shapes.text(operand.shape, false)),
                    dimensions_part(shapes.text(instruction.shape, false))));
    return;
  }
}

void check_get_tuple_element(const Module& module, const Instruction& instruction, DiagnosticList& diagnostics) {
  const Instruction& operand = module.instructions[std::size_t(module.operands(instruction)[0])];
  const Shape& tuple = module.shapes[operand.shape];
  const std::string_view value = *find_value(module.attributes_of(instruction), "index");
  if (!tuple.is_tuple) {
    diagnostics.error(instruction.opcode_text, fmt::format("operand '{}' is not a tuple: {}", operand.name,
                                                           module.shapes.text(operand.shape, false)));
    return;
  }
  Scanner scanner(value);
  const std::int64_t index = scanner.integer("an index");
  if (index < 0 || index >= std::int64_t(tuple.elements.size())) {
    diagnostics.error(value, fmt::format("'{}' has {}", operand.name,
                                         base::text::counted(std::int64_t(tuple.elements.size()), "element")));
    return;
  }
  const ShapeId element = tuple.elements[std::size_t(index)];
  if (!module.shapes.compatible(element, instruction.shape)) {
    diagnostics.error(
        value, fmt::format("element {} of '{}' is {}, not {}", index, operand.name, module.shapes.text(element, false),
                           module.shapes.text(instruction.shape, false)));
  }
}

void check_tuple(const Module& module, const Instruction& instruction, DiagnosticList& diagnostics) {
  const Shape& shape = module.shapes[instruction.shape];
  const std::span<const InstructionIndex> operands = module.operands(instruction);
  if (!shape.is_tuple || shape.elements.size() != operands.size()) {
    diagnostics.warning(instruction.opcode_text,
                        fmt::format("a tuple of {} cannot have the shape {}",
                                    base::text::counted(std::int64_t(operands.size()), "operand"),
                                    module.shapes.text(instruction.shape, false)));
    return;
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Instruction& operand = module.instructions[std::size_t(operands[i])];
    if (module.shapes.compatible(operand.shape, shape.elements[i])) continue;
    diagnostics.warning(instruction.opcode_text, fmt::format("operand {} of the tuple, '{}', is {}, the shape says {}",
                                                             i, operand.name, module.shapes.text(operand.shape, false),
                                                             module.shapes.text(shape.elements[i], false)));
    return;
  }
}

enum class Visit : std::uint8_t { unseen, open, closed };

/// A depth-first search over called computations. It has an explicit stack, since chains of calls may be long.
class CallWalk {
 public:
  CallWalk(const Module& module, const std::vector<std::string_view>& places, DiagnosticList& diagnostics)
      : module_(module), locations_(places), diagnostics_(diagnostics), visits_(module.computations.size()) {}

  void walk(ComputationIndex from) {
    if (visits_[std::size_t(from)] != Visit::unseen) return;
    enter(from);
    while (!stack_.empty()) {
      Frame& frame = stack_.back();
      if (frame.next == frame.end) {
        visits_[std::size_t(frame.computation)] = Visit::closed;
        stack_.pop_back();
      } else {
        follow(frame.next++);
      }
    }
  }

 private:
  struct Frame {
    ComputationIndex computation;
    std::uint32_t next, end;  ///< in the list of called computations
  };

  void enter(ComputationIndex computation) {
    visits_[std::size_t(computation)] = Visit::open;
    std::uint32_t first = 0, end = 0;
    for (const Instruction& instruction : module_.instructions_of(module_.computations[std::size_t(computation)])) {
      if (instruction.called.count == 0) continue;
      if (end == 0) first = instruction.called.first;
      end = instruction.called.first + instruction.called.count;
    }
    stack_.push_back({computation, first, end});
  }

  void follow(std::uint32_t call) {
    const ComputationIndex callee = module_.called_list[call];
    if (visits_[std::size_t(callee)] == Visit::unseen) {
      enter(callee);
    } else if (visits_[std::size_t(callee)] == Visit::open) {
      diagnostics_.error(locations_[call], fmt::format("computation '{}' calls itself, here or by way of others",
                                                       module_.computations[std::size_t(callee)].name));
    }
  }

  const Module& module_;
  const std::vector<std::string_view>& locations_;
  DiagnosticList& diagnostics_;
  std::vector<Visit> visits_;
  std::vector<Frame> stack_;
};

}  // namespace

void check_instruction(const Module& module, const Instruction& instruction, DiagnosticList& diagnostics) {
  check_sharding(module, instruction, diagnostics);
  if (instruction.opcode == hlo::Opcode::unknown || instruction.phase != hlo::AsyncPhase::none) return;
  if (!check_operand_count(instruction, diagnostics)) return;
  if (!check_required(module, instruction, diagnostics)) return;
  if (hlo::row(instruction.opcode).kind == hlo::OpcodeClass::elementwise)
    check_elementwise(module, instruction, diagnostics);
  if (instruction.opcode == hlo::Opcode::get_tuple_element) check_get_tuple_element(module, instruction, diagnostics);
  if (instruction.opcode == hlo::Opcode::tuple) check_tuple(module, instruction, diagnostics);
}

void number_parameters(const Module& module, Computation& computation, DiagnosticList& diagnostics) {
  const Range range = computation.instructions;
  for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
    if (module.instructions[i].parameter >= 0) computation.parameters.push_back(InstructionIndex(i));
  }
  const auto number = [&module](InstructionIndex i) { return module.instructions[std::size_t(i)].parameter; };
  std::ranges::stable_sort(computation.parameters, {}, number);
  for (std::size_t i = 0; i < computation.parameters.size(); ++i) {
    const Instruction& parameter = module.instructions[std::size_t(computation.parameters[i])];
    if (parameter.parameter == std::int32_t(i)) continue;
    diagnostics.error(parameter.literal, parameter.parameter < std::int32_t(i)
                                             ? fmt::format("a second parameter {}", parameter.parameter)
                                             : fmt::format("there is no parameter {}", i));
    return;
  }
}

void check_signature(const Module& module, const Computation& computation, const Signature& signature,
                     DiagnosticList& diagnostics) {
  const ShapeTable& shapes = module.shapes;
  if (signature.parameters.size() != computation.parameters.size()) {
    diagnostics.error(computation.name,
                      fmt::format("the header of '{}' has {}, its instructions {}", computation.name,
                                  base::text::counted(std::int64_t(signature.parameters.size()), "parameter"),
                                  computation.parameters.size()));
    return;
  }
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const Instruction& parameter = module.instructions[std::size_t(computation.parameters[i])];
    if (shapes.compatible(parameter.shape, signature.parameters[i].shape)) continue;
    diagnostics.error(signature.parameters[i].name, fmt::format("the header says {}, parameter {} is {}",
                                                                shapes.text(signature.parameters[i].shape, false), i,
                                                                shapes.text(parameter.shape, false)));
  }
  const Instruction& root_instruction = module.instructions[std::size_t(computation.root)];
  if (root_instruction.opcode == hlo::Opcode::unknown) return;  // its result is unknown too
  const ShapeId root = root_instruction.shape;
  if (!shapes.compatible(root, signature.result)) {
    diagnostics.error(signature.result_text,
                      fmt::format("the header says {}, the root is {}", shapes.text(signature.result, false),
                                  shapes.text(root, false)));
  }
}

void check_calls(const Module& module, const std::vector<std::string_view>& places, DiagnosticList& diagnostics) {
  CallWalk walk(module, places, diagnostics);
  for (std::size_t i = 0; i < module.computations.size(); ++i) walk.walk(ComputationIndex(i));
}

}  // namespace podsim::hlo::text
