// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "sw/graph/graph.h"
#include "sw/spmd/propagation.h"

/// Random programs to partition. A program is a list of steps, each a few numbers that mean something whatever stands
/// before: any sublist of steps is a program too, so that a failing one can be shrunk.
namespace podsim::sw::testing {

/// Kinds of ops that a step may be.
constexpr int op_kinds = 31;

struct ProgramStep {
  std::uint8_t kind = 0;      ///< of op, below op_kinds
  std::uint8_t a = 0, b = 0;  ///< operands, out of the values so far
  std::uint32_t detail = 0;   ///< sizes, dimensions, windows
  std::uint32_t cut = 0;      ///< how the result is cut
};
std::ostream& operator<<(std::ostream& out, const ProgramStep& step);

struct RandomProgram {
  Module module;
  ModuleShardings shardings;
  std::vector<std::vector<std::uint32_t>> cuts;  ///< [computation][instruction]: where its sharding comes from
};

/// Values are small integers in f32, clamped after products, so that sums are exact in any order. The root is the tuple
/// of all values that no op reads.
RandomProgram random_program(const Mesh& mesh, const std::vector<ProgramStep>& steps);

/// A sharding of an array read off a number; 0 replicated.
AxisSharding sharding_of(const Mesh& mesh, int rank, std::uint32_t cut);

/// Arguments for a module's parameters: small integers.
std::vector<Literal> small_integers(const Module& module);

}  // namespace podsim::sw::testing
