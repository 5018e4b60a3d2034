// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/program.h"

namespace podsim::hw::isa {

std::string to_string(MemorySpace space) {
  switch (space) {
    case MemorySpace::hbm:
      return "hbm";
    case MemorySpace::vmem:
      return "vmem";
    case MemorySpace::smem:
      break;
  }
  return "smem";
}

}  // namespace podsim::hw::isa
