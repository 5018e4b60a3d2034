// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/units.h"

namespace podsim::hw {

/// How much of a core's VMEM is in use. The compiler lays out VMEM, there is no allocator in hardware: an op whose
/// buffers do not fit cannot run at all.
class VmemAccount {
 public:
  /// `place` names the core in a verdict.
  VmemAccount(base::Bytes capacity, std::string place) : capacity_(capacity), place_(std::move(place)) {}

  /// Why so many bytes cannot be had now, naming op, sizes and core; empty when they can.
  std::string refusal(std::string_view op, base::Bytes bytes) const;
  /// SimulationError with the refusal, if there is one.
  void allocate(std::string_view op, base::Bytes bytes);
  void release(base::Bytes bytes);
  base::Bytes used() const { return used_; }
  base::Bytes peak() const { return peak_; }
  base::Bytes capacity() const { return capacity_; }

 private:
  base::Bytes capacity_;
  std::string place_;
  base::Bytes used_, peak_;
};

}  // namespace podsim::hw
