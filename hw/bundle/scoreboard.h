// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "base/units.h"
#include "hw/isa/legality.h"

namespace podsim::hw {

/// All registers of the core in one numbering, for what treats them alike.
namespace register_entry {
inline constexpr int scalar = 0;
inline constexpr int vector = scalar + isa::scalar_registers;
inline constexpr int mask = vector + isa::vector_registers;
inline constexpr int predicate = mask + isa::mask_registers;
inline constexpr int none = predicate + isa::predicate_registers;  ///< the destination of operations without one
inline constexpr int count = none + 1;
int of(isa::RegisterFile file, int number);
/// "s7", "vm1".
std::string name(int entry);
}  // namespace register_entry

/// From which cycle on a bundle may read, or write anew, each register. The machine has no interlocks: the core asks in
/// order to report a program that does so earlier.
class Scoreboard {
 public:
  base::Cycles ready(int entry) const { return ready_[std::size_t(entry)]; }
  /// Address of the bundle that wrote it last.
  std::uint32_t writer(int entry) const { return writer_[std::size_t(entry)]; }
  void write(int entry, base::Cycles ready, std::uint32_t writer) {
    ready_[std::size_t(entry)] = ready;
    writer_[std::size_t(entry)] = writer;
  }

 private:
  std::array<base::Cycles, register_entry::count> ready_{};
  std::array<std::uint32_t, register_entry::count> writer_{};
};

}  // namespace podsim::hw
