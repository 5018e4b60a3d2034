// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/repeated_stretches.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace podsim::sw::runtime {
namespace {

constexpr std::int64_t long_run = 50'000;  ///< executions of collectives

/// Has the items take `whole` together: stretches or shortens the collectives among them, or all where those are not
/// enough. What rounding leaves counts for the longest.
void share_waiting(std::vector<ItemResult>& items, const compiler::Program& program, base::Time whole) {
  const auto waits = [&](const ItemResult& item) {
    return program.items[std::size_t(item.item)].kind == compiler::ProgramItem::Kind::collective;
  };
  base::Time all, waiting;
  for (const ItemResult& item : items) {
    all += item.duration;
    if (waits(item)) waiting += item.duration;
  }
  const base::Time busy = all - waiting;
  const bool enough = waiting > base::Time(0) && whole > busy;
  const base::Time shared = enough ? waiting : all;
  if (shared == base::Time(0)) return;
  const double longer = double((enough ? whole - busy : whole).value()) / double(shared.value());
  base::Time rest = whole;
  for (ItemResult& item : items) {
    if (!enough || waits(item)) item.duration = base::Time(std::int64_t(double(item.duration.value()) * longer));
    rest -= item.duration;
  }
  std::ranges::max_element(items, {}, &ItemResult::duration)->duration += rest;
}

}  // namespace

bool RepeatedStretches::may_be_skipped(const compiler::Program& program, int steps, std::size_t cores) {
  const std::int64_t collectives =
      std::ranges::count(program.items, compiler::ProgramItem::Kind::collective, &compiler::ProgramItem::kind);
  return collectives * std::int64_t(cores) * steps >= long_run;
}

RepeatedStretches::RepeatedStretches(const compiler::Program& program, int steps, std::size_t cores)
    : program_(program),
      known_(program, steps, cores),
      cores_(cores),
      place_bytes_(std::size_t(known_.places())),
      skipped_items_(std::size_t(steps)) {}

std::int64_t RepeatedStretches::position(const SimulatedCore& core) const {
  return core.cursor.step() * std::int64_t(program_.items.size()) + core.cursor.item();
}

void RepeatedStretches::begins(const SimulatedCore& core, base::Cycles now, Observation& seen) {
  const std::int64_t begun = position(core);
  known_.begins(begun, now);
  if (carried_.empty() || !core.is_first()) return;
  place_bytes_[std::size_t(known_.place(begun - 1))] = difference(seen.links().carried(), carried_);
  carried_.clear();
}

std::optional<Repetition::Skip> RepeatedStretches::skip_now(const SimulatedCore& core, base::Cycles,
                                                            Observation& seen) {
  const std::int64_t begun = position(core);
  if (const std::optional<base::Cycles> duration = known_.duration_from(begun)) {
    cores_[core.index].skipped = &known_.stretch_from(begun);
    return Skip{*duration};
  }
  const int place = known_.place(begun);
  if (core.is_first() && place >= 0 && place_bytes_[std::size_t(place)].empty()) carried_ = seen.links().carried();
  return std::nullopt;
}

void RepeatedStretches::observed(const SimulatedCore& core, const ItemResult& item) {
  const int place = known_.place(position(core));
  if (place < 0) return;
  std::vector<ItemResult>& by_place = cores_[core.index].by_place;
  by_place.resize(place_bytes_.size());
  by_place[std::size_t(place)] = item;
}

bool RepeatedStretches::trip_over(SimulatedCore& core, const hw::core::Core& hardware, const hw::CommandRecord& record,
                                  Observation& seen) {
  const Stretch* stretch = cores_[core.index].skipped;
  if (stretch == nullptr) return false;
  if (core.observer >= 0) {
    const base::Time begin = hardware.time_of(record.start), end = hardware.time_of(record.end);
    add_to(seen, core, begin, end);
    seen.skipped(core, fmt::format("{} ops as before, not simulated", stretch->items), begin, end);
  }
  if (core.is_first()) {
    skipped_items_[std::size_t(core.cursor.step())] += stretch->items;
    add_to_links(seen.links(), *stretch);
  }
  core.cursor.skip_items(stretch->items);
  cores_[core.index].skipped = nullptr;
  return true;
}

/// Adds the items of a skipped stretch to the step of an observed core, as it executed them last. What the stretch
/// takes less or more on the mean of all cores, this core waits less or more in its collectives.
void RepeatedStretches::add_to(Observation& seen, const SimulatedCore& core, base::Time begin, base::Time end) const {
  const auto& [stretch, by_place] = cores_[core.index];
  std::vector<ItemResult> items;
  for (int number = 0; number < stretch->items; ++number) {
    ItemResult& item = items.emplace_back(by_place[std::size_t(known_.place(stretch->first + number))]);
    item.item = core.cursor.item() + number;
  }
  share_waiting(items, program_, end - begin);
  for (const ItemResult& item : items) {
    seen.of(core).item_ended(program_.items[std::size_t(item.item)].kind, item, end);
  }
}

void RepeatedStretches::add_to_links(LinkBytes& links, const Stretch& stretch) const {
  for (std::int64_t item = stretch.first; item < stretch.first + stretch.items; ++item) {
    links.add_skipped(place_bytes_[std::size_t(known_.place(item))], 1);
  }
}

std::vector<std::string> RepeatedStretches::notes(int steps) const {
  const std::int64_t items = steps > 0 ? skipped_items_[std::size_t(steps) - 1] : 0;
  if (items == 0) return {};
  return {
      fmt::format("{} of {} ops come after the same ops as before, and are assumed to take as long as those did on the "
                  "mean of all cores",
                  items, program_.items.size())};
}

}  // namespace podsim::sw::runtime
