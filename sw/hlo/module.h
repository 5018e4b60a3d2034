// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sw/graph/opcode.h"
#include "sw/hlo/attribute.h"
#include "sw/hlo/shape.h"

/// A module of HLO text as it is written: every instruction, attribute and layout of it, operands and called
/// computations found. It costs about as much memory as its text a few times over: names, literals and attribute values
/// are places in the text, shapes are rows of a table, operands lie in one array.
namespace podsim::sw::hlo {

/// Index of an instruction in its module; those of a computation follow each other.
using InstructionIndex = std::int32_t;
/// Index of a computation in its module, in the order of the text.
using ComputationIndex = std::int32_t;

/// Part of one of a module's arrays.
struct Range {
  std::uint32_t first = 0, count = 0;
};

struct Instruction {
  std::string_view name;         ///< without '%'; a place in the text
  std::string_view opcode_text;  ///< as written, with its asynchronous suffix
  std::string_view literal;      ///< of a constant, and the number of a parameter
  Range operands;                ///< of Module::operand_list
  Range attributes;              ///< of Module::attribute_list
  Range called;                  ///< of Module::called_list, in the order of the attributes
  ShapeId shape = 0;
  std::int32_t parameter = -1;  ///< its number
  Opcode opcode = Opcode::unknown;
  AsyncPhase phase = AsyncPhase::none;
};

struct Computation {
  std::string_view name;
  Range instructions;                        ///< of Module::instructions, operands before users
  InstructionIndex root = -1;                ///< index in the module
  std::vector<InstructionIndex> parameters;  ///< by parameter number
  std::vector<Attribute> attributes;         ///< such as execution_thread
};

/// One of the tables of source places that may stand before the computations.
struct SourceTable {
  std::string_view name;                  ///< "FileNames"
  std::vector<std::string_view> entries;  ///< by number, from 1: a string with its quotes, or "{...}"
};

struct Module {
  std::shared_ptr<const std::string> text;                  ///< what all views point into
  std::shared_ptr<std::deque<std::string>> invented_names;  ///< but these, of what was written without a name
  std::string file;
  std::string name;
  std::vector<Attribute> attributes;
  std::vector<SourceTable> tables;
  std::vector<Computation> computations;
  std::vector<Instruction> instructions;
  std::vector<InstructionIndex> operand_list;
  std::vector<Attribute> attribute_list;
  std::vector<ComputationIndex> called_list;
  ShapeTable shapes;
  ComputationIndex entry = -1;

  std::span<const Instruction> instructions_of(const Computation& computation) const {
    return std::span(instructions).subspan(computation.instructions.first, computation.instructions.count);
  }
  std::span<const InstructionIndex> operands(const Instruction& instruction) const {
    return std::span(operand_list).subspan(instruction.operands.first, instruction.operands.count);
  }
  std::span<const Attribute> attributes_of(const Instruction& instruction) const {
    return std::span(attribute_list).subspan(instruction.attributes.first, instruction.attributes.count);
  }
  std::span<const ComputationIndex> called(const Instruction& instruction) const {
    return std::span(called_list).subspan(instruction.called.first, instruction.called.count);
  }
};

/// The value of the attribute `name`, or nullptr.
const std::string_view* find_value(std::span<const Attribute> attributes, std::string_view name);

/// All computations, called ones before their callers and otherwise in the order of the text.
std::vector<ComputationIndex> callees_first(const Module& module);

/// Whether the text gives the order of execution.
bool is_scheduled(const Module& module);

/// Bytes that the module holds, its text apart.
std::size_t memory_bytes(const Module& module);

}  // namespace podsim::sw::hlo
