// SPDX-License-Identifier: Apache-2.0
#include "hw/core/sequencer.h"

#include <algorithm>

#include "hw/energy/core_power.h"
#include "hw/host/host_copy_timing.h"
#include "hw/memory_levels.h"
#include "hw/timing/control_timing.h"
#include "hw/timing/tile_loop.h"
#include "hw/timing/tile_pipeline.h"

namespace podsim::hw::core {

namespace {

// Sync flags of the double buffers: two input halves, two output halves.
constexpr std::size_t input_flag = 0;
constexpr std::size_t output_flag = 2;

template <class Run>
std::string_view shown_name(const Run& command) {
  return command.label.empty() ? std::string_view(command.op->name) : command.label;
}

/// One port for each unit; of several of a kind they are numbered.
CoreUnits::Per<Sequencer::UnitPorts> unit_ports(const Machine& machine) {
  CoreUnits::Per<Sequencer::UnitPorts> ports;
  CoreUnits::for_each([&](auto kind) {
    using Unit = typename decltype(kind)::type;
    const std::string name = std::string("to_") + Unit::names.name;
    for (std::int64_t i = 0; i < Unit::count(machine); ++i) {
      ports.of<Unit>().emplace_back((Unit::names.numbered ? name + "_" + std::to_string(i) : name).c_str());
    }
  });
  return ports;
}

}  // namespace

Sequencer::Sequencer(sc_core::sc_module_name name, const Machine& machine, const CoreTime& time, Core& core,
                     CoreRuntime& runtime, const Trace& trace)
    : sc_module(name),
      to_units(unit_ports(machine)),
      machine_(machine),
      time_(time),
      core_(core),
      runtime_(runtime),
      timeline_(trace.timeline),
      state_(trace.probe<std::string>("state")),
      op_(trace.probe<std::string>("op")),
      infeed_(trace.probe<std::string>("infeed")),
      outfeed_(trace.probe<std::string>("outfeed")),
      watts_(trace.probe<double>("watts")) {
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
  while (run_program()) wait(resumed_);
}

/// Executes commands until there is none; returns false if one is refused.
bool Sequencer::run_program() {
  now_ = time_.now();
  while (const std::optional<Command> command = runtime_.next_command(core_)) {
    if (const std::string verdict = refusal(*command); !verdict.empty()) {
      enter("failed");
      runtime_.failed(core_, verdict);
      return false;
    }
    execute(*command);
  }
  enter("done");
  return true;
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
  if (watts_.active()) show_power(op, timing::simulate_op(machine_, op).cycles);
  to_vmem->allocate(op.name, op.vmem);
  const UnitCounters before = counters();
  on_op_(&op);
  run_tiles(op, label, record.op);
  on_op_(nullptr);
  const UnitCounters after = counters();
  to_vmem->release(op.vmem);
  record.op.cycles = now_ - record.start;
  CoreUnits::for_each([&](auto kind) {
    using Unit = typename decltype(kind)::type;
    record.op.busy.of<Unit>() = after.busy.of<Unit>() - before.busy.of<Unit>();
  });
  record.op.hbm_busy = timing::HbmStream::cycles_of_ticks(after.hbm_ticks - before.hbm_ticks);
  if (timeline_ != nullptr) timeline_->span(track_, label, "op", time_.time_of(record.start), time_.time_of(now_));
}

void Sequencer::perform(const RunFor& command, CommandRecord& record) {
  const std::string_view label = shown_name(command);
  show_op(label);
  show_power(*command.op, command.recorded.cycles);
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
  while (!to_host->batch_ready(core)) wait(to_host->batch_arrived(core));
  wait_until(time_.now());
  record.waiting = now_ - record.start;
  infeed_.set(base::systemc::now(), "copy");
  copy_host_data(command.bytes, command.tensors);
  to_host->consume(core);
  infeed_.set(base::systemc::now(), "idle");
  if (timeline_ != nullptr) {
    timeline_->span(track_, "infeed", "infeed", time_.time_of(record.start), time_.time_of(now_));
  }
}

/// Copies between a queue of the host and where the program has the data.
void Sequencer::copy_host_data(base::Bytes bytes, std::int64_t tensors) {
  const int core = core_.id().core;
  to_host->begin_copy(core, bytes);
  wait_until(now_ + host::host_copy_cycles(machine_, bytes, tensors));
  while (to_host->copying(core)) wait(to_host->copied(core));
  wait_until(time_.now());
}

void Sequencer::perform(const Outfeed& command, CommandRecord& record) {
  enter("outfeed");
  outfeed_.set(base::systemc::now(), "wait for room");
  const int core = core_.id().core;
  while (!to_host->outfeed_room(core)) wait(to_host->outfeed_freed(core));
  wait_until(time_.now());
  record.waiting = now_ - record.start;
  outfeed_.set(base::systemc::now(), "copy");
  copy_host_data(command.bytes, command.tensors);
  to_host->send(core, command.bytes);
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

/// Executes the loop over the tiles of an op (timing/tile_loop.h) by the units.
class Sequencer::TileExecutor {
 public:
  TileExecutor(Sequencer& sequencer, const TileOp& op, std::string_view label, OpResult& result)
      : core_(sequencer), label_(label), result_(result) {
    core_.regions_.emplace(op, core_.machine_.hbm.capacity_per_core, core_.machine_.dram.address.interleave);
    for (std::size_t flag = 0; flag < issued_.size(); ++flag) core_.to_flags->set(flag, 0);
  }

  void issue(Direction direction, const timing::TileCursor& tile, std::size_t half) {
    const TileWork& work = tile.run().work;
    const std::vector<TileTransfer>& transfers = direction == Direction::read ? work.reads : work.writes;
    for (std::size_t number = 0; number < transfers.size(); ++number) {
      const TileTransfer& transfer = transfers[number];
      const std::size_t flag = flag_of(direction, half);
      wait_for_descriptor();
      ++issued_[flag];
      if (transfer.level != level::hbm) {
        core_.to_dma->issue_at_level(core_.now_, direction, transfer.level, transfer.bytes, flag);
        continue;
      }
      core_.to_dma->issue(core_.now_, direction,
                          core_.regions_->pattern(tile.run_number(), tile.index(), direction, number), flag);
      (direction == Direction::read ? result_.read_bytes : result_.written_bytes) += transfer.bytes;
    }
  }

  void wait_for(Direction direction, std::size_t half, std::int64_t tile) {
    if (direction == Direction::write) {
      return wait_for_flag(flag_of(direction, half), result_.write_wait, "wait for buffer");
    }
    wait_for_flag(flag_of(direction, half), tile == 0 ? result_.start_up : result_.read_wait, "wait for reads");
  }

  void compute(const timing::TileCursor& tile) {
    core_.run_phases(tile.run().work, label_, result_);
    ++result_.tiles;
  }

  void control(base::Cycles cycles) { core_.control(cycles, result_); }
  void end_of(const timing::TileCursor&) {}

  void drain() {
    for (std::size_t half : {0, 1}) wait_for_flag(flag_of(Direction::write, half), result_.drain, "drain");
    const base::Cycles drained = std::max(core_.now_, core_.to_dma->free_at());
    result_.drain += drained - core_.now_;
    core_.wait_until(drained);
  }

 private:
  static std::size_t flag_of(Direction direction, std::size_t half) {
    return (direction == Direction::read ? input_flag : output_flag) + half;
  }

  void wait_for_descriptor() {
    const base::Cycles start = core_.now_;
    while (core_.to_dma->full()) {
      core_.enter("wait for descriptor");
      core_.wait(core_.to_dma->completion());
      core_.now_ = core_.time_.now();
    }
    result_.write_wait += core_.now_ - start;
  }

  void wait_for_flag(std::size_t flag, base::Cycles& wait_time, const char* state) {
    if (core_.to_flags->at_least(flag, issued_[flag])) return;
    core_.enter(state);
    core_.wait(core_.to_flags->reaches(flag, issued_[flag]));
    wait_time += core_.time_.now() - core_.now_;
    core_.now_ = core_.time_.now();
  }

  Sequencer& core_;
  std::string_view label_;
  OpResult& result_;
  std::array<std::int64_t, 4> issued_{};  ///< descriptors, by sync flag
};

void Sequencer::run_tiles(const TileOp& op, std::string_view label, OpResult& result) {
  TileExecutor executor(*this, op, label, result);
  timing::run_tile_loop(op, timing::ControlTiming(machine_, op), timing::TileCursor::no_limit, executor);
}

/// Runs the phases of a tile. The units of a phase start together; the phase ends with the last of them.
void Sequencer::run_phases(const TileWork& work, std::string_view label, OpResult& result) {
  enter("compute");
  for (const TilePhase& phase : work.phases) {
    base::Cycles end = now_;
    CoreUnits::for_each([&](auto kind) {
      using Unit = typename decltype(kind)::type;
      for (auto& unit : to_units.of<Unit>()) end = std::max(end, unit->start(now_, phase.of<Unit>(), label));
    });
    result.compute += end - now_;
    wait_until(end);
  }
}

void Sequencer::control(base::Cycles cycles, OpResult& result) {
  if (cycles == base::Cycles(0)) return;
  enter("control");
  result.control += cycles;
  wait_until(to_units.of<Scalar>().front()->start(now_, {cycles}, "control"));
}

void Sequencer::wait_until(base::Cycles cycle) {
  const sc_core::sc_time delay = time_.until(cycle);
  now_ = cycle;
  if (delay != sc_core::SC_ZERO_TIME) wait(delay);
}

Sequencer::UnitCounters Sequencer::counters() const {
  UnitCounters sum{{}, to_dma->hbm_busy_ticks()};
  CoreUnits::for_each([&](auto kind) {
    using Unit = typename decltype(kind)::type;
    for (const auto& unit : to_units.of<Unit>()) sum.busy.of<Unit>() += unit->busy();
  });
  return sum;
}

void Sequencer::enter(const char* state) {
  if (state_.active()) state_.set(base::systemc::now(), state);
}

void Sequencer::show_op(std::string_view name) {
  if (op_.active()) op_.set(base::systemc::now(), std::string(name));
  if (name.empty() && watts_.active()) watts_.set(base::systemc::now(), energy::idle_core_watts(machine_));
}

void Sequencer::show_power(const TileOp& op, base::Cycles cycles) {
  if (watts_.active()) watts_.set(base::systemc::now(), energy::core_watts(machine_, op, cycles));
}

}  // namespace podsim::hw::core
