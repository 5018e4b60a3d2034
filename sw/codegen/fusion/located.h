// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/codegen/builder/kernel_builder.h"
#include "sw/codegen/fusion/space.h"

namespace podsim::sw::codegen::fusion {

/// The register of a space that code is written for.
struct Position {
  registers::ScalarOperand row_tile = 0, lane_tile = 0;
  std::vector<registers::ScalarOperand> planes = {};  ///< coordinates, by plane of the space
};

/// An array in VMEM, in the layout that it has in HBM.
struct VmemArray {
  hlo::Shape shape;
  builder::KernelBuilder::VmemBuffer at;
};

/// Where the elements of an array for one register of a space are.
struct Located {
  enum class Lanes {
    as_they_are,  ///< lane l of the register has lane l
    of_rows,      ///< sublane s has lane number `lane` + s in all lanes
    one,          ///< all lanes have lane number `lane`
  };
  registers::RowAddress address;         ///< stride 0 if all sublanes have the same row
  bool whole_tile = false;               ///< the address is that of a tile: 8 rows, or 4 of two elements per word
  registers::ScalarOperand odd_row = 0;  ///< for one row of two elements per word: 1 if it is the high half
  Lanes lanes = Lanes::as_they_are;
  registers::ScalarOperand lane = 0;
};

/// Finds them; NoCode for a layout whose lanes are sublanes of the space and the other way round, and offsets within a
/// register.
Located locate(builder::KernelBuilder& builder, const VmemArray& array, const Axes& axes, const Space& space,
               const Position& position);
/// True for an array whose lanes are the rows of the space and that has no other dimension of it: the code that moves
/// its lanes to sublanes depends on the row tile alone.
bool is_column(const hlo::Shape& array, const Axes& axes, const Space& space);
/// Throws what locate() throws, without writing code.
void check_located(const hlo::Shape& array, const Axes& axes, const Space& space);

/// Loads them as words, bf16 as f32.
registers::VectorReg load_located(builder::KernelBuilder& builder, const VmemArray& array, const Located& located);
/// Stores a register to the words of an array of f32 or s32. Sublanes, or lanes, that go to the same element have to be
/// equal.
void store_located(builder::KernelBuilder& builder, const Located& located, registers::VectorReg value);

}  // namespace podsim::sw::codegen::fusion
