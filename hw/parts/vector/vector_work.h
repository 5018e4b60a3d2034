// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

namespace podsim::hw::parts::vector {

struct Unit;

/// Vector work of one phase, in operations on whole vector registers (sublanes x lanes of 32 bits).
struct Work {
  using Of = Unit;
  std::int64_t loads = 0;            ///< VMEM -> register
  std::int64_t stores = 0;           ///< register -> VMEM
  std::int64_t alu_ops = 0;          ///< operations in any type of the lanes, shared by the vector ALUs
  std::int64_t transcendentals = 0;  ///< exp, log, tanh, rsqrt, divide ... through the transcendental unit
  auto operator<=>(const Work&) const = default;

  /// Calls visit(count of each of `works`...) for each count.
  template <class Visit, class... Works>
  static constexpr void for_each_count(const Visit& visit, Works&... works) {
    visit(works.loads...);
    visit(works.stores...);
    visit(works.alu_ops...);
    visit(works.transcendentals...);
  }
};

}  // namespace podsim::hw::parts::vector
