// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/graph.h"

namespace podsim::hlo::spmd::propagate {

/// A dimension of an instruction's array in the entry computation.
struct EntryDimension {
  hlo::InstructionId id = -1;
  int dimension = 0;
};

/// Dimensions of a program that go together, as the named dimensions of Mesh-TensorFlow (Shazeer et al. 2018) do: the
/// batch of all activations, the hidden units of a layer and its weights.
struct DimensionClass {
  std::int64_t size = 0;           ///< the largest of its dimensions
  std::vector<EntryDimension> of;  ///< in program order; only of parameters and of results of products
};

/// The classes of the dimensions of a module's parameters and of the results of its products (dots, convolutions,
/// gathers of rows), over all of the program: dimensions are in one class if an op iterates over both by its major
/// factor (op_rule.h), of kind parallel or reduction, or of kind shifted under a window. Broadcasts of scalars,
/// constants and iotas join nothing, since unrelated values share them. Classes that play the same part in repeated
/// layers are one class: those whose dimensions belong to the same kinds of op, at the same operands, with the same
/// shapes. Ordered by their first dimension; without classes of size 1.
std::vector<DimensionClass> dimension_classes(const hlo::Module& module);

}  // namespace podsim::hlo::spmd::propagate
