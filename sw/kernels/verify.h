// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hw/bundle/device_memory.h"
#include "sw/graph/literal.h"
#include "sw/kernels/kernel.h"

/// A kernel's outputs against the reference evaluator, on random inputs.
namespace podsim::sw {

/// What inputs are drawn from. Both kinds come from a counter-based hash of the seed, the input's number and the
/// element's, so that the same seed gives the same numbers on every host.
enum class InputKind {
  /// Three in four uniform in (-2, 2); the others zeros of both signs, and numbers of magnitudes from 2^-20 to 2^6,
  /// evenly by exponent. Integers uniform in -100 .. 100, pred 0 or 1.
  finite,
  /// The same with a NaN, an infinity and a negative infinity in every floating-point input, each at a random place.
  special,
};
std::vector<Literal> random_inputs(const Kernel& kernel, std::uint64_t seed, InputKind kind);

/// One element of an output.
struct ElementError {
  std::string output;
  std::vector<std::int64_t> index;
  double expected = 0, found = 0;
  double allowed = 0;  ///< largest permitted |found - expected|
};

struct Verification {
  std::uint64_t seed = 0;
  std::int64_t elements = 0;   ///< compared
  std::int64_t differing = 0;  ///< beyond what is allowed
  /// The element that comes closest to what is allowed, or exceeds it most; an empty name when all are equal.
  ElementError worst;
  /// |found - expected| / allowed of it; infinite where they cannot be compared (a NaN for a number).
  double worst_ratio = 0;
  bool passed() const { return differing == 0; }
};

/// Compares what a run left in HBM with `reference` on the same inputs. An element may be off by the error bound of
/// sw/kernels/error_bound.h; NaN must meet NaN, and an infinity the same infinity.
Verification verify_outputs(const Kernel& kernel, std::span<const Literal> inputs, const hw::DeviceMemory& hbm);

/// Adds what another run of the same kernel showed.
void merge(Verification& all, const Verification& more);

}  // namespace podsim::sw
