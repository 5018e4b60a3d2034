// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "hw/chip/chip.h"

namespace podsim::sw::runtime::waits {

/// Which core waits for what: the asynchronous items that each core has started and not waited for, and the collective
/// or asynchronous item that it waits for now. An execution id (program_cursor.h) identifies one execution of an item.
/// Cores are numbered chip by chip.
class Waits {
 public:
  /// `chips` outlive this, and have as many cores each.
  explicit Waits(std::vector<hw::chip::Chip*> chips);

  /// A core has started an asynchronous item of the program.
  void started(std::size_t core, int item, std::uint64_t execution);
  /// A core has come to the end of an asynchronous item. False: the item is still in flight, and the core must wait for
  /// it.
  bool at_end(std::size_t core, std::uint64_t execution);
  /// A core waits for an item in an External command, which ends when the item is over for this core, or at once if it
  /// is.
  void wait(std::size_t core, std::uint64_t execution);
  /// An item is over for a core: an asynchronous one, or a collective that the core waits for.
  void over(std::size_t core, std::uint64_t execution);
  /// Whether an asynchronous item that a core has started is in flight.
  bool any_goes_on(std::size_t core) const;
  /// Whether no asynchronous item of any core is in flight.
  bool all_over() const;
  /// The first of a core's asynchronous items in flight, in the order of their starts; if none is in flight, the first
  /// that it has not waited for; -1: it has waited for all.
  int first_in_flight(std::size_t core) const;

 private:
  struct InFlight {
    int item = 0;  ///< that starts it
    std::uint64_t execution = 0;
  };
  struct OfCore {
    std::optional<std::uint64_t> waiting;
    std::set<std::uint64_t> over;  ///< that the core has not waited for yet
    std::vector<InFlight> in_flight;
    bool goes_on(const InFlight& started) const;
  };

  std::vector<hw::chip::Chip*> chips_;
  std::size_t cores_per_chip_;
  std::vector<OfCore> cores_;
};

}  // namespace podsim::sw::runtime::waits
