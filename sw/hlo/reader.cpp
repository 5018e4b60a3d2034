// SPDX-License-Identifier: Apache-2.0
#include "sw/hlo/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <unordered_map>

#include "sw/hlo/attribute_value.h"
#include "sw/hlo/instruction_check.h"
#include "sw/hlo/literal_text.h"

namespace podsim::sw::hlo {
namespace {

constexpr std::array<std::string_view, 4> source_tables{"FileNames", "FunctionNames", "FileLocations", "StackFrames"};
constexpr int deepest_operand = 64;         // instructions written as operands of one another
constexpr int deepest_body = 16;            // computations written where they are called
constexpr InstructionIndex defective = -1;  // a name whose instruction could not be read

/// How a line continues a text that could not be read up to it.
enum class LineStart { other, instruction, closing_brace, computation };

LineStart line_start(std::string_view line) {
  const std::size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
  const bool indented = indent > 0;
  line.remove_prefix(indent);
  if (line.starts_with('}')) {
    line.remove_prefix(1);
    const std::size_t next = line.find_first_not_of(" \t\r");
    return next == std::string_view::npos || line[next] == '/' || line.substr(next).starts_with(", execution_thread")
               ? LineStart::closing_brace
               : LineStart::other;
  }
  if (line.starts_with("HloModule ") || line.starts_with("ENTRY ")) return LineStart::computation;
  const std::size_t last = line.find_last_not_of(" \t\r");
  if (line.starts_with("ROOT ")) line.remove_prefix(5);
  if (line.starts_with('%')) line.remove_prefix(1);
  std::size_t end = 0;
  while (end < line.size() && is_name_character(line[end])) ++end;
  if (end == 0) return LineStart::other;
  if (line.substr(end).starts_with(" = ")) return LineStart::instruction;
  const bool opens = last != std::string_view::npos && line.ends_with('{');
  return !indented && opens ? LineStart::computation : LineStart::other;
}

class Reader {
 public:
  Reader(const std::string& file, std::string text, UnknownOpcodes unknown)
      : file_(file),
        text_(std::make_shared<const std::string>(std::move(text))),
        scanner_(*text_),
        diagnostics_(file, *text_),
        unknown_(unknown) {}

  ReadResult read();

 private:
  void reject_other_formats();
  void read_module();
  void read_header();
  void read_tables();
  void read_computation();
  Signature read_signature();
  void read_instructions(const Computation& computation);
  void read_instruction(const Computation& computation);
  void read_bodies(std::size_t first, int depth);
  void mark_root(std::string_view place, const Computation& computation);
  void read_shape_and_opcode(Instruction& instruction);
  void read_opcode(Instruction& instruction);
  void infer_shape(Instruction& instruction, bool defined);
  bool read_arguments(Instruction& instruction);
  void read_parameter_number(Instruction& instruction);
  bool read_operands(Instruction& instruction);
  InstructionIndex read_operand();
  InstructionIndex read_nested_operand(std::optional<ShapeId> shape, std::string_view opcode);
  std::string_view invent_name(std::string_view stem, const std::function<bool(std::string_view)>& taken);
  void report_undefined(std::string_view name);
  void read_attributes(Instruction& instruction);
  bool read_body_attribute(Instruction& instruction);
  void add_attribute(Instruction& instruction, const Attribute& attribute);
  void add_calls(Instruction& instruction, const Attribute& attribute);
  void check_predecessors(const Attribute& attribute);
  void define(const Instruction& instruction);
  void define_defective(std::size_t begin);
  bool separator_follows() const;
  bool begins_computation(std::size_t begin) const;
  void report_missing_brace(const Computation& computation, std::size_t begin);
  bool recover(std::size_t begin);
  void finish_computation(Computation& computation, const std::optional<Signature>& signature);
  void finish_module();
  void choose_entry();
  void resolve_calls();
  bool truncated(const SyntaxError& error) const { return error.offset >= end_of_content(*text_); }

  struct Definition {
    InstructionIndex instruction = -1;
    std::string_view name;  ///< at the place of the definition
  };

  /// A computation that is written where it is called, to be read when its caller has been.
  struct Body {
    std::string_view name;
    std::size_t offset = 0;  ///< of its '{'
  };

  std::string file_;
  std::shared_ptr<const std::string> text_;
  Scanner scanner_;
  DiagnosticList diagnostics_;
  UnknownOpcodes unknown_;
  std::set<std::string_view> unknown_opcodes_, unknown_attributes_;
  std::vector<Module> modules_;

  // Of the module being read.
  Module module_;
  std::unordered_map<std::string_view, Definition> definitions_;  ///< of the computation being read
  std::unordered_map<std::string_view, ComputationIndex> computations_;
  std::vector<std::string_view> called_names_, called_places_;
  std::vector<Body> bodies_;
  std::vector<InstructionIndex> operand_stack_;
  int operand_depth_ = 0;
  int invented_ = 0;
  std::size_t computation_begin_ = 0;  ///< of the computation being read
  InstructionIndex root_ = -1;
  bool signatures_ = false;  ///< the computation read last has one
  bool complete_ = true;     ///< nothing of the module had to be skipped
};

ReadResult Reader::read() {
  try {
    if (text_->starts_with("\xef\xbb\xbf")) scanner_.move_to(3);
    reject_other_formats();
    do {
      const int errors = diagnostics_.errors();
      read_module();
      if (diagnostics_.errors() == errors) modules_.push_back(std::move(module_));
    } while (!diagnostics_.full() && scanner_.skip_space());
  } catch (const SyntaxError& error) {
    diagnostics_.error(error);
  }
  return {std::move(modules_), diagnostics_.take()};
}

void Reader::reject_other_formats() {
  constexpr std::string_view how =
      "HLO text comes from jax.jit(f).lower(...).compile().as_text() or XLA_FLAGS=--xla_dump_to=DIR";
  if (const std::size_t zero = text_->find('\0'); zero != std::string::npos) {
    throw SyntaxError(zero, 1, "this is not text: it contains a zero byte", std::string(how));
  }
  if (!scanner_.skip_space()) throw SyntaxError(0, 1, "there is no module in this text");
  const std::string_view rest = scanner_.text().substr(scanner_.offset());
  for (const std::string_view start : {"module @", "module {", "module attributes", "builtin.module",
                                       "\"builtin.module", "func.func", "func @", "#loc", "#map", "!"}) {
    if (rest.starts_with(start)) {
      scanner_.fail_at(rest.substr(0, start.size()), "this is MLIR (StableHLO), not HLO text", std::string(how));
    }
  }
}

void Reader::read_module() {
  module_ = Module();
  module_.text = text_;
  module_.file = file_;
  module_.invented_names = std::make_shared<std::deque<std::string>>();
  computations_.clear();
  called_names_.clear();
  called_places_.clear();
  invented_ = 0;
  complete_ = true;
  if (scanner_.accept("HloModule")) read_header();
  read_tables();
  while (!diagnostics_.full()) {
    if (!module_.computations.empty() && separator_follows()) break;
    if (!scanner_.skip_space()) break;
    const std::size_t begin = scanner_.offset();
    if (scanner_.accept("HloModule")) {
      scanner_.move_to(begin);
      break;
    }
    read_computation();
  }
  finish_module();
}

/// A line "// -----" between the last computation and what comes next.
bool Reader::separator_follows() const {
  Scanner ahead = scanner_;
  ahead.skip_space();
  const std::string_view gap = scanner_.text().substr(scanner_.offset(), ahead.offset() - scanner_.offset());
  const std::size_t line = gap.find("\n// -----");
  if (line == std::string_view::npos) return false;
  const std::size_t end = line + std::string_view("\n// -----").size();
  return end == gap.size() || gap[end] == '\n' || gap[end] == '\r';
}

void Reader::read_header() {
  const std::size_t begin = scanner_.offset();
  try {
    module_.name = scanner_.peek() == '"' ? scanner_.quoted("a module's name") : scanner_.name("a module's name");
    scanner_.accept(':');
    while (scanner_.accept(',')) module_.attributes.push_back(read_attribute(scanner_));
  } catch (const SyntaxError& error) {
    if (truncated(error)) throw;
    diagnostics_.error(error);
    const std::size_t line = text_->find('\n', begin);
    scanner_.move_to(std::min(line, text_->size()));
    complete_ = false;
  }
}

void Reader::read_tables() {
  while (scanner_.skip_space()) {
    const auto* name =
        std::ranges::find_if(source_tables, [this](std::string_view word) { return scanner_.accept(word); });
    if (name == source_tables.end()) return;
    SourceTable table{*name, {}};
    while (scanner_.peek() >= '0' && scanner_.peek() <= '9') {
      const std::size_t begin = scanner_.offset();
      if (scanner_.integer("a number") != std::int64_t(table.entries.size()) + 1) {
        scanner_.fail_at(scanner_.text().substr(begin, scanner_.offset() - begin),
                         fmt::format("expected entry {} of {}", table.entries.size() + 1, table.name));
      }
      scanner_.skip_space();
      const std::size_t entry = scanner_.offset();
      if (scanner_.peek() == '"') {
        scanner_.quoted("a string");
      } else {
        read_fields(scanner_);
      }
      table.entries.push_back(scanner_.text().substr(entry, scanner_.offset() - entry));
    }
    module_.tables.push_back(std::move(table));
  }
}

void Reader::read_computation() {
  Computation computation;
  std::optional<Signature> signature;
  const std::size_t begin = scanner_.offset();
  computation_begin_ = begin;
  root_ = -1;
  bool sound = true;
  try {
    const std::size_t mark = scanner_.offset();
    if (scanner_.accept("ENTRY")) {
      if (module_.entry >= 0) scanner_.fail_at(scanner_.text().substr(mark, 5), "a second ENTRY computation");
      module_.entry = ComputationIndex(module_.computations.size());
    }
    computation.name = scanner_.name("a computation");
    if (scanner_.peek() == '(') signature = read_signature();
    signatures_ = signature.has_value();
    scanner_.expect('{', "before the instructions of a computation");
  } catch (const SyntaxError& error) {
    if (truncated(error)) throw;
    diagnostics_.error(error);
    sound = complete_ = false;
    if (!recover(begin)) return;
  }
  const ComputationIndex index = ComputationIndex(module_.computations.size());
  if (sound) {
    const auto [known, is_new] = computations_.emplace(computation.name, index);
    if (!is_new) {
      diagnostics_.error(computation.name, fmt::format("a second computation '{}'", computation.name),
                         fmt::format("the first is in line {}",
                                     diagnostics_.line_of(module_.computations[std::size_t(known->second)].name)));
    }
  }
  computation.instructions.first = std::uint32_t(module_.instructions.size());
  module_.computations.push_back(computation);
  const int errors = diagnostics_.errors();
  bodies_.clear();
  read_instructions(computation);
  std::size_t end = scanner_.offset();
  for (; scanner_.accept(','); end = scanner_.offset()) computation.attributes.push_back(read_attribute(scanner_));
  scanner_.move_to(end);
  sound = sound && diagnostics_.errors() == errors;
  if (!sound) signature.reset();
  finish_computation(computation, signature);
  module_.computations[std::size_t(index)] = std::move(computation);
  read_bodies(0, 1);
}

/// The computations that stand where they are called, from bodies_[first] on, and those in them.
void Reader::read_bodies(std::size_t first, int depth) {
  const std::size_t after = scanner_.offset();
  const std::size_t last = bodies_.size();
  for (std::size_t i = first; i < last && !diagnostics_.full(); ++i) {
    Computation computation;
    computation.name = bodies_[i].name;
    computation.instructions.first = std::uint32_t(module_.instructions.size());
    module_.computations.push_back(computation);
    const std::size_t index = module_.computations.size() - 1;
    scanner_.move_to(bodies_[i].offset);
    computation_begin_ = bodies_[i].offset;
    if (depth > deepest_body)
      scanner_.fail_expected(fmt::format("at most {} computations within one another", deepest_body));
    scanner_.expect('{');
    root_ = -1;
    read_instructions(computation);
    finish_computation(computation, std::nullopt);
    module_.computations[index] = std::move(computation);
  }
  scanner_.move_to(after);
  if (bodies_.size() > last) read_bodies(last, depth + 1);
}

Signature Reader::read_signature() {
  Signature signature;
  scanner_.expect('(');
  if (!scanner_.accept(')')) {
    do {
      Signature::Parameter parameter;
      parameter.name = scanner_.name("a parameter's name");
      scanner_.expect(':', "after a parameter's name");
      parameter.shape = module_.shapes.read(scanner_);
      signature.parameters.push_back(parameter);
    } while (scanner_.accept(','));
    scanner_.expect(')', "after the parameters");
  }
  scanner_.expect("->", "before the result's shape");
  scanner_.skip_space();
  const std::size_t begin = scanner_.offset();
  signature.result = module_.shapes.read(scanner_);
  signature.result_text = scanner_.text().substr(begin, scanner_.offset() - begin);
  return signature;
}

void Reader::read_instructions(const Computation& computation) {
  if (definitions_.bucket_count() > 4096)
    definitions_ = {};  // to clear many buckets takes longer than to make new ones
  definitions_.clear();
  while (true) {
    if (!scanner_.skip_space()) {
      scanner_.fail_at_end(fmt::format("the text ends inside computation '{}', which begins in line {}",
                                       computation.name, scanner_.line_of(computation_begin_)));
    }
    if (scanner_.accept('}')) return;
    if (diagnostics_.full()) {
      complete_ = false;
      return;
    }
    const std::size_t begin = scanner_.offset();
    try {
      read_instruction(computation);
    } catch (const SyntaxError& error) {
      if (truncated(error)) throw;
      complete_ = false;
      if (begins_computation(begin)) return report_missing_brace(computation, begin);
      diagnostics_.error(error);
      if (diagnostics_.full() || !recover(begin)) return;
      define_defective(begin);
    }
  }
}

bool Reader::begins_computation(std::size_t begin) const {
  if (begin > 0 && (*text_)[begin - 1] != '\n') return false;
  const std::size_t end = std::min(text_->find('\n', begin), text_->size());
  return line_start(std::string_view(*text_).substr(begin, end - begin)) == LineStart::computation;
}

void Reader::report_missing_brace(const Computation& computation, std::size_t begin) {
  scanner_.move_to(begin);
  diagnostics_.error(SyntaxError(begin, 1,
                                 fmt::format("expected '}}' at the end of computation '{}', which begins in line {}",
                                             computation.name, scanner_.line_of(computation_begin_))));
}

/// Goes on after an error in what began at `begin`: at the next instruction or '}', true; at the next computation or
/// the end of the text, false.
bool Reader::recover(std::size_t begin) {
  std::size_t line = text_->rfind('\n', begin) + 1;  // npos + 1 is 0
  bool own = true;
  while (line < text_->size()) {
    const std::size_t end = std::min(text_->find('\n', line), text_->size());
    const LineStart start = line_start(scanner_.text().substr(line, end - line));
    if (!own && start == LineStart::computation) {
      scanner_.move_to(line);
      return false;
    }
    if (!own && start != LineStart::other) {
      scanner_.move_to(line);
      return true;
    }
    own = false;
    line = end + 1;
  }
  scanner_.move_to(text_->size());
  return false;
}

/// The name at `begin`, whose instruction could not be read, is no undefined operand of others.
void Reader::define_defective(std::size_t begin) {
  Scanner scanner(scanner_.text(), begin);
  scanner.accept("ROOT");
  const char next = scanner.peek();
  if (next != '%' && !is_name_character(next)) return;
  const std::size_t name_begin = scanner.offset() + (next == '%' ? 1 : 0);
  if (name_begin >= text_->size() || !is_name_character((*text_)[name_begin])) return;
  const std::string_view name = scanner.name("a name");
  definitions_[name] = {defective, name};
}

void Reader::mark_root(std::string_view place, const Computation& computation) {
  if (root_ >= 0) {
    diagnostics_.error(place, fmt::format("a second ROOT in computation '{}'", computation.name),
                       fmt::format("the first is '{}'", module_.instructions[std::size_t(root_)].name));
  }
  root_ = InstructionIndex(module_.instructions.size());
}

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

/// Of an instruction that was written without its shape.
void Reader::infer_shape(Instruction& instruction, bool defined) {
  const Opcode opcode = instruction.opcode;
  const bool known = opcode != Opcode::unknown && instruction.phase == AsyncPhase::none;
  const bool changes_type = opcode == Opcode::compare || opcode == Opcode::convert || opcode == Opcode::complex ||
                            opcode == Opcode::is_finite || opcode == Opcode::real || opcode == Opcode::imag ||
                            opcode == Opcode::stochastic_convert;
  const bool same = known && ((row(opcode).kind == OpcodeClass::elementwise && !changes_type) ||
                              opcode == Opcode::while_loop || opcode == Opcode::dynamic_update_slice);
  const bool inferable = same || opcode == Opcode::get_tuple_element || opcode == Opcode::tuple;
  if (!inferable || instruction.operands.count == 0 || !defined) {
    scanner_.fail_at(instruction.opcode_text, fmt::format("the shape of '{}' is missing", instruction.name));
  }
  if (opcode == Opcode::tuple) {
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
  const OpcodeName found = find_opcode(instruction.opcode_text);
  instruction.opcode = found.opcode;
  instruction.phase = found.phase;
  if (found.opcode != Opcode::unknown || !unknown_opcodes_.insert(instruction.opcode_text).second) return;
  std::vector<std::string> names;
  for (const OpcodeRow& known : opcode_table()) names.emplace_back(known.name);
  const std::string message = fmt::format("'{}' is not a known opcode", instruction.opcode_text);
  const std::string hint = base::did_you_mean(instruction.opcode_text, names);
  if (unknown_ == UnknownOpcodes::reject) {
    diagnostics_.error(instruction.opcode_text, message, hint);
  } else {
    diagnostics_.warning(instruction.opcode_text, message, hint);
  }
}

/// What stands in the parentheses after an opcode; false when an operand is not defined.
bool Reader::read_arguments(Instruction& instruction) {
  scanner_.expect('(');
  bool defined = true;
  scanner_.skip_space();
  const std::size_t begin = scanner_.offset();
  if (instruction.opcode == Opcode::parameter) {
    read_parameter_number(instruction);
  } else if (instruction.opcode == Opcode::constant) {
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

/// An instruction that stands where it is used: "reshape(f32[8] parameter(0))".
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

std::string_view Reader::invent_name(std::string_view stem, const std::function<bool(std::string_view)>& taken) {
  std::deque<std::string>& names = *module_.invented_names;
  names.emplace_back(stem);
  while (taken(names.back())) names.back() = fmt::format("{}.{}", stem, ++invented_);
  return names.back();
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
    called_places_.resize(instruction.called.first);
    bodies_.resize(bodies);
    throw;
  }
}

/// "to_apply={ ... }" with the instructions of a computation: its text is passed over, see read_bodies.
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
  module_.attribute_list.push_back({attribute, name});
  ++instruction.attributes.count;
  called_names_.push_back(name);
  called_places_.push_back(text.substr(0, 1));
  ++instruction.called.count;
  return true;
}

void Reader::add_attribute(Instruction& instruction, const Attribute& attribute) {
  if (find_value(module_.attributes_of(instruction), attribute.name) != nullptr) {
    diagnostics_.error(attribute.name, fmt::format("a second '{}'", attribute.name));
  }
  module_.attribute_list.push_back(attribute);
  ++instruction.attributes.count;
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
    called_places_.push_back(name);
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

void Reader::finish_computation(Computation& computation, const std::optional<Signature>& signature) {
  computation.instructions.count = std::uint32_t(module_.instructions.size()) - computation.instructions.first;
  if (computation.instructions.count == 0) {
    if (complete_) {
      diagnostics_.error(computation.name, fmt::format("computation '{}' has no instruction", computation.name));
    }
    return;
  }
  computation.root = root_ >= 0 ? root_ : InstructionIndex(module_.instructions.size()) - 1;
  if (!complete_) return;
  const int errors = diagnostics_.errors();
  number_parameters(module_, computation, diagnostics_);
  if (signature && diagnostics_.errors() == errors) check_signature(module_, computation, *signature, diagnostics_);
}

void Reader::finish_module() {
  if (!complete_) return;
  choose_entry();
  resolve_calls();
  module_.computations.shrink_to_fit();
  module_.instructions.shrink_to_fit();
  module_.operand_list.shrink_to_fit();
  module_.attribute_list.shrink_to_fit();
}

void Reader::choose_entry() {
  if (module_.computations.empty()) scanner_.fail_expected("a computation");
  // What a compiler prints has signatures and an ENTRY; in what people write without them the last one is the entry.
  if (module_.entry < 0 && signatures_ && !scanner_.skip_space()) {
    scanner_.fail_at_end(fmt::format("module '{}' ends without its ENTRY computation", module_.name));
  }
  if (module_.entry < 0) module_.entry = ComputationIndex(module_.computations.size()) - 1;
  if (module_.name.empty()) module_.name = module_.computations[std::size_t(module_.entry)].name;
}

void Reader::resolve_calls() {
  const int errors = diagnostics_.errors();
  module_.called_list.reserve(called_names_.size());
  for (std::size_t i = 0; i < called_names_.size(); ++i) {
    const std::string_view name = called_names_[i];
    const auto found = computations_.find(name);
    module_.called_list.push_back(found == computations_.end() ? -1 : found->second);
    if (found != computations_.end() || diagnostics_.full()) continue;
    std::vector<std::string> names;
    for (const Computation& computation : module_.computations) names.emplace_back(computation.name);
    diagnostics_.error(name, fmt::format("there is no computation '{}'", name), base::did_you_mean(name, names));
  }
  if (diagnostics_.errors() == errors) check_calls(module_, called_places_, diagnostics_);
}

}  // namespace

bool ReadResult::ok() const {
  return std::ranges::none_of(diagnostics, [](const base::Diagnostic& diagnostic) {
    return diagnostic.severity == base::Diagnostic::Severity::error;
  });
}

ReadResult read(const std::string& file, std::string text, UnknownOpcodes unknown) {
  return Reader(file, std::move(text), unknown).read();
}

}  // namespace podsim::sw::hlo
