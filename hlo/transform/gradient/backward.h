// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "hlo/build/graph_builder.h"

namespace podsim::hlo::transform::gradient {

class ReverseSweep;

/// One instruction in the reverse sweep, as its rule sees it: the instruction, the gradients of its result, and the way
/// to add to those of its operands. The leaves of a value are its arrays, nested tuples flattened; an array has one.
class Backward {
 public:
  /// `forward` is a copy: the builder moves its instructions when it grows.
  Backward(ReverseSweep& sweep, build::GraphBuilder& builder, Instruction instruction, InstructionId id,
           std::vector<InstructionId> slopes);

  build::GraphBuilder& b;
  const Instruction forward;
  const InstructionId y;                    ///< the instruction's id
  const std::vector<InstructionId> slopes;  ///< gradients of the result's leaves; -1 if the loss does not depend on one

  InstructionId x(std::size_t operand) const { return forward.operands[operand]; }
  /// The gradient of a result that is an array.
  InstructionId g() const { return slopes[0]; }
  /// The gradient of a leaf, zeros if the loss does not depend on it.
  InstructionId slope_or_zeros(std::size_t leaf);
  /// The number of leaves before an element of a tuple.
  static std::size_t leaves_before(const Shape& tuple, std::int64_t element);

  /// True if a gradient of the operand is asked for.
  bool wants(std::size_t operand) const;
  /// Adds to the gradient of an operand that is an array.
  void give(std::size_t operand, InstructionId gradient) { give_leaf(operand, 0, gradient); }
  void give_leaf(std::size_t operand, std::size_t leaf, InstructionId gradient);
  /// Differentiates an expansion: values that were appended and are equal to the result's leaves, as functions of the
  /// instruction's operands. Adds the gradients of the operands.
  void through(const std::vector<InstructionId>& leaves);

  /// A copy of a gradient in the operand's type.
  InstructionId typed(InstructionId gradient, std::size_t operand) { return b.convert(gradient, b.type(x(operand))); }
  /// The operation of combiner `which` if it is one operation on its two parameters, else `unknown`.
  Opcode combiner(std::size_t which = 0) const;
  [[noreturn]] void refuse(std::string_view why) const;

 private:
  ReverseSweep& sweep_;
};

/// How the gradient of an instruction's result becomes part of those of its operands.
using Rule = void(Backward&);

}  // namespace podsim::hlo::transform::gradient
