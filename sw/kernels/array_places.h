// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "hw/machine.h"
#include "sw/kernels/kernel.h"

namespace podsim::sw {

/// Gives a kernel's arrays their places in HBM, one behind the other.
class ArrayPlaces {
 public:
  explicit ArrayPlaces(const hw::Machine& machine);
  /// base::InputError when the HBM of a core is full.
  KernelArray place(std::string name, Shape shape);

 private:
  std::uint64_t limit_, next_ = 0;  ///< words
};

}  // namespace podsim::sw
