// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/units.h"
#include "hw/core_units.h"

namespace podsim::hw {

/// Cost of one run of an op, in cycles of the core clock. `cycles` is the sum of the six parts below it.
struct OpResult {
  base::Cycles cycles;      ///< first descriptor to last byte written
  base::Cycles start_up;    ///< waiting for the first tile's reads
  base::Cycles compute;     ///< a phase runs
  base::Cycles read_wait;   ///< waiting for later tiles' reads
  base::Cycles write_wait;  ///< waiting for a free output buffer or a free descriptor
  base::Cycles control;     ///< scalar code of tiles and transfers, while no other unit of the core works
  base::Cycles drain;       ///< waiting for the last writes after the last phase

  UnitCycles busy;            ///< of each unit; of matrix units summed, including load and drain
  base::Cycles hbm_busy;      ///< data move on the HBM
  base::Bytes read_bytes;     ///< from the HBM
  base::Bytes written_bytes;  ///< to it
  std::int64_t tiles = 0;

  bool operator==(const OpResult&) const = default;

  /// Calls visit(count of each of `results`...) for each count, in the order of OpResult's members.
  template <class Visit, class... Results>
  static void for_each_count(const Visit& visit, Results&... results) {
    visit(results.cycles...);
    visit(results.start_up...);
    visit(results.compute...);
    visit(results.read_wait...);
    visit(results.write_wait...);
    visit(results.control...);
    visit(results.drain...);
    CoreUnits::for_each([&](auto unit) { visit(results.busy.template of<typename decltype(unit)::type>()...); });
    visit(results.hbm_busy...);
    visit(results.read_bytes...);
    visit(results.written_bytes...);
    visit(results.tiles...);
  }
  static constexpr std::size_t max_counts = 11 + CoreUnits::size;
  /// The number of counts in a program: a unit that it does not have has none.
  static std::size_t counts() {
    std::size_t number = 0;
    const OpResult result;
    for_each_count([&](const auto&) { ++number; }, result);
    return number;
  }
};

}  // namespace podsim::hw
