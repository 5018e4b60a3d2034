// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "hw/core_units.h"
#include "hw/machine.h"
#include "hw/memory_levels.h"
#include "hw/parts/counter.h"
#include "hw/tile_op.h"

/// What a machine did, counted: events by part and bytes by level, without times. A count is that of one core, of
/// several, of an op or of a step, whatever was added up.
namespace podsim::hw {

template <class Unit>
using EventsOf = typename Unit::Events;

/// Counts are exact in 64 bits; one that does not fit stays at the largest.
struct Activity {
  CoreUnits::Per<EventsOf> units;

  base::Bytes op_read, op_written;              ///< of the HBM by ops that a core executes
  base::Bytes transfer_read, transfer_written;  ///< of the HBM by collectives, host transfers, asynchronous copies
  base::Bytes vmem_read, vmem_written;          ///< by DMA, remote DMA and registers
  std::int64_t op_rows = 0;                     ///< of the HBM's banks that ops open
  LevelBytes level_read, level_written;         ///< of declared levels of memory (hw/memory_levels.h), by ops
  std::int64_t descriptors = 0;                 ///< of tiles, between VMEM and other memories
  base::Bytes switched;                         ///< through the on-chip switch: between cores, and to and from the host
  std::int64_t messages = 0;                    ///< sent over links
  base::Bytes message_bytes;                    ///< payload of these
  base::Bytes link_bytes;                       ///< payload times the links that it takes
  base::Bytes host_in, host_out;                ///< over PCIe
  bool operator==(const Activity&) const = default;

  /// Bytes of the HBM that ops read and write.
  base::Bytes op_bytes() const { return op_read + op_written; }

  /// Calls visit(name of the part, declaration, count of each of `activities`...) for each count. Addition, scaling and
  /// reports follow from it. Declared levels have no part: their names are those of a machine.
  template <class Visit, class... Activities>
  static void for_each_count(const Visit& visit, Activities&... activities) {
    using parts::Counter;
    CoreUnits::for_each([&](auto kind) {
      using Unit = typename decltype(kind)::type;
      Unit::Events::for_each_count(
          [&](const Counter& counter, auto&... counts) { visit(Unit::names.name, counter, counts...); },
          activities.units.template of<Unit>()...);
    });
    visit("hbm", Counter{"op_read_bytes", "B", "read by ops"}, activities.op_read...);
    visit("hbm", Counter{"op_written_bytes", "B", "written by ops"}, activities.op_written...);
    visit("hbm", Counter{"transfer_read_bytes", "B", "read by collectives, copies, host transfers"},
          activities.transfer_read...);
    visit("hbm", Counter{"transfer_written_bytes", "B", "written by these"}, activities.transfer_written...);
    visit("hbm", Counter{"op_rows", "rows", "of banks that ops open"}, activities.op_rows...);
    visit("vmem", Counter{"read_bytes", "B", "read by DMA and for registers"}, activities.vmem_read...);
    visit("vmem", Counter{"written_bytes", "B", "written by DMA and from registers"}, activities.vmem_written...);
    visit("dma", Counter{"descriptors", "descriptors", "of tiles"}, activities.descriptors...);
    visit("switch", Counter{"bytes", "B", "between cores of a chip, and to and from the host"}, activities.switched...);
    visit("ici", Counter{"messages", "messages", "sent"}, activities.messages...);
    visit("ici", Counter{"message_bytes", "B", "payload of messages"}, activities.message_bytes...);
    visit("ici", Counter{"link_bytes", "B", "payload of messages times the links that they take"},
          activities.link_bytes...);
    visit("host", Counter{"in_bytes", "B", "from the host"}, activities.host_in...);
    visit("host", Counter{"out_bytes", "B", "to the host"}, activities.host_out...);
  }
};

/// A count as a number, for reports.
struct NamedCount {
  std::string part;  ///< "mxu", "hbm", "cmem"
  parts::Counter counter;
  std::int64_t value;
};
/// All counts on a machine, those of a part one after the other; its declared levels of memory come last.
std::vector<NamedCount> counts(const Activity& activity, const Machine& machine);

/// Adds `times` times `more` to `sum`.
void add(const Activity& more, std::int64_t times, Activity& sum);

/// What a core does in a phase of a tile, or in work of its units elsewhere: its units, and VMEM for their registers.
Activity activity(const Machine& machine, const TilePhase& phase);
/// What a core does in one run of an op. It depends on the op alone, not on the level of detail or on concurrent work.
Activity activity(const Machine& machine, const TileOp& op);

}  // namespace podsim::hw
