// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "base/units.h"
#include "hw/isa/legality.h"

namespace podsim::hw::bundle::vector {

/// A common numbering of all registers of the core, for code that treats all kinds alike.
namespace register_entry {
inline constexpr int scalar = 0;
inline constexpr int vector = scalar + isa::scalar_registers;
inline constexpr int mask = vector + isa::vector_registers;
inline constexpr int predicate = mask + isa::mask_registers;
inline constexpr int none = predicate + isa::predicate_registers;  ///< destination of operations that have none
inline constexpr int count = none + 1;
int of(isa::RegisterFile file, int number);
/// "s7", "vm1".
std::string name(int entry);
}  // namespace register_entry

/// The first cycle in which a bundle may read or overwrite each register. The machine has no interlocks; the core uses
/// this to report programs that do so earlier.
class Scoreboard {
 public:
  base::Cycles ready(int entry) const { return ready_[std::size_t(entry)]; }
  /// Address of the bundle that last wrote the register.
  std::uint32_t writer(int entry) const { return writer_[std::size_t(entry)]; }
  void write(int entry, base::Cycles ready, std::uint32_t writer) {
    ready_[std::size_t(entry)] = ready;
    writer_[std::size_t(entry)] = writer;
  }

 private:
  std::array<base::Cycles, register_entry::count> ready_{};
  std::array<std::uint32_t, register_entry::count> writer_{};
};

}  // namespace podsim::hw::bundle::vector
