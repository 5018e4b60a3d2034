// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/scoreboard.h"

namespace podsim::hw {

int register_entry::of(isa::RegisterFile file, int number) {
  constexpr int first[] = {scalar, vector, mask, predicate};
  return first[int(file)] + number;
}

std::string register_entry::name(int entry) {
  if (entry >= predicate) return isa::register_name(isa::RegisterFile::predicate, entry - predicate);
  if (entry >= mask) return isa::register_name(isa::RegisterFile::mask, entry - mask);
  if (entry >= vector) return isa::register_name(isa::RegisterFile::vector, entry - vector);
  return isa::register_name(isa::RegisterFile::scalar, entry - scalar);
}

}  // namespace podsim::hw
