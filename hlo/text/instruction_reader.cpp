// SPDX-License-Identifier: Apache-2.0
// Part of hlo/text/text_reader.h.
#include <fmt/format.h>

#include <limits>

#include "hlo/text/attribute_value.h"
#include "hlo/text/literal_text.h"
#include "hlo/text/text_reader.h"

namespace podsim::hlo::text {
namespace {

constexpr int deepest_operand = 64;  // nesting of instructions written as operands

}  // namespace

void Reader::read_instruction(const Computation& computation) {
  Instruction instruction;
  scanner_.skip_space();
  const std::string_view mark = scanner_.text().substr(scanner_.offset(), 4);
  const bool root = scanner_.accept("ROOT");
  instruction.name = scanner_.name("an instruction or '}'");
  scanner_.expect('=', "after an instruction's name");
  read_shape_and_opcode(instruction);
  operand_stack_.clear();
  operand_depth_ = 0;
  const bool defined = read_arguments(instruction);
  read_attributes(instruction);
  if (instruction.shape < 0) infer_shape(instruction, defined);
  if (root) mark_root(mark, computation);
  define(instruction);
  module_.instructions.push_back(instruction);
  if (defined) check_instruction(module_, instruction, diagnostics_);
}

void Reader::read_shape_and_opcode(Instruction& instruction) {
  Scanner ahead = scanner_;
  const bool no_shape = ahead.peek() != '(' && ahead.peek() != '\0' && !shape_follows(ahead) &&
                        !ahead.name("a shape").empty() && ahead.peek() == '(';
  instruction.shape = no_shape ? -1 : module_.shapes.read(scanner_);
  read_opcode(instruction);
}

/// Infers the shape of an instruction that is written without one.
void Reader::infer_shape(Instruction& instruction, bool defined) {
  const hlo::Opcode opcode = instruction.opcode;
  const bool known = opcode != hlo::Opcode::unknown && instruction.phase == hlo::AsyncPhase::none;
  const bool changes_type = opcode == hlo::Opcode::compare || opcode == hlo::Opcode::convert ||
                            opcode == hlo::Opcode::complex || opcode == hlo::Opcode::is_finite ||
                            opcode == hlo::Opcode::real || opcode == hlo::Opcode::imag ||
                            opcode == hlo::Opcode::stochastic_convert;
  const bool same = known && ((hlo::row(opcode).kind == hlo::OpcodeClass::elementwise && !changes_type) ||
                              opcode == hlo::Opcode::while_loop || opcode == hlo::Opcode::dynamic_update_slice);
  const bool inferable = same || opcode == hlo::Opcode::get_tuple_element || opcode == hlo::Opcode::tuple;
  if (!inferable || instruction.operands.count == 0 || !defined) {
    scanner_.fail_at(instruction.opcode_text, fmt::format("the shape of '{}' is missing", instruction.name));
  }
  if (opcode == hlo::Opcode::tuple) {
    std::vector<ShapeId> elements;
    for (const InstructionIndex i : module_.operands(instruction)) {
      elements.push_back(module_.instructions[std::size_t(i)].shape);
    }
    instruction.shape = module_.shapes.add_tuple(std::move(elements));
    return;
  }
  const InstructionIndex operand = module_.operand_list[instruction.operands.first];
  instruction.shape = module_.instructions[std::size_t(operand)].shape;
  if (same) return;
  const Shape& tuple = module_.shapes[instruction.shape];
  const std::string_view* value = find_value(module_.attributes_of(instruction), "index");
  std::int64_t index = -1;
  if (value != nullptr) index = Scanner(*value).integer("an index");
  if (index < 0 || index >= std::int64_t(tuple.elements.size())) {
    scanner_.fail_at(instruction.opcode_text, fmt::format("'{}' is no element of its operand", instruction.name));
  }
  instruction.shape = tuple.elements[std::size_t(index)];
}

void Reader::read_opcode(Instruction& instruction) {
  instruction.opcode_text = scanner_.name("an opcode");
  if (scanner_.peek() != '(') scanner_.fail_expected("'(' after the opcode");
  const hlo::OpcodeName found = hlo::find_opcode(instruction.opcode_text);
  instruction.opcode = found.opcode;
  instruction.phase = found.phase;
  if (found.opcode != hlo::Opcode::unknown || !unknown_opcodes_.insert(instruction.opcode_text).second) return;
  std::vector<std::string> names;
  for (const hlo::OpcodeRow& known : hlo::opcode_table()) names.emplace_back(known.name);
  const std::string message = fmt::format("'{}' is not a known opcode", instruction.opcode_text);
  const std::string hint = base::did_you_mean(instruction.opcode_text, names);
  if (unknown_ == UnknownOpcodes::reject) {
    diagnostics_.error(instruction.opcode_text, message, hint);
  } else {
    diagnostics_.warning(instruction.opcode_text, message, hint);
  }
}

/// Reads the text in the parentheses after an opcode. Returns false if an operand is not defined.
bool Reader::read_arguments(Instruction& instruction) {
  scanner_.expect('(');
  bool defined = true;
  scanner_.skip_space();
  const std::size_t begin = scanner_.offset();
  if (instruction.opcode == hlo::Opcode::parameter) {
    read_parameter_number(instruction);
  } else if (instruction.opcode == hlo::Opcode::constant) {
    if (instruction.shape < 0) scanner_.fail_at(instruction.opcode_text, "a constant needs its shape");
    skip_literal(scanner_, module_.shapes, instruction.shape);
    instruction.literal = scanner_.text().substr(begin, scanner_.offset() - begin);
  } else if (scanner_.peek() != ')') {
    defined = read_operands(instruction);
  }
  if (!scanner_.accept(')')) scanner_.fail_expected(instruction.operands.count > 0 ? "',' or ')'" : "')'");
  return defined;
}

void Reader::read_parameter_number(Instruction& instruction) {
  const std::size_t begin = scanner_.offset();
  const std::int64_t number = scanner_.integer("a parameter's number");
  instruction.literal = scanner_.text().substr(begin, scanner_.offset() - begin);
  if (number < 0 || number > std::numeric_limits<std::int32_t>::max()) {
    scanner_.fail_at(instruction.literal, "a parameter's number is at least 0");
  }
  instruction.parameter = std::int32_t(number);
}

bool Reader::read_operands(Instruction& instruction) {
  bool defined = true;
  const std::ptrdiff_t base = std::ptrdiff_t(operand_stack_.size());
  do {
    const InstructionIndex operand = read_operand();
    defined = defined && operand != defective;
    operand_stack_.push_back(operand);
  } while (scanner_.accept(','));
  instruction.operands = {std::uint32_t(module_.operand_list.size()),
                          std::uint32_t(std::ptrdiff_t(operand_stack_.size()) - base)};
  module_.operand_list.insert(module_.operand_list.end(), operand_stack_.begin() + base, operand_stack_.end());
  operand_stack_.resize(std::size_t(base));
  return defined;
}

InstructionIndex Reader::read_operand() {
  std::optional<ShapeId> declared;
  if (shape_follows(scanner_)) declared = module_.shapes.read(scanner_);
  const std::string_view name = scanner_.name("an operand");
  if (scanner_.peek() == '(') return read_nested_operand(declared, name);
  const auto found = definitions_.find(name);
  if (found == definitions_.end()) {
    report_undefined(name);
    return defective;
  }
  const InstructionIndex operand = found->second.instruction;
  if (declared && operand != defective) {
    const ShapeId shape = module_.instructions[std::size_t(operand)].shape;
    if (!module_.shapes.compatible(*declared, shape)) {
      diagnostics_.error(name, fmt::format("'{}' is {}, not {}", name, module_.shapes.text(shape, false),
                                           module_.shapes.text(*declared, false)));
    }
  }
  return operand;
}

/// Reads an instruction that is written as an operand: "reshape(f32[8] parameter(0))".
InstructionIndex Reader::read_nested_operand(std::optional<ShapeId> shape, std::string_view opcode) {
  if (++operand_depth_ > deepest_operand) {
    scanner_.fail_at(opcode, fmt::format("operands nest deeper than {}", deepest_operand));
  }
  Instruction instruction;
  instruction.shape = shape.value_or(-1);
  scanner_.move_to(std::size_t(opcode.data() - text_->data()));
  read_opcode(instruction);
  const bool defined = read_arguments(instruction);
  --operand_depth_;
  if (instruction.shape < 0) infer_shape(instruction, defined);
  instruction.name = invent_name(opcode, [this](std::string_view name) { return definitions_.contains(name); });
  define(instruction);
  module_.instructions.push_back(instruction);
  if (!defined) return defective;
  check_instruction(module_, instruction, diagnostics_);
  return InstructionIndex(module_.instructions.size()) - 1;
}

void Reader::report_undefined(std::string_view name) {
  std::vector<std::string> names;
  const std::uint32_t first = module_.computations.back().instructions.first;
  for (std::size_t i = first; i < module_.instructions.size(); ++i) names.emplace_back(module_.instructions[i].name);
  diagnostics_.error(
      name, fmt::format("'{}' is not defined before this in computation '{}'", name, module_.computations.back().name),
      base::did_you_mean(name, names));
}

void Reader::read_attributes(Instruction& instruction) {
  instruction.attributes.first = std::uint32_t(module_.attribute_list.size());
  instruction.called.first = std::uint32_t(called_names_.size());
  const std::size_t bodies = bodies_.size();
  try {
    while (scanner_.accept(',')) {
      if (!read_body_attribute(instruction)) add_attribute(instruction, read_attribute(scanner_));
    }
  } catch (const SyntaxError&) {
    called_names_.resize(instruction.called.first);
    called_locations_.resize(instruction.called.first);
    bodies_.resize(bodies);
    throw;
  }
}

/// Skips "to_apply={ ... }" that contains the instructions of a computation; read_bodies reads it later.
bool Reader::read_body_attribute(Instruction& instruction) {
  Scanner ahead = scanner_;
  const std::string_view attribute = ahead.name("an attribute");
  const AttributeRow* known = find_attribute_row(attribute);
  if (known == nullptr || known->form != AttributeForm::computations) return false;
  if (!ahead.accept('=') || ahead.peek() != '{') return false;
  const std::size_t offset = ahead.offset();
  ahead.accept('{');
  if (!ahead.accept("ROOT") && (ahead.peek() == '}' || ahead.name("a name").empty() || ahead.peek() != '=')) {
    return false;
  }
  ahead.move_to(offset);
  const std::string_view text = ahead.balanced("a computation");
  scanner_.move_to(ahead.offset());
  const std::string_view name = invent_name(fmt::format("{}.{}", instruction.name, attribute),
                                            [this](std::string_view taken) { return computations_.contains(taken); });
  computations_.emplace(name, ComputationIndex(module_.computations.size() + bodies_.size()));
  bodies_.push_back({name, offset});
  append_attribute(instruction, {attribute, name});
  called_names_.push_back(name);
  called_locations_.push_back(text.substr(0, 1));
  ++instruction.called.count;
  return true;
}

void Reader::append_attribute(Instruction& instruction, const Attribute& attribute) {
  if (find_value(module_.attributes_of(instruction), attribute.name) != nullptr) {
    diagnostics_.error(attribute.name, fmt::format("a second '{}'", attribute.name));
  }
  module_.attribute_list.push_back(attribute);
  ++instruction.attributes.count;
}

void Reader::add_attribute(Instruction& instruction, const Attribute& attribute) {
  append_attribute(instruction, attribute);
  const AttributeRow* known = find_attribute_row(attribute.name);
  if (known == nullptr) {
    if (!unknown_attributes_.insert(attribute.name).second) return;
    const std::string hint = attribute_hint(attribute.name);
    if (hint.empty()) return;
    diagnostics_.warning(attribute.name, fmt::format("'{}' is not a known attribute", attribute.name), hint);
  } else if (known->form == AttributeForm::computations) {
    add_calls(instruction, attribute);
  } else if (known->form == AttributeForm::instructions) {
    check_predecessors(attribute);
  }
}

void Reader::add_calls(Instruction& instruction, const Attribute& attribute) {
  Scanner value(scanner_.text(), std::size_t(attribute.value.data() - text_->data()));
  for (const std::string_view name : read_names(value)) {
    called_names_.push_back(name);
    called_locations_.push_back(name);
    ++instruction.called.count;
  }
}

void Reader::check_predecessors(const Attribute& attribute) {
  Scanner value(scanner_.text(), std::size_t(attribute.value.data() - text_->data()));
  for (const std::string_view name : read_names(value)) {
    if (!definitions_.contains(name)) report_undefined(name);
  }
}

void Reader::define(const Instruction& instruction) {
  const auto [known, is_new] = definitions_.try_emplace(
      instruction.name, Definition{InstructionIndex(module_.instructions.size()), instruction.name});
  if (is_new) return;
  diagnostics_.error(instruction.name, fmt::format("a second instruction '{}'", instruction.name),
                     fmt::format("the first is in line {}", diagnostics_.line_of(known->second.name)));
}

}  // namespace podsim::hlo::text
