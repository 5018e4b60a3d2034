// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "hlo/eval/element.h"
#include "hlo/graph.h"

namespace podsim::hlo::eval {

/// A called computation of scalars as straight-line code on elements: the combiner of a reduction, the comparator of a
/// sort, the function of a map. Every operation is rounded to its type. The exception is a computation of a single
/// operation: its result is not rounded, so that a sum over many elements is rounded once, at its end.
class ScalarFunction {
 public:
  /// Throws std::logic_error if the computation contains anything except elementwise operations, constants, calls,
  /// fusions and a tuple of results.
  ScalarFunction(const Module& module, const Computation& computation);

  std::size_t result_count() const { return results_.size(); }
  /// `results` has result_count() elements and may overlap `arguments`.
  void operator()(std::span<const Element> arguments, std::span<Element> results);
  /// Applies a function of two arguments and one result.
  Element operator()(Element x, Element y);

 private:
  struct Step {
    const Instruction* instruction;
    ElementType type;  ///< of the operands
    int operand_count;
    int operands[3];  ///< registers
    int result;
  };

  /// The registers of an inlined computation's values, several for a tuple.
  using Registers = std::vector<int>;
  Registers inline_computation(const Module& module, const Computation& computation,
                               const std::vector<Registers>& arguments);
  Registers append(const Module& module, const Computation& computation, const Instruction& instruction,
                   const std::vector<Registers>& values);
  int append_step(const Computation& computation, const Instruction& instruction, const std::vector<Registers>& values);

  std::vector<Step> steps_;
  std::vector<Element> registers_;  ///< parameters first; constants are filled in
  Registers results_;
  bool single_ = false;  ///< a single operation, whose result is not rounded
};

}  // namespace podsim::hlo::eval
