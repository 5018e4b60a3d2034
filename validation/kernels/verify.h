// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hlo/literal.h"
#include "hw/memory/device_memory.h"
#include "sw/codegen/families/kernel.h"

/// Compares a kernel's outputs with those of the reference evaluator, on random inputs.
namespace podsim::validation::kernels {

/// Distribution of random inputs. Both kinds use a counter-based hash of the seed and the numbers of the input and the
/// element, so that the same seed gives the same values on every host.
enum class InputKind {
  /// Three in four values are uniform in (-2, 2). The others are zeros of both signs, and numbers of magnitudes from
  /// 2^-20 to 2^6, uniform in the exponent. Integers are uniform in -100 .. 100, pred values 0 or 1.
  finite,
  /// As `finite`, with a NaN, an infinity and a negative infinity at random positions of every floating-point input;
  /// only the NaN where KernelArray::infinities is false.
  special,
};
std::vector<hlo::Literal> random_inputs(const sw::codegen::families::Kernel& kernel, std::uint64_t seed,
                                        InputKind kind);

/// The error of an element of an output.
struct ElementError {
  std::string output;
  std::vector<std::int64_t> index;
  double expected = 0, found = 0;
  double allowed = 0;  ///< maximum permitted |found - expected|
};

struct Verification {
  std::uint64_t seed = 0;
  std::int64_t elements = 0;   ///< number of elements compared
  std::int64_t differing = 0;  ///< number of elements beyond the allowed error
  /// The element with the largest ratio of error to allowed error. Its name is empty if all elements are equal.
  ElementError worst;
  /// |found - expected| / allowed of `worst`; infinite if the values cannot be compared (a NaN for a number).
  double worst_ratio = 0;
  bool passed() const { return differing == 0; }
};

/// Compares the outputs that a run left in HBM with those of the kernel's reference on the same inputs. An element may
/// differ by the error bound of validation/kernels/error_bound.h. NaN must match NaN, and an infinity the same
/// infinity.
Verification verify_outputs(const sw::codegen::families::Kernel& kernel, std::span<const hlo::Literal> inputs,
                            const hw::memory::DeviceMemory& hbm);

/// Merges the verification of another run of the same kernel into `all`.
void merge(Verification& all, const Verification& more);

}  // namespace podsim::validation::kernels
