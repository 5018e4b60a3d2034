// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hlo/text/diagnostic_list.h"
#include "hlo/text/instruction_check.h"
#include "hlo/text/reader.h"

namespace podsim::hlo::text {

/// A pass over one text: modules, their computations, and their instructions. reader.h lists its checks.
class Reader {
 public:
  Reader(const std::string& file, std::string text, UnknownOpcodes unknown,
         std::shared_ptr<const stablehlo::TextOrigin> origin = nullptr)
      : file_(file),
        origin_(std::move(origin)),
        text_(std::make_shared<const std::string>(std::move(text))),
        scanner_(*text_),
        diagnostics_(file, *text_, origin_.get()),
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
  void append_attribute(Instruction& instruction, const Attribute& attribute);
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
    std::string_view name;  ///< a view of the definition in the text
  };

  /// A computation that is written inside its call; it is read after its caller.
  struct Body {
    std::string_view name;
    std::size_t offset = 0;  ///< of its '{'
  };

  static constexpr InstructionIndex defective = -1;  ///< a name whose instruction could not be read

  std::string file_;
  std::shared_ptr<const stablehlo::TextOrigin> origin_;
  std::shared_ptr<const std::string> text_;
  Scanner scanner_;
  DiagnosticList diagnostics_;
  UnknownOpcodes unknown_;
  std::set<std::string_view> unknown_opcodes_, unknown_attributes_;
  std::vector<Module> modules_;

  // State of the module being read.
  Module module_;
  std::unordered_map<std::string_view, Definition> definitions_;  ///< of the computation being read
  std::unordered_map<std::string_view, ComputationIndex> computations_;
  std::vector<std::string_view> called_names_, called_locations_;
  std::vector<Body> bodies_;
  std::vector<InstructionIndex> operand_stack_;
  int operand_depth_ = 0;
  int invented_ = 0;
  std::size_t computation_begin_ = 0;  ///< of the computation being read
  InstructionIndex root_ = -1;
  bool signatures_ = false;  ///< the last computation that was read has a signature
  bool complete_ = true;     ///< no part of the module had to be skipped
};

}  // namespace podsim::hlo::text
