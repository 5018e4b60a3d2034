// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "hlo/graph.h"
#include "sw/codegen/builder/element_code.h"
#include "sw/codegen/fusion/located.h"
#include "sw/codegen/fusion/space.h"
#include "sw/codegen/fusion/value.h"

namespace podsim::sw::codegen::fusion {

/// Registers that an iteration of a loop over a space computes: `lane_tiles` of each of `row_tiles`. They follow each
/// other in memory, since there is one row tile, or rows of tiles are whole.
struct Unit {
  std::int64_t row_tiles = 1, lane_tiles = 1;
  std::int64_t registers() const { return row_tiles * lane_tiles; }
};
/// A register of a unit.
struct UnitRegister {
  std::int64_t row_tile = 0, lane_tile = 0;
};

/// Where the elements of a parameter, or of a value that an earlier loop has computed, are in VMEM.
struct Source {
  VmemArray array;
  /// Set if the array has the registers of the space: the first register of the current unit.
  std::optional<registers::RowAddress> unit;
};
using Sources = std::map<hlo::InstructionId, Source>;

/// First rows of arrays of a register per row tile, each of whose rows has one element in all lanes (Sweep::columns).
using Columns = std::map<std::pair<hlo::InstructionId, Axes>, builder::KernelBuilder::VmemBuffer>;

/// Values that are the same for all units.
using Invariants = std::map<hlo::InstructionId, Value>;

/// Writes the values of one unit, each when it is first needed and once per register in which it differs.
class UnitCode {
 public:
  /// All arguments outlive this. Values of invariant instructions are taken from `invariants`, if it has them.
  UnitCode(builder::KernelBuilder& builder, const hlo::Module& module, const Space& space, const Unit& unit,
           const Position& first, const Sources& sources, const Columns& columns, const Invariants& invariants);

  /// A value of the space's dimensions, or of others as `axes` say; bf16 is rounded.
  Value value(hlo::InstructionId id, const Axes& axes, UnitRegister at);
  /// The same, where a store will round it.
  Value before_rounding(hlo::InstructionId id, const Axes& axes, UnitRegister at);
  /// The elements of a register that are in the space; std::nullopt if all are.
  std::optional<registers::MaskReg> valid(UnitRegister at);

 private:
  using Key = std::tuple<hlo::InstructionId, Axes, std::int64_t, std::int64_t>;

  Key key(hlo::InstructionId id, const Axes& axes, UnitRegister at) const;
  Value computed(hlo::InstructionId id, const Axes& axes, UnitRegister at);
  Value loaded(hlo::InstructionId id, const Axes& axes, UnitRegister at);
  registers::VectorReg loaded_words(hlo::InstructionId id, const Axes& axes, UnitRegister at);
  registers::VectorReg of_column(const builder::KernelBuilder::VmemBuffer& column, UnitRegister at);
  registers::VectorReg of_stream(hlo::InstructionId id, const Source& source, UnitRegister at);
  Located located(hlo::InstructionId id, const Source& source, const Axes& axes, UnitRegister at);
  Value iota(const hlo::Instruction& instruction, const Axes& axes, UnitRegister at);
  Value reduced(const hlo::Instruction& instruction, const Axes& axes, UnitRegister at);
  std::optional<registers::MaskReg> valid_lanes(UnitRegister at);
  std::optional<registers::MaskReg> valid_rows(UnitRegister at);
  registers::VectorReg elements_of_vector(UnitRegister at);
  Position position(UnitRegister at);
  registers::VectorReg counted(registers::VectorReg numbers, registers::ScalarOperand first);
  registers::VectorReg lane_numbers();
  registers::VectorReg row_numbers();

  builder::KernelBuilder& builder_;
  const hlo::Module& module_;
  const hlo::Computation& body_;
  const Space& space_;
  const Unit& unit_;
  const Position& first_;
  const Sources& sources_;
  const Columns& columns_;
  const Invariants& invariants_;
  std::map<Key, Value> computed_, rounded_;
  std::map<std::pair<hlo::InstructionId, std::int64_t>, builder::TilePair> pairs_;
  std::map<std::pair<hlo::InstructionId, Axes>, Located> located_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::optional<registers::MaskReg>> valid_lanes_, valid_rows_;
  std::optional<registers::VectorReg> lane_numbers_, row_numbers_;
};

}  // namespace podsim::sw::codegen::fusion
