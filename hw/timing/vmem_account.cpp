// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/vmem_account.h"

#include <algorithm>
#include <cassert>

#include "base/diagnostic.h"

namespace podsim::hw::timing {

std::string VmemAccount::refusal(std::string_view op, base::Bytes bytes) const {
  if (bytes <= capacity_ - used_) return "";
  return core_name_ + ": op '" + std::string(op) + "' needs " + base::to_string(bytes) + " of VMEM, " +
         base::to_string(capacity_ - used_) + " of " + base::to_string(capacity_) + " are free";
}

void VmemAccount::allocate(std::string_view op, base::Bytes bytes) {
  assert(bytes.value() >= 0);
  if (const std::string verdict = refusal(op, bytes); !verdict.empty()) throw base::SimulationError(verdict);
  used_ += bytes;
  peak_ = std::max(peak_, used_);
}

void VmemAccount::release(base::Bytes bytes) {
  assert(bytes <= used_);
  used_ -= bytes;
}

}  // namespace podsim::hw::timing
