// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/opcode.h"
#include "hlo/stablehlo/hlo_text.h"
#include "hlo/text/attribute.h"
#include "hlo/text/shape.h"

/// A module of HLO text as written, with all instructions, attributes and layouts; operands and called computations are
/// resolved. It takes a few times as much memory as its text: names, literals and attribute values are views into the
/// text, shapes are rows of a table, and all operands are in one array.
namespace podsim::hlo::text {

/// Index of an instruction in its module. The instructions of a computation are contiguous.
using InstructionIndex = std::int32_t;
/// Index of a computation in its module, in the order of the text.
using ComputationIndex = std::int32_t;

/// A range of elements in one of the module's arrays.
struct Range {
  std::uint32_t first = 0, count = 0;
};

struct Instruction {
  std::string_view name;         ///< without '%'; a view into the text
  std::string_view opcode_text;  ///< as written, with any asynchronous suffix
  std::string_view literal;      ///< of a constant: its value; of a parameter: its number
  Range operands;                ///< in Module::operand_list
  Range attributes;              ///< in Module::attribute_list
  Range called;                  ///< in Module::called_list, in the order of the attributes
  ShapeId shape = 0;
  std::int32_t parameter = -1;  ///< parameter number, -1 for other instructions
  hlo::Opcode opcode = hlo::Opcode::unknown;
  hlo::AsyncPhase phase = hlo::AsyncPhase::none;
};

struct Computation {
  std::string_view name;
  Range instructions;                        ///< in Module::instructions, operands before users
  InstructionIndex root = -1;                ///< index in the module
  std::vector<InstructionIndex> parameters;  ///< by parameter number
  std::vector<Attribute> attributes;         ///< such as execution_thread
};

/// One of the tables of source locations that may precede the computations.
struct SourceTable {
  std::string_view name;                  ///< "FileNames"
  std::vector<std::string_view> entries;  ///< entry i has number i + 1: a string with its quotes, or "{...}"
};

struct Module {
  std::shared_ptr<const std::string> text;  ///< the text that all views point into
  std::shared_ptr<std::deque<std::string>>
      invented_names;  ///< the exception: names of instructions and computations that the text does not name
  std::shared_ptr<const stablehlo::TextOrigin> origin;  ///< of a text that was made from StableHLO
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

/// Returns the value of the attribute `name`, or nullptr.
const std::string_view* find_value(std::span<const Attribute> attributes, std::string_view name);

/// Returns all computations, called ones before their callers and otherwise in the order of the text.
std::vector<ComputationIndex> callees_first(const Module& module);

/// True if the instructions are in order of execution (is_scheduled).
bool is_scheduled(const Module& module);

/// True for the program of all partitions together, which no partitioner has seen: one that was made from StableHLO, or
/// of a workload. The attribute podsim.global of the front end says so.
bool is_global(const Module& module);

/// Bytes that the module holds, excluding its text.
std::size_t memory_bytes(const Module& module);

}  // namespace podsim::hlo::text
