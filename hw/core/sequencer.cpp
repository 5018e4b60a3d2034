// SPDX-License-Identifier: Apache-2.0
#include "hw/core/sequencer.h"

#include <algorithm>

#include "hw/host/host_copy_timing.h"
#include "hw/timing/control_timing.h"

namespace podsim::hw::core {

namespace {

// Sync flags of the double buffers: two input halves, two output halves.
constexpr std::size_t input_flag = 0;
constexpr std::size_t output_flag = 2;

template <class Run>
std::string_view shown_name(const Run& command) {
  return command.label.empty() ? std::string_view(command.op->name) : command.label;
}

}  // namespace

Sequencer::Sequencer(sc_core::sc_module_name name, const Machine& machine, const CoreTime& time, host::HostPort& host,
                     Core& core, CoreRuntime& runtime, const Trace& trace)
    : sc_module(name),
      to_mxu("to_mxu", std::size_t(machine.mxu.count)),
      machine_(machine),
      time_(time),
      host_(host),
      core_(core),
      runtime_(runtime),
      timeline_(trace.timeline),
      state_(trace.probe<std::string>("state")),
      op_(trace.probe<std::string>("op")),
      infeed_(trace.probe<std::string>("infeed")),
      outfeed_(trace.probe<std::string>("outfeed")) {
  if (timeline_ != nullptr) track_ = timeline_->track(trace.scope, "sequencer");
  enter("idle");
  show_op("");
  infeed_.set(base::Time(0), "idle");
  outfeed_.set(base::Time(0), "idle");
  SC_THREAD(run);
}

void Sequencer::complete_external() {
  external_complete_ = true;
  external_event_.notify();
}

void Sequencer::run() {
  now_ = time_.now();
  while (const std::optional<Command> command = runtime_.next_command(core_)) {
    if (const std::string verdict = refusal(*command); !verdict.empty()) {
      enter("failed");
      runtime_.failed(core_, verdict);
      return;
    }
    execute(*command);
  }
  enter("done");
}

std::string Sequencer::refusal(const Command& command) const {
  const auto* op = std::get_if<RunOp>(&command);
  return op == nullptr ? "" : to_vmem->account().refusal(op->op->name, op->op->vmem);
}

void Sequencer::execute(const Command& command) {
  CommandRecord record{command, now_, now_, {}, {}};
  std::visit([&](const auto& alternative) { perform(alternative, record); }, command);
  record.end = now_;
  enter("idle");
  show_op("");
  runtime_.completed(core_, record);
}

void Sequencer::perform(const RunOp& command, CommandRecord& record) {
  const TileOp& op = *command.op;
  const std::string_view label = shown_name(command);
  show_op(label);
  to_vmem->allocate(op.name, op.vmem);
  const UnitCounters before = counters();
  runs_op_ = true;
  run_tiles(op, label, record.op);
  runs_op_ = false;
  const UnitCounters after = counters();
  to_vmem->release(op.vmem);
  record.op.cycles = now_ - record.start;
  record.op.mxu_busy = after.mxu - before.mxu;
  record.op.vector_busy = after.vector - before.vector;
  record.op.cross_lane_busy = after.cross_lane - before.cross_lane;
  record.op.hbm_busy = timing::HbmStream::cycles_of_ticks(after.hbm_ticks - before.hbm_ticks);
  if (timeline_ != nullptr) timeline_->span(track_, label, "op", time_.time_of(record.start), time_.time_of(now_));
}

void Sequencer::perform(const RunFor& command, CommandRecord& record) {
  const std::string_view label = shown_name(command);
  show_op(label);
  enter("replay");
  record.op = command.recorded;
  wait_until(now_ + command.recorded.cycles);
  if (timeline_ != nullptr) {
    timeline_->span(track_, label, "replayed op", time_.time_of(record.start), time_.time_of(now_));
  }
}

void Sequencer::perform(const Delay& command, CommandRecord&) {
  enter("delay");
  wait_until(now_ + command.cycles);
}

void Sequencer::perform(const Infeed& command, CommandRecord& record) {
  enter("infeed");
  infeed_.set(base::systemc::now(), "wait for batch");
  const int core = core_.id().core;
  while (!host_.batch_ready(core)) wait(host_.batch_arrived(core));
  wait_until(time_.now());
  record.waiting = now_ - record.start;
  infeed_.set(base::systemc::now(), "copy");
  wait_until(now_ + host::host_copy_cycles(machine_, command.bytes, command.tensors));
  host_.consume(core);
  infeed_.set(base::systemc::now(), "idle");
  if (timeline_ != nullptr) {
    timeline_->span(track_, "infeed", "infeed", time_.time_of(record.start), time_.time_of(now_));
  }
}

void Sequencer::perform(const Outfeed& command, CommandRecord& record) {
  enter("outfeed");
  outfeed_.set(base::systemc::now(), "wait for room");
  const int core = core_.id().core;
  while (!host_.outfeed_room(core)) wait(host_.outfeed_freed(core));
  wait_until(time_.now());
  record.waiting = now_ - record.start;
  outfeed_.set(base::systemc::now(), "copy");
  wait_until(now_ + host::host_copy_cycles(machine_, command.bytes, command.tensors));
  host_.send(core, command.bytes);
  outfeed_.set(base::systemc::now(), "idle");
  if (timeline_ != nullptr) {
    timeline_->span(track_, "outfeed", "outfeed", time_.time_of(record.start), time_.time_of(now_));
  }
}

void Sequencer::perform(const External& command, CommandRecord& record) {
  enter("external");
  show_op(command.label);
  external_complete_ = false;
  runtime_.start_external(core_, command);
  while (!external_complete_) wait(external_event_);
  wait_until(time_.now());
  if (timeline_ != nullptr) {
    timeline_->span(track_, command.label, "external", time_.time_of(record.start), time_.time_of(now_));
  }
}

void Sequencer::run_tiles(const TileOp& op, std::string_view label, OpResult& result) {
  issued_.fill(0);
  fetched_ = 0;
  for (std::size_t flag = 0; flag < issued_.size(); ++flag) to_flags->set(flag, 0);
  regions_.emplace(op, machine_.hbm.capacity_per_core, machine_.dram.address.interleave);
  const timing::ControlTiming code(machine_, op);
  timing::TileCursor ahead(op);
  fetch(ahead, result);
  fetch(ahead, result);
  for (timing::TileCursor tile(op); !tile.done(); tile.next(), ++result.tiles) {
    const std::size_t half = std::size_t(result.tiles % 2);
    wait_for_flag(input_flag + half, result.tiles == 0 ? result.start_up : result.read_wait, "wait for reads");
    wait_for_flag(output_flag + half, result.write_wait, "wait for buffer");
    run_phases(tile.run().work, label, result);
    control(code.duration(tile.run().work, ahead), result);
    issue_all(Direction::write, tile, output_flag + half, result);
    fetch(ahead, result);
  }
  for (std::size_t half : {0, 1}) wait_for_flag(output_flag + half, result.drain, "drain");
  const base::Cycles drained = std::max(now_, to_dma->free_at());
  result.drain += drained - now_;
  wait_until(drained);
}

/// Runs the phases of a tile. The units of a phase start together; the phase ends with the last of them.
void Sequencer::run_phases(const TileWork& work, std::string_view label, OpResult& result) {
  enter("compute");
  for (const TilePhase& phase : work.phases) {
    base::Cycles end = to_scalar->start(now_, phase.scalar, label);
    for (auto& mxu : to_mxu) end = std::max(end, mxu->start(now_, phase.mxu, label));
    end = std::max(end, to_vector->start(now_, phase.vector, label));
    end = std::max(end, to_cross_lane->start(now_, phase.cross_lane_ops, label));
    result.compute += end - now_;
    wait_until(end);
  }
}

/// Issues the reads of the next tile into the input buffer that is free.
void Sequencer::fetch(timing::TileCursor& cursor, OpResult& result) {
  if (cursor.done()) return;
  issue_all(Direction::read, cursor, input_flag + fetched_ % 2, result);
  cursor.next();
  ++fetched_;
}

/// Issues all transfers of a tile in one direction.
void Sequencer::issue_all(Direction direction, const timing::TileCursor& tile, std::size_t flag, OpResult& result) {
  const TileWork& work = tile.run().work;
  const std::size_t transfers = (direction == Direction::read ? work.reads : work.writes).size();
  for (std::size_t transfer = 0; transfer < transfers; ++transfer) {
    issue(direction, regions_->pattern(tile.run_number(), tile.index(), direction, transfer), flag, result);
  }
}

void Sequencer::issue(Direction direction, const AccessPattern& pattern, std::size_t flag, OpResult& result) {
  const base::Cycles start = now_;
  while (to_dma->full()) {
    enter("wait for descriptor");
    wait(to_dma->completion());
    now_ = time_.now();
  }
  result.write_wait += now_ - start;
  to_dma->issue(now_, direction, pattern, flag);
  ++issued_[flag];
  (direction == Direction::read ? result.read_bytes : result.written_bytes) += pattern.bytes();
}

void Sequencer::control(base::Cycles cycles, OpResult& result) {
  if (cycles == base::Cycles(0)) return;
  enter("control");
  result.control += cycles;
  wait_until(to_scalar->start(now_, cycles, "control"));
}

void Sequencer::wait_for_flag(std::size_t flag, base::Cycles& wait_time, const char* state) {
  if (to_flags->at_least(flag, issued_[flag])) return;
  enter(state);
  wait(to_flags->reaches(flag, issued_[flag]));
  wait_time += time_.now() - now_;
  now_ = time_.now();
}

void Sequencer::wait_until(base::Cycles cycle) {
  const sc_core::sc_time delay = time_.until(cycle);
  now_ = cycle;
  if (delay != sc_core::SC_ZERO_TIME) wait(delay);
}

Sequencer::UnitCounters Sequencer::counters() const {
  UnitCounters sum{{}, to_vector->busy(), to_cross_lane->busy(), to_dma->hbm_busy_ticks()};
  for (const auto& mxu : to_mxu) sum.mxu += mxu->busy();
  return sum;
}

void Sequencer::enter(const char* state) {
  if (state_.active()) state_.set(base::systemc::now(), state);
}

void Sequencer::show_op(std::string_view name) {
  if (op_.active()) op_.set(base::systemc::now(), std::string(name));
}

}  // namespace podsim::hw::core
