// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hlo/graph.h"

namespace podsim::sw::compiler::layout {

/// An instruction of a module.
struct InstructionPlace {
  hlo::ComputationId computation = 0;
  hlo::InstructionId instruction = 0;
  auto operator<=>(const InstructionPlace&) const = default;
};

/// An array of a class. Dimension d of the class is dimension `dimension[d]` of the array.
struct ClassMember {
  hlo::Shape* shape = nullptr;
  InstructionPlace place;
  std::vector<int> dimension;
};

/// Arrays that have their dimensions in one order in memory, apart from the numbers of the dimensions.
struct LayoutClass {
  std::vector<ClassMember> members;          ///< in program order; the first one gives the class its dimensions
  std::vector<InstructionPlace> readers;     ///< instructions with an operand in the class, each once
  std::optional<std::vector<int>> is_fixed;  ///< minor to major
  std::vector<int> indexed;                  ///< dimensions along which rows are gathered or scattered
  int rank() const { return int(members.front().dimension.size()); }
};

/// Divides the arrays of the executed computations into classes.
///
/// Operands and result of an op that works element by element or moves whole elements within dimensions (slice, pad,
/// concatenate, collectives) are in one class, as are the elements of tuples, the state of a loop, the arguments and
/// results of calls and branches, and donated parameters with the outputs that replace them. A transposition joins its
/// operand and its result with their dimensions exchanged, so that it moves nothing; where this contradicts the other
/// rules, it stays an op. A class is fixed if the module gives one of its arrays a layout, or if an op demands the
/// order of the text: sorts, custom calls, asynchronous ops, fusions that the text has already, and gathers and
/// scatters, whose rows are contiguous. Rows of three dimensions and more that are indexed along one of them may have
/// the others in any order; the one that is indexed is not given to the lanes.
///
/// The shapes are those of `module`, which must not be resized while the result is used.
std::vector<LayoutClass> layout_classes(hlo::Module& module);

/// Why instructions of this opcode have their arrays in the order of the text; nullptr if they take any order. Requires
/// an opcode other than `unknown`.
const char* why_order_of_text(hlo::Opcode opcode);

}  // namespace podsim::sw::compiler::layout
