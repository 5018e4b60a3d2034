// SPDX-License-Identifier: Apache-2.0
#include "hw/chip/replay_core.h"

#include "hw/host/host_copy_timing.h"
#include "hw/timing/chip_cycles.h"
#include "hw/timing/vmem_account.h"

namespace podsim::hw::chip {

ReplayCore::ReplayCore(sc_core::sc_module_name name, const Machine& machine, core::CoreId id, timing::HbmOccupancy& hbm,
                       core::CoreRuntime& runtime, const noc::ChipSpeed& speed)
    : sc_module(name),
      machine_(machine),
      clock_speed_(speed.clock),
      id_(id),
      time_(machine.clock),
      hbm_(hbm),
      runtime_(runtime),
      contended_(machine, speed) {
  SC_METHOD(work);
  sensitive << wake_;
}

void ReplayCore::complete_external() {
  external_complete_ = true;
  if (state_ == State::wait_for_external) wake_.notify();
}

void ReplayCore::work() {
  while (step()) {
  }
}

/// Takes one step. Returns whether the core can proceed in this cycle.
bool ReplayCore::step() {
  switch (state_) {
    case State::fetch:
      return fetch();
    case State::wait_for_batch:
      return wait_for_batch();
    case State::wait_for_room:
      return wait_for_room();
    case State::wait_for_external:
      return wait_for_external();
    case State::wait_for_end:
      return wait_for_end();
    case State::stopped:
      break;
  }
  return false;
}

bool ReplayCore::fetch() {
  start_ = time_.now();
  op_ = {};
  waiting_ = {};
  command_ = runtime_.next_command(*this);
  if (!command_) return false;
  std::visit([this](const auto& command) { begin(command); }, *command_);
  return true;
}

bool ReplayCore::wait_for_batch() {
  if (!to_host->batch_ready(id_.core)) {
    next_trigger(to_host->batch_arrived(id_.core));
    return false;
  }
  waiting_ = time_.now() - start_;
  const auto& infeed = std::get<Infeed>(*command_);
  end_at(time_.now() + slowed(host::host_copy_cycles(machine_, infeed.bytes, infeed.tensors)));
  return true;
}

bool ReplayCore::wait_for_room() {
  if (!to_host->outfeed_room(id_.core)) {
    next_trigger(to_host->outfeed_freed(id_.core));
    return false;
  }
  waiting_ = time_.now() - start_;
  const auto& outfeed = std::get<Outfeed>(*command_);
  end_at(time_.now() + slowed(host::host_copy_cycles(machine_, outfeed.bytes, outfeed.tensors)));
  return true;
}

bool ReplayCore::wait_for_external() {
  if (!external_complete_) return false;
  end_at(time_.now());
  return true;
}

bool ReplayCore::wait_for_end() {
  const bool is_op = op_.cycles > base::Cycles(0);
  if (is_op) delay_op();
  const sc_core::sc_time left = time_.until(end_);
  if (left != sc_core::SC_ZERO_TIME) {
    wake_.notify(left);
    return false;
  }
  if (is_op) contended_.finish();
  if (std::holds_alternative<Infeed>(*command_)) to_host->consume(id_.core);
  if (const auto* outfeed = std::get_if<Outfeed>(&*command_)) to_host->send(id_.core, outfeed->bytes);
  state_ = State::fetch;
  runtime_.completed(*this, {*command_, start_, end_, op_, waiting_});
  return true;
}

void ReplayCore::begin(const RunOp& command) {
  const std::string verdict = timing::VmemAccount(machine_.vmem, name()).refusal(command.op->name, command.op->vmem);
  if (!verdict.empty()) {
    state_ = State::stopped;
    runtime_.failed(*this, verdict);
    return;
  }
  op_ = timing::simulate_op(contended_.machine(), *command.op);
  run_op(*command.op);
}

void ReplayCore::begin(const RunFor& command) {
  op_ = command.recorded;
  run_op(*command.op);
}

void ReplayCore::run_op(const TileOp& op) {
  contended_.begin(hbm_, time_.time_of(start_), op, op_);
  end_at(start_ + slowed(op_.cycles));
}

/// Postpones the end of the op for the claims since this was last called.
void ReplayCore::delay_op() {
  const base::Cycles cycles = contended_.cycles();
  if (cycles <= op_.cycles) return;
  op_.read_wait += cycles - op_.cycles;
  op_.cycles = cycles;
  end_ = start_ + slowed(cycles);
}

void ReplayCore::begin(const Delay& command) { end_at(start_ + command.cycles); }

void ReplayCore::begin(const Infeed&) { state_ = State::wait_for_batch; }

void ReplayCore::begin(const Outfeed&) { state_ = State::wait_for_room; }

void ReplayCore::begin(const External& command) {
  external_complete_ = false;
  runtime_.start_external(*this, command);
  state_ = State::wait_for_external;  // after the call, since a completion from within it needs no event
}

base::Cycles ReplayCore::slowed(base::Cycles cycles) const { return timing::slowed(cycles, clock_speed_); }

void ReplayCore::end_at(base::Cycles cycle) {
  state_ = State::wait_for_end;
  end_ = cycle;
}

}  // namespace podsim::hw::chip
