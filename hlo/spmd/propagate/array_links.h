// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hlo/spmd/propagate/array_table.h"
#include "hlo/spmd/propagate/op_rule.h"

namespace podsim::hlo::spmd::propagate {

/// Arrays whose dimensions correspond: the operands and results of an op, or values that are passed on.
struct ArrayLink {
  enum class Stage : std::uint8_t {
    keeping,  ///< every dimension of one array is in the others
    /// A dynamic-slice or dynamic-update-slice: kept dimensions pass from the operands to the result first, so that
    /// what a loop stores for each trip has the sharding of the trip's value.
    storing,
    other,  ///< any other op
    /// A broadcast of floating-point numbers whose result has more dimensions than its operand: scales and biases take
    /// the sharding of their readers. Integers and booleans are token ids and masks, which carry the batch's sharding.
    broadcasting,
  };
  std::vector<ArrayId> arrays;  ///< inputs first
  int inputs = 0;
  int rule = -1;  ///< index of the rule; -1: dimension i of every array is one factor, parallel
  Stage stage = Stage::keeping;
  /// Links the whole and the shard of a manual_border.h, the operand first.
  bool is_border = false;
  bool is_agreement = false;  ///< links a caller and a body, or the arrays of a donation
  hlo::ComputationId computation = -1;
  hlo::InstructionId op = -1;
  /// Indices in `arrays` in the order in which shardings are taken from them: the largest first, but a gather's indices
  /// before all others.
  std::vector<int> by_weight;
};

struct ArrayLinks {
  std::vector<ArrayLink> links;  ///< in program order, with bodies where they are called
  std::vector<OpRule> rules;     ///< a rule's operands and results are the arrays of its link, in order
};

/// The links of a module. Scalars that are only passed on or combined elementwise have no links.
ArrayLinks array_links(const ArrayTable& table);

}  // namespace podsim::hlo::spmd::propagate
