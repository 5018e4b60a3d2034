// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/vector/scoreboard.h"

namespace podsim::hw::bundle::vector {

int register_entry::of(isa::RegisterFile file, int number) {
  constexpr int first[] = {register_entry::scalar, register_entry::vector, register_entry::mask,
                           register_entry::predicate};
  return first[int(file)] + number;
}

std::string register_entry::name(int entry) {
  if (entry >= register_entry::predicate)
    return isa::register_name(isa::RegisterFile::predicate, entry - register_entry::predicate);
  if (entry >= register_entry::mask) return isa::register_name(isa::RegisterFile::mask, entry - register_entry::mask);
  if (entry >= register_entry::vector)
    return isa::register_name(isa::RegisterFile::vector, entry - register_entry::vector);
  return isa::register_name(isa::RegisterFile::scalar, entry - register_entry::scalar);
}

}  // namespace podsim::hw::bundle::vector
