// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "hlo/graph.h"
#include "sw/codegen/fusion/located.h"
#include "sw/codegen/fusion/reducer.h"
#include "sw/codegen/fusion/unit_code.h"

namespace podsim::sw::codegen::fusion {

/// Additions on the way of an element through the trees over lanes and sublanes.
inline constexpr double tree_steps = 10;

/// A reduction of the values of a sweep. Registers are folded lane by lane into accumulators in VMEM, one for every
/// register of the kept dimensions; a loop behind the sweep folds their lanes and sublanes.
///
/// Order of additions: the registers of a unit, row tiles and lane tiles ascending; then unit by unit, from the neutral
/// element on; then lanes, then sublanes, each in the tree of the cross-lane unit (docs/isa.md); then the initial
/// value.
class Accumulators {
 public:
  Accumulators(const hlo::Module& module, hlo::InstructionId reduce, const Space& space);

  std::int64_t vmem_rows() const;
  /// Allocates the accumulators, and writes the loop that sets them to the neutral element.
  void begin(builder::KernelBuilder& builder);
  /// Writes the code that adds the values of a unit.
  void add_unit(builder::KernelBuilder& builder, UnitCode& code, const Unit& unit, const Position& first) const;
  /// Writes the loop that puts the results into an array of f32 with the dimensions and layout of the reduction.
  void finish(builder::KernelBuilder& builder, const VmemArray& result) const;
  /// Writes the body of that loop for one accumulator.
  void finish_register(builder::KernelBuilder& builder, const VmemArray& result, const Position& position,
                       registers::RowAddress accumulator) const;
  std::int64_t registers() const;
  /// Kernel::rounding_steps of the reduction: the additions on the way of an element.
  double rounding_steps() const;

 private:
  using Group = std::pair<std::int64_t, std::int64_t>;  ///< row and lane tile of a unit, 0 if they are reduced

  bool keeps(int dimension) const;
  registers::ScalarOperand first_row(builder::KernelBuilder& builder, const Position& position) const;
  std::int32_t distance(const Group& group) const;

  const hlo::Module& module_;
  const hlo::Computation& body_;
  hlo::InstructionId reduce_;
  const Space& space_;
  std::vector<int> kept_;
  Reducer reducer_;
  builder::KernelBuilder::VmemBuffer at_;
};

}  // namespace podsim::sw::codegen::fusion
