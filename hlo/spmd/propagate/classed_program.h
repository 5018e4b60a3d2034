// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hlo/graph.h"
#include "hlo/spmd/propagate/dimension_classes.h"

/// A program by the classes of its dimensions (dimension_classes.h), so that the costs of many shardings follow from
/// sums over few entries.
namespace podsim::hlo::spmd::propagate {

struct ClassedArray {
  std::vector<int> classes;         ///< by dimension; -1: none
  std::vector<std::int64_t> sizes;  ///< by dimension
  double bytes = 0;                 ///< whole, without padding
  /// A parameter that the step replaces (a weight, a slot variable), or an array of the same dimensions, such as a
  /// weight in a narrower type or a gradient.
  bool kept = false;
  bool operator==(const ClassedArray&) const = default;
};

/// A range that a product iterates over.
struct ClassedFactor {
  int of_class = -1;
  std::int64_t size = 1;
  bool reduced = false;  ///< its parts are summed
  std::vector<int> at;   ///< by array of the product: the dimension that it is; -1: none
  bool operator==(const ClassedFactor&) const = default;
};

/// Products that are alike.
struct ClassedProduct {
  hlo::Opcode opcode = hlo::Opcode::dot;
  std::string op_name;  ///< of the first of them
  double count = 0;     ///< in a step; a loop's body as often as it runs, once if that is not known; 0 in a branch
  double flops = 0;     ///< of one
  std::vector<ClassedArray> arrays;  ///< operands, then the result
  std::vector<ClassedFactor> factors;
};

struct KeptArrays {
  ClassedArray array;
  double count = 0;
  /// An elementwise op makes what replaces them, from end to end; false where rows are scattered into them, or where
  /// they stay as they are.
  bool rewritten = false;
};

struct ClassedProgram {
  std::vector<DimensionClass> classes;
  std::vector<ClassedProduct> products;  ///< dots, convolutions, gathers; the order of their first ones
  std::vector<KeptArrays> kept;          ///< parameters that the step replaces (module.donations), alike ones together
  std::vector<ClassedArray> inputs;      ///< other parameters that are arrays
  std::vector<ClassedArray> entry;       ///< by instruction of the entry computation; nothing for tuples
};

ClassedProgram classed_program(const hlo::Module& module);

}  // namespace podsim::hlo::spmd::propagate
