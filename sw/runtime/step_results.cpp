// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/step_results.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>

#include "sw/runtime/waits/arrival_times.h"

namespace podsim::sw::runtime {
namespace {

/// A name such as "two-colour: y ring, x line"; without the algorithm's name where it does not go dimension by
/// dimension.
std::string algorithm_name(const collectives::schedule::CollectiveSchedule& schedule) {
  const collectives::schedule::GroupSchedule& program = schedule.group_program(0);
  if (program.phases(0).empty()) return "on chip";
  if (!program.phases(0)[0].pattern->to_neighbours()) return program.shapes();
  return fmt::format("{}: {}", collectives::to_string(schedule.algorithm()), program.shapes());
}

/// Without times.
CollectiveResult describe(const compiler::CollectiveOp& op, const collectives::schedule::CollectiveSchedule& schedule) {
  CollectiveResult result;
  result.kind = collectives::to_string(op.kind);
  result.element_type = hlo::to_string(op.element_type);
  result.bytes = op.bytes;
  result.group_size = op.groups.empty() ? schedule.cores() : std::int64_t(op.groups.front().size());
  result.algorithm = algorithm_name(schedule);
  result.axes = op.axes;
  return result;
}

}  // namespace

std::vector<LoopResult> loop_results(const compiler::Program& program, const std::vector<ItemResult>& items) {
  std::vector<LoopResult> results;
  for (const compiler::Loop& loop : program.loops) {
    LoopResult& result = results.emplace_back(LoopResult{int(results.size()), 1, {}});
    for (const ItemResult& item : items) {
      if (item.item >= loop.first && item.item < loop.end) result.duration += item.total();
    }
    for (const compiler::Loop& around : program.loops) {
      if (around.first <= loop.first && loop.end <= around.end) result.trips *= around.trips;
    }
  }
  return results;
}

std::vector<ContentionResult> contention_results(const std::vector<ItemResult>& items) {
  std::map<int, base::Time> contention;
  for (const ItemResult& item : items) {
    if (item.contended > base::Time(0)) contention[item.beside] += item.contended * item.times;
  }
  std::vector<ContentionResult> results;
  for (const auto& [beside, time] : contention) results.push_back({beside, time});
  return results;
}

std::vector<CollectiveResult> collective_results(const compiler::Program& program, const std::vector<ItemResult>& items,
                                                 const pod::CollectiveSchedules& schedules, const pod::Fold& fold,
                                                 const waits::RunningCollectives& collectives) {
  std::vector<CollectiveResult> results;
  std::map<int, std::size_t> known;
  for (const ItemResult& item : items) {
    const compiler::ProgramItem& executed = program.items[std::size_t(item.item)];
    if (executed.kind != compiler::ProgramItem::Kind::collective) continue;
    const auto [at, is_new] = known.try_emplace(executed.index, results.size());
    if (is_new) {
      const auto index = std::size_t(executed.index);
      CollectiveResult& result = results.emplace_back(describe(program.collectives[index], *schedules[index]));
      if (fold.by_formula.contains(executed.index) && !fold.one_for_all) result.algorithm = "by formula";
      result.folded = fold.topology.is_folded();
    }
    CollectiveResult& result = results[at->second];
    result.exposed += item.total();
    if (executed.phase == hlo::AsyncPhase::done) continue;
    result.count += item.times;
    const std::optional<waits::ExecutionTimes> times = collectives.finished(item.execution);
    const base::Time once = times ? waits::time_since_last_start(*times) : item.duration;
    result.time += once * item.times;
  }
  return results;
}

}  // namespace podsim::sw::runtime
