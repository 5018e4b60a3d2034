// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "hlo/graph.h"
#include "hlo/spmd/propagate/propagation.h"

/// Random programs to partition. A program is a list of steps, each a few numbers that have a meaning after any other
/// steps. Any sublist of steps is a program too, so that a failing one can be shrunk.
namespace podsim::hlo::spmd::testing {

/// Kinds of ops that a step may be.
constexpr int op_kinds = 31;

struct ProgramStep {
  std::uint8_t kind = 0;      ///< kind of op, below op_kinds
  std::uint8_t a = 0, b = 0;  ///< operands, among the values so far
  std::uint32_t detail = 0;   ///< sizes, dimensions, windows
  std::uint32_t split = 0;    ///< determines the sharding of the result
};
std::ostream& operator<<(std::ostream& out, const ProgramStep& step);

struct RandomProgram {
  hlo::Module module;
  propagate::ModuleShardings shardings;
  std::vector<std::vector<std::uint32_t>> split;  ///< [computation][instruction]: determines its sharding
};

/// Values are small integers in f32, clamped after products, so that sums are exact in any order. The root is the tuple
/// of all values that no op reads.
RandomProgram random_program(const mesh::Mesh& mesh, const std::vector<ProgramStep>& steps);

/// The sharding of an array that a number determines; replicated for 0.
mesh::AxisSharding sharding_of(const mesh::Mesh& mesh, int rank, std::uint32_t split);

/// Arguments for a module's parameters: small integers.
std::vector<hlo::Literal> small_integers(const hlo::Module& module);

}  // namespace podsim::hlo::spmd::testing
