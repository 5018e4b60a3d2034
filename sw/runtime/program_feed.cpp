// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/program_feed.h"

namespace podsim::sw::runtime {

std::vector<base::Bytes> batch_of(const compiler::Program& program, std::int32_t core) {
  std::vector<base::Bytes> batch;
  for (ProgramCursor at(program, core); !program.infeeds.empty() && !at.at_end_of_step(); at.advance()) {
    const compiler::ProgramItem& item = program.items[std::size_t(at.item())];
    if (item.kind == compiler::ProgramItem::Kind::infeed)
      batch.push_back(program.infeeds[std::size_t(item.index)].bytes);
  }
  return batch;
}

const compiler::ProgramItem& ProgramFeed::item_of(const SimulatedCore& core) const {
  return program_.items[std::size_t(core.cursor.item())];
}

bool ProgramFeed::on_real_chip(const SimulatedCore& core) const {
  return by_.real[core.index / std::size_t(cores_per_chip_)];
}

hw::Command ProgramFeed::command_for(const SimulatedCore& core) {
  const compiler::ProgramItem& item = item_of(core);
  switch (item.kind) {
    case compiler::ProgramItem::Kind::infeed: {
      const compiler::HostTransfer& transfer = program_.infeeds[std::size_t(item.index)];
      return hw::Infeed{transfer.in_place ? base::Bytes(0) : transfer.bytes, transfer.tensors};
    }
    case compiler::ProgramItem::Kind::outfeed: {
      const compiler::HostTransfer& transfer = program_.outfeeds[std::size_t(item.index)];
      return hw::Outfeed{transfer.bytes, transfer.tensors};
    }
    case compiler::ProgramItem::Kind::collective:
      return command_for_collective(core, item);
    case compiler::ProgramItem::Kind::op:
    case compiler::ProgramItem::Kind::repeat:
      break;
  }
  return command_for_op(core, item);
}

hw::Command ProgramFeed::command_for_op(const SimulatedCore& core, const compiler::ProgramItem& item) {
  if (item.phase == hlo::AsyncPhase::start) {
    by_.waits.started(core.index, core.cursor.item(), core.cursor.execution());
    by_.background.start(core.index, core.cursor.execution(), by_.records.of(item.index, chip_of(core)));
    return hw::Delay{};
  }
  if (item.phase == hlo::AsyncPhase::done) return command_for_end(core, item);
  const hw::TileOp& tiles = program_.ops[std::size_t(item.index)].tiles;
  const bool concurrent = by_.parts != nullptr && by_.waits.any_goes_on(core.index);
  if (concurrent) concurrent_.insert(core.index);
  const bool real = on_real_chip(core) && (by_.parts == nullptr || concurrent || through_parts(core));
  const hw::OpResult* known =
      real && by_.parts != nullptr && !concurrent ? by_.parts->known(index_on_chip(core), item.index) : nullptr;
  if (real && known == nullptr) return hw::RunOp{&tiles, item.op_name};
  return hw::RunFor{&tiles, known != nullptr ? *known : by_.records.of(item.index, chip_of(core)), item.op_name};
}

hw::Command ProgramFeed::command_for_collective(const SimulatedCore& core, const compiler::ProgramItem& item) {
  if (item.phase == hlo::AsyncPhase::start) {
    by_.waits.started(core.index, core.cursor.item(), core.cursor.execution());
    start_collective(core, core.cursor.execution(), item.index);
    return hw::Delay{};
  }
  if (item.phase == hlo::AsyncPhase::done) return command_for_end(core, item);
  const auto known = by_.fold.by_formula.find(item.index);
  if (known != by_.fold.by_formula.end() && !(by_.fold.one_for_all && by_.waits.any_goes_on(core.index))) {
    return hw::Delay{known->second.cycles};
  }
  return hw::External{core.cursor.execution(), item.hlo_name};
}

/// Waits for the asynchronous item that `item` is the end of.
hw::Command ProgramFeed::command_for_end(const SimulatedCore& core, const compiler::ProgramItem& item) {
  const std::uint64_t execution = core.cursor.last_execution(item.started_by);
  if (by_.waits.at_end(core.index, execution)) return hw::Delay{};
  return hw::External{execution, item.hlo_name};
}

bool ProgramFeed::through_parts(const SimulatedCore& core) const {
  return on_real_chip(core) && core.cursor.step() == steps_ - 1 && by_.parts->chosen(core.cursor.item());
}

void ProgramFeed::reached(const SimulatedCore& core, const hw::External& command) {
  by_.waits.wait(core.index, command.id);
  const compiler::ProgramItem& item = item_of(core);
  if (item.phase == hlo::AsyncPhase::none) start_collective(core, command.id, item.index);
}

void ProgramFeed::start_collective(const SimulatedCore& core, std::uint64_t execution, int collective) {
  if (const auto known = by_.fold.by_formula.find(collective); known != by_.fold.by_formula.end()) {
    return by_.background.start(core.index, execution, known->second, waits::BackgroundOps::Queue::collectives);
  }
  by_.collectives.start(core.index, execution, collective);
}

void ProgramFeed::executed(const SimulatedCore& core, const hw::OpResult& op) {
  const bool alone = concurrent_.erase(core.index) == 0;
  if (by_.parts == nullptr || !alone || !through_parts(core)) return;
  by_.parts->learn(index_on_chip(core), item_of(core).index, op);
}

}  // namespace podsim::sw::runtime
