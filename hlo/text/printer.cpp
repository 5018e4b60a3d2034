// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/printer.h"

#include "hlo/text/attribute_value.h"
#include "hlo/text/scanner.h"

namespace podsim::hlo::text {
namespace {

constexpr std::string_view no_space_before = ",)]}:=";
constexpr std::string_view no_space_after = ",([{:=";

class Printer {
 public:
  explicit Printer(const Module& module) : module_(module) { out_.reserve(module.text->size()); }

  std::string print() {
    out_ += "HloModule ";
    out_ += module_.name;
    append_attributes(module_.attributes);
    out_ += '\n';
    for (const SourceTable& table : module_.tables) append_table(table);
    for (const ComputationIndex index : callees_first(module_)) {
      out_ += '\n';
      if (module_.entry == index) out_ += "ENTRY ";
      append_computation(module_.computations[std::size_t(index)]);
    }
    return std::move(out_);
  }

 private:
  void append_attributes(std::span<const Attribute> attributes) {
    for (const Attribute& attribute : attributes) {
      out_ += ", ";
      out_ += attribute.name;
      out_ += '=';
      append_value(attribute);
    }
  }

  void append_value(const Attribute& attribute) {
    const AttributeRow* known = find_attribute_row(attribute.name);
    const bool names =
        known != nullptr && (known->form == AttributeForm::computations || known->form == AttributeForm::instructions);
    if (!names) {
      out_ += canonical_text(attribute.value);
      return;
    }
    Scanner scanner(attribute.value);
    const bool braces = attribute.value.starts_with('{');
    out_ += braces ? "{" : "";
    bool first = true;
    for (const std::string_view name : read_names(scanner)) {
      if (!first) out_ += ", ";
      first = false;
      append_name(name);
    }
    out_ += braces ? "}" : "";
  }

  void append_table(const SourceTable& table) {
    out_ += '\n';
    out_ += table.name;
    out_ += '\n';
    for (std::size_t i = 0; i < table.entries.size(); ++i) {
      out_ += std::to_string(i + 1) + ' ' + canonical_text(table.entries[i]) + '\n';
    }
  }

  void append_name(std::string_view name) {
    out_ += '%';
    out_ += name;
  }

  void append_computation(const Computation& computation) {
    append_name(computation.name);
    out_ += " (";
    for (std::size_t i = 0; i < computation.parameters.size(); ++i) {
      const Instruction& parameter = module_.instructions[std::size_t(computation.parameters[i])];
      if (i > 0) out_ += ", ";
      out_ += parameter.name;
      out_ += ": " + module_.shapes.text(parameter.shape, false);
    }
    out_ += ") -> " + module_.shapes.text(module_.instructions[std::size_t(computation.root)].shape, false) + " {\n";
    for (std::uint32_t i = 0; i < computation.instructions.count; ++i) {
      const std::uint32_t index = computation.instructions.first + i;
      out_ += computation.root == InstructionIndex(index) ? "  ROOT " : "  ";
      append_instruction(module_.instructions[index]);
    }
    out_ += '}';
    append_attributes(computation.attributes);
    out_ += '\n';
  }

  void append_instruction(const Instruction& instruction) {
    append_name(instruction.name);
    out_ += " = " + module_.shapes.text(instruction.shape) + ' ';
    out_ += instruction.opcode_text;
    out_ += '(';
    out_ += canonical_text(instruction.literal);
    bool first = true;
    for (const InstructionIndex operand : module_.operands(instruction)) {
      if (!first) out_ += ", ";
      first = false;
      append_name(module_.instructions[std::size_t(operand)].name);
    }
    out_ += ')';
    append_attributes(module_.attributes_of(instruction));
    out_ += '\n';
  }

  const Module& module_;
  std::string out_;
};

bool contains(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }

}  // namespace

std::string canonical_text(std::string_view value) {
  std::string out;
  Scanner scanner(value);
  std::size_t end = 0;  // end of the text copied so far
  while (scanner.skip_space()) {
    const std::size_t begin = scanner.offset();
    const bool space = begin > end && !out.empty();
    if (space && !contains(no_space_before, value[begin]) && !contains(no_space_after, out.back())) out += ' ';
    if (value[begin] == '"') {
      scanner.quoted("a string");
    } else {
      scanner.move_to(begin + 1);
    }
    end = scanner.offset();
    out += value.substr(begin, end - begin);
  }
  return out;
}

std::string print(const Module& module) { return Printer(module).print(); }

std::string print(std::span<const Module> modules) {
  std::string text;
  for (const Module& module : modules) {
    if (!text.empty()) text += "\n// -----\n\n";
    text += print(module);
  }
  return text;
}

}  // namespace podsim::hlo::text
