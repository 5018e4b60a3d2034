// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/spmd/array_table.h"
#include "sw/spmd/op_rule.h"

namespace podsim::sw {

/// Arrays whose dimensions go together: the operands and results of an op, or values that are handed on.
struct ArrayLink {
  enum class Stage : std::uint8_t {
    keeping,  ///< every dimension of one array is in the others
    other,    ///< an op of any kind
    /// A broadcast of real numbers, whose result has dimensions that its operand lacks: scales and biases follow those
    /// who read them. Whole numbers and truth values are tokens and masks, which bring the batch along.
    broadcasting,
  };
  std::vector<ArrayId> arrays;  ///< inputs first
  int inputs = 0;
  int rule = -1;  ///< index of the rule; -1: dimension i of every array is one factor, parallel
  Stage stage = Stage::keeping;
  bool is_agreement = false;  ///< of a caller and a body, or a donation
  ComputationId computation = -1;
  InstructionId op = -1;
  /// Positions in `arrays` in the order in which they are asked: the largest first, but a gather's indices before all.
  std::vector<int> by_weight;
};

struct ArrayLinks {
  std::vector<ArrayLink> links;  ///< in program order, bodies where they are called
  std::vector<OpRule> rules;     ///< arrays of a rule are those of its link, operands then results
};

/// The links of a module, without arrays of no dimensions.
ArrayLinks array_links(const ArrayTable& table);

}  // namespace podsim::sw
