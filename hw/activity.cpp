// SPDX-License-Identifier: Apache-2.0
#include "hw/activity.h"

#include <limits>
#include <type_traits>
#include <utility>

namespace podsim::hw {
namespace {

std::int64_t value_of(std::int64_t count) { return count; }
template <class Tag>
std::int64_t value_of(base::Count<Tag> count) {
  return count.value();
}

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

/// a + b * times of counts that are not negative, at most `largest`.
std::int64_t added(std::int64_t a, std::int64_t b, std::int64_t times) {
  std::int64_t product = 0, sum = 0;
  if (__builtin_mul_overflow(b, times, &product) || __builtin_add_overflow(a, product, &sum)) return largest;
  return sum;
}

/// Rows of banks that transfers open: a row of theirs that is contiguous opens those that it lies in once.
std::int64_t opened_rows(const Machine& machine, const std::vector<TileTransfer>& transfers) {
  const std::int64_t bank_row = machine.dram.organization.row.value();
  std::int64_t opened = 0;
  for (const TileTransfer& transfer : transfers) {
    if (transfer.level != level::hbm) continue;
    const std::int64_t bytes = transfer.bytes.value(), row = transfer.shape.row.value();
    opened += row == 0 ? base::divide_round_up(bytes, bank_row)
                       : base::divide_round_up(bytes, row) * base::divide_round_up(row, bank_row);
  }
  return opened;
}

}  // namespace

std::vector<NamedCount> counts(const Activity& activity, const Machine& machine) {
  std::vector<NamedCount> all;
  Activity::for_each_count(
      [&all](const char* part, const parts::Counter& counter, const auto& count) {
        all.push_back({part, counter, value_of(count)});
      },
      activity);
  for (int number = level::first_declared; const parts::level::Parameters& declared : machine.levels) {
    all.push_back({declared.name, {"read_bytes", "B", "read by ops"}, activity.level_read[number].value()});
    all.push_back({declared.name, {"written_bytes", "B", "written by ops"}, activity.level_written[number].value()});
    ++number;
  }
  return all;
}

void add(const Activity& more, std::int64_t times, Activity& sum) {
  Activity::for_each_count(
      [times](const char*, const parts::Counter&, auto& total, const auto& count) {
        using Count = std::remove_reference_t<decltype(total)>;
        total = Count(added(value_of(total), value_of(count), times));
      },
      sum, more);
  for (std::size_t number = 0; number < sum.level_read.at.size(); ++number) {
    const auto add_bytes = [&](base::Bytes& total, base::Bytes bytes) {
      total = base::Bytes(added(total.value(), bytes.value(), times));
    };
    add_bytes(sum.level_read.at[number], more.level_read.at[number]);
    add_bytes(sum.level_written.at[number], more.level_written.at[number]);
  }
}

Activity activity(const Machine& machine, const TilePhase& phase) {
  Activity result;
  const base::Bytes per_register = machine.vector.register_bytes();
  CoreUnits::for_each([&](auto kind) {
    using Unit = typename decltype(kind)::type;
    const auto events = Unit::events(machine, phase.of<Unit>());
    result.units.of<Unit>() = events;
    const parts::VmemRegisters registers = Unit::vmem(events);
    result.vmem_read += registers.read * per_register;
    result.vmem_written += registers.written * per_register;
  });
  return result;
}

Activity activity(const Machine& machine, const TileOp& op) {
  Activity result;
  for (const TileRun& run : op.runs) {
    Activity tile;
    for (const TilePhase& phase : run.work.phases) add(activity(machine, phase), 1, tile);
    LevelBytes read, written;
    for (const TileTransfer& transfer : run.work.reads) read[transfer.level] += transfer.bytes;
    for (const TileTransfer& transfer : run.work.writes) written[transfer.level] += transfer.bytes;
    tile.vmem_written += read.total();
    tile.vmem_read += written.total();
    tile.op_read = std::exchange(read[level::hbm], {});
    tile.op_written = std::exchange(written[level::hbm], {});
    tile.level_read = read;
    tile.level_written = written;
    tile.op_rows = opened_rows(machine, run.work.reads) + opened_rows(machine, run.work.writes);
    tile.descriptors = std::int64_t(run.work.reads.size() + run.work.writes.size());
    add(tile, run.count, result);
  }
  return result;
}

}  // namespace podsim::hw
