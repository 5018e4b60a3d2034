// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "hw/machine.h"
#include "sw/codegen/families/kernel.h"

namespace podsim::sw::codegen::families {

/// Allocates a kernel's arrays in HBM, one after the other.
class ArrayAllocator {
 public:
  explicit ArrayAllocator(const hw::Machine& machine);
  /// Allocates an array. Throws base::InputError if the HBM of a core is full.
  KernelArray place(std::string name, hlo::Shape shape);

 private:
  std::uint64_t limit_, next_ = 0;  ///< in words
};

}  // namespace podsim::sw::codegen::families
