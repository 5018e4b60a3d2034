// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/units.h"

namespace podsim::hw::timing {

/// Counts the bytes of a core's VMEM that are in use. The compiler lays out VMEM and hardware has no allocator, so an
/// op whose buffers do not fit cannot run.
class VmemAccount {
 public:
  /// `core_name` names the core in error messages.
  VmemAccount(base::Bytes capacity, std::string core_name) : capacity_(capacity), core_name_(std::move(core_name)) {}

  /// Returns an error text with op, sizes and core if `bytes` are not free, else an empty string.
  std::string refusal(std::string_view op, base::Bytes bytes) const;
  /// Takes `bytes`; SimulationError with refusal()'s text if they are not free.
  void allocate(std::string_view op, base::Bytes bytes);
  void release(base::Bytes bytes);
  base::Bytes used() const { return used_; }
  base::Bytes peak() const { return peak_; }
  base::Bytes capacity() const { return capacity_; }

 private:
  base::Bytes capacity_;
  std::string core_name_;
  base::Bytes used_, peak_;
};

}  // namespace podsim::hw::timing
