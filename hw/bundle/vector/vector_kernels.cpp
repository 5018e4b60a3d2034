// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/vector/vector_kernels.h"

#include <array>

#include "hw/bundle/vector/kernel_variants.h"

namespace podsim::hw::bundle::vector {

namespace {

/// Returns the kernels of one instruction set, which `set` selects from the variants of a kernel.
template <class Set>
VectorKernels kernels_of(const char* name, Set set) {
  return {name, set(operation_variants), set(compare_variants), set(transcendental_variants), set(cross_lane_variants)};
}

/// Returns the number of instruction sets that this host has; each includes the one before it.
std::size_t supported() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") == 0) return 1;
  const bool avx512 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                      __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  return avx512 ? 3 : 2;
#else
  return 1;
#endif
}

}  // namespace

std::span<const VectorKernels> vector_kernels() {
  static const std::array<VectorKernels, 3> all = {
      kernels_of("plain", [](const auto& variants) { return variants.plain; }),
      kernels_of("avx2", [](const auto& variants) { return variants.avx2; }),
      kernels_of("avx512", [](const auto& variants) { return variants.avx512; })};
  return std::span(all).first(supported());
}

}  // namespace podsim::hw::bundle::vector
