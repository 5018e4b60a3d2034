// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/bundle_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/host/interrupt.h"

namespace podsim::hw::bundle {

namespace {

using isa::Opcode;

constexpr std::int64_t bundles_per_report = 4096;
constexpr base::Cycles never{std::numeric_limits<std::int64_t>::max()};

Stall stall_of(const vector::Operation& operation) {
  if (operation.unit == isa::cross_lane_unit) return Stall::cross_lane;
  if (operation.unit == isa::transcendental_unit) return Stall::transcendental;
  if (operation.unit == isa::scalar_path) return Stall::scalar_path;
  return operation.executor == vector::Executor::pop ? Stall::matrix_results : Stall::matrix_operands;
}

}  // namespace

const char* to_string(Stall stall) {
  constexpr const char* names[] = {"branch",     "sync_flag",      "dma_queue",   "matrix_operands", "matrix_results",
                                   "cross_lane", "transcendental", "scalar_path", "vmem_bank",       "fence"};
  return names[int(stall)];
}

BundleCore::BundleCore(sc_core::sc_module_name name, const Machine& machine, const CoreTime& time,
                       const CoreParts& parts, const BundleRunOptions& options)
    : sc_module(name),
      time_(time),
      options_(options),
      branch_penalty_(machine.scalar.branch_penalty),
      parts_(parts),
      text_(parts.instructions),
      check_(parts_, scoreboard_),
      execution_(parts_, unit_, scoreboard_) {
  SC_METHOD(run);
}

void BundleCore::start_of_simulation() {
  for (std::size_t i = 0; i < unit_.size(); ++i) unit_[i] = units[i].size() > 0 ? units[i].operator->() : nullptr;
}

void BundleCore::run() {
  if (sc_core::sc_pending_activity_at_current_time()) {
    next_trigger(sc_core::SC_ZERO_TIME);
    return;
  }
  find_horizon();
  while (!finished_) {
    if (issue_.now >= horizon_) return yield_until(horizon_);
    const vector::DecodedBundle& bundle = parts_.instructions.at(issue_.address);
    if (!prepared_) {
      prepare(bundle);
    } else if (!dma_takes_cycle()) {
      if (bundle.outside && base::systemc::now() != time_.time_of(issue_.now)) return yield_until(issue_.now);
      issue(bundle);
    }
  }
}

/// Sets the cycle up to which the core may run ahead: that of the next pending event.
void BundleCore::find_horizon() {
  horizon_ = never;
  if (!sc_core::sc_pending_activity()) return;
  const base::Time next = base::systemc::now() + base::systemc::from_sc_time(sc_core::sc_time_to_pending_activity());
  horizon_ = time_.clock().edge_at_or_after(next);
}

/// Lets simulated time proceed to a cycle, including all events in it.
void BundleCore::yield_until(base::Cycles cycle) {
  if (parts_.trace != nullptr) parts_.trace->show_until(cycle);
  next_trigger(time_.until(cycle));
}

/// Determines when the bundle issues. If that depends on the next event, advances to it instead.
void BundleCore::prepare(const vector::DecodedBundle& bundle) {
  if (base::host::interrupt_pending()) {
    interrupted_at_ = "in " + text_.at(issue_.address, issue_.now);
    finish("interrupted");
  } else if (!bundle.loaded) {
    fail("nothing is loaded at this address of instruction memory");
  } else if (issue_.now >= options_.limit) {
    fail(fmt::format("the limit of {} cycles is reached", options_.limit.value()));
  } else if (choose_operations(bundle) && !(bundle.waits && wait_outside(bundle))) {
    ready_ = issue_.now;
    issue_.load.cycles = issue_.store.cycles = 0;
    if (bundle.waits) wait_for_units(bundle);
    if (finished_) return;
    if (parts_.trace != nullptr && ready_ > issue_.now) parts_.trace->wait(issue_.now, wait_text());
    issue_.now = ready_;
    prepared_ = true;
  }
}

/// Evaluates the predicates of all operations. Returns false if a predicate is not ready.
bool BundleCore::choose_operations(const vector::DecodedBundle& bundle) {
  std::uint32_t performed = 0;
  int number = 0;
  for (const vector::Operation& operation : bundle.operations) {
    if (const auto fault = check_.predicate_fault(operation, issue_)) return fail(*fault);
    performed |= std::uint32_t(parts_.scalar.performed(operation)) << number++;
  }
  issue_.performed = performed;
  return true;
}

/// Waits for conditions that only a DMA completion can meet. Returns true if the next event has to come first, or if
/// the run ended.
bool BundleCore::wait_outside(const vector::DecodedBundle& bundle) {
  for (std::size_t i = 0; i < bundle.operations.size(); ++i) {
    const vector::Operation& operation = bundle.operations[i];
    if (!issue_.performs(i)) continue;
    if (operation.opcode == isa::Opcode::sync_wait) return wait_for_flag(operation);
    if (operation.opcode == isa::Opcode::dma && parts_.dma.full()) return sleep(Stall::dma_queue, operation);
  }
  return false;
}

bool BundleCore::wait_for_flag(const vector::Operation& operation) {
  if (const auto fault = check_.operand_fault(operation, issue_)) return !fail(*fault);
  if (const auto fault = check_.flag_fault(operation, issue_)) return !fail(*fault);
  const std::size_t flag = parts_.scalar.value(operation.x);
  const std::int64_t value = parts_.scalar.number(operation.y);
  if (parts_.flags.at_least(flag, value)) return false;
  if (parts_.dma.that_raises(flag, value) != nullptr) return sleep(Stall::sync_flag, operation);
  return !fail(
      fmt::format("deadlock: {} waits until flag {} is at least {}; it is {}, and no DMA in flight raises it so far",
                  text_.quoted(issue_.address, operation), flag, value, parts_.flags.value(flag)));
}

/// Waits until the next event.
bool BundleCore::sleep(Stall reason, const vector::Operation& operation) {
  reason_ = reason;
  waiting_ = &operation;
  if (parts_.trace != nullptr) parts_.trace->wait(issue_.now, wait_text());
  issue_.now = horizon_;
  return true;
}

/// Finds the first cycle in which all units and memories that the bundle uses are ready.
void BundleCore::wait_for_units(const vector::DecodedBundle& bundle) {
  int transcendentals = 0, scalar_pops = 0;
  for (std::size_t i = 0; i < bundle.operations.size() && !finished_; ++i) {
    const vector::Operation& operation = bundle.operations[i];
    if (!issue_.performs(i)) continue;
    switch (operation.executor) {
      case vector::Executor::transcendental:
        if (++transcendentals > 1) fail("two operations are pushed to the transcendental unit in one cycle");
        [[fallthrough]];
      case vector::Executor::push:
      case vector::Executor::pop:
        ask_unit(operation);
        break;
      case vector::Executor::load:
        issue_.load = access_of(operation);
        break;
      case vector::Executor::store:
        issue_.store = access_of(operation);
        break;
      case vector::Executor::misc:
        if (operation.opcode == isa::Opcode::fence) consider(Stall::fence, &operation, parts_.vmem.all_seen());
        break;
      case vector::Executor::scalar:
        if (operation.opcode != isa::Opcode::s_pop) break;
        if (++scalar_pops > 1) fail("two words are popped by the scalar unit in one cycle");
        ask_unit(operation);
        break;
      case vector::Executor::vector:
        break;
    }
  }
  if (issue_.accesses_vmem()) {
    consider(Stall::vmem_bank, nullptr, earliest_ + base::Cycles(issue_.bank_cycles() - 1));
  }
}

void BundleCore::ask_unit(const vector::Operation& operation) {
  results::ResultUnit* unit = unit_[operation.unit];
  if (unit == nullptr) {
    fail(fmt::format("{} needs {}, which this machine does not have", text_.quoted(issue_.address, operation),
                     HazardText::unit(operation.unit)));
    return;
  }
  const results::Readiness readiness =
      operation.pops() ? unit->ready_to_pop(issue_.now) : unit->ready_to_push(operation.opcode, issue_.now);
  if (readiness.kind == results::Readiness::Kind::at) {
    consider(stall_of(operation), &operation, readiness.cycle);
  } else {
    fail(text_.refused(issue_.address, operation, readiness));
  }
}

VectorAccess BundleCore::access_of(const vector::Operation& operation) const {
  const std::int64_t base = std::int64_t(parts_.scalar.number(operation.x)) + parts_.scalar.number(operation.y);
  const std::uint32_t z = parts_.scalar.value(operation.z);
  if (operation.opcode == isa::Opcode::v_load || operation.opcode == isa::Opcode::v_store) {
    return {vector::RowSet::strided(base, std::int32_t(z)), vector::VmemPorts::cycles_of_stride(std::int32_t(z))};
  }
  return {vector::RowSet::shuffled(base, z), vector::VmemPorts::cycles_of_shuffle(z)};
}

/// Ties go to the earlier `Stall` enumerator.
void BundleCore::consider(Stall reason, const vector::Operation* operation, base::Cycles cycle) {
  const bool as_long = cycle == ready_ && ready_ > issue_.now && reason < reason_;
  if (cycle <= ready_ && !as_long) return;
  waiting_ = operation;
  ready_ = cycle;
  reason_ = reason;
}

/// Returns true if a DMA with a full buffer takes the cycle in which the bundle would issue. That happens at most once
/// per bundle.
bool BundleCore::dma_takes_cycle() {
  if (port_checked_ || !issue_.accesses_vmem()) return false;
  port_checked_ = true;
  const auto takes_from = [&](vector::VmemPort port, const VectorAccess& access) {
    return access.cycles > 0 && parts_.ports.delays(port, issue_.now, access.cycles);
  };
  if (!takes_from(vector::VmemPort::read, issue_.load) && !takes_from(vector::VmemPort::write, issue_.store))
    return false;
  if (base::Cycles(issue_.bank_cycles()) > issue_.now - earliest_) reason_ = Stall::vmem_bank;
  if (parts_.trace != nullptr) parts_.trace->wait(issue_.now, "wait VMEM bank");
  issue_.now += base::Cycles(1);
  return true;
}

/// "wait flag 3 >= 1 (load A)"
std::string BundleCore::wait_text() const {
  switch (reason_) {
    case Stall::sync_flag: {
      const std::size_t flag = parts_.scalar.value(waiting_->x);
      const std::int32_t value = parts_.scalar.number(waiting_->y);
      const DmaTransfer& transfer = *parts_.dma.that_raises(flag, value);
      return fmt::format("wait flag {} >= {} ({})", flag, value, parts_.dma.name(transfer.descriptor));
    }
    case Stall::dma_queue:
      return "wait DMA queue";
    case Stall::vmem_bank:
      return "wait VMEM bank";
    case Stall::fence:
      return "wait fence";
    default:
      return fmt::format("wait {} {}", HazardText::unit(waiting_->unit), waiting_->pops() ? "result" : "room");
  }
}

void BundleCore::issue(const vector::DecodedBundle& bundle) {
  if (const auto fault = check_.fault(bundle, issue_)) {
    fail(*fault);
    return;
  }
  record(bundle);
  const BundleExecution::Outcome outcome = execution_.perform(bundle, issue_);
  if (outcome.fault) {
    fail(*outcome.fault);
  } else if (outcome.halted) {
    issue_.now += base::Cycles(1);
    finish("done");
  } else {
    if (bundle.outside) find_horizon();
    go_on(outcome.next, outcome.branched);
  }
}

void BundleCore::record(const vector::DecodedBundle& bundle) {
  const base::Cycles waited = issue_.now - earliest_;
  if (++bundles_ % bundles_per_report == 0 && options_.progress) options_.progress(issue_.now);
  for (std::size_t i = 0; i < bundle.operations.size(); ++i) {
    ++slot_use_[std::size_t(bundle.operations[i].slot)];
    if (issue_.performs(i)) ++performed_[std::size_t(bundle.operations[i].opcode)];
  }
  stalls_[std::size_t(Stall::branch)] += penalty_;
  stalls_[std::size_t(reason_)] += waited;
  if (options_.on_issue) {
    const Stall longest = waited > penalty_ ? reason_ : Stall::branch;
    options_.on_issue(
        {issue_.now, issue_.address, parts_.instructions.bundle(issue_.address), waited + penalty_, longest});
  }
  if (parts_.trace != nullptr) show_issue(bundle);
}

void BundleCore::show_issue(const vector::DecodedBundle& bundle) {
  std::array<std::string, isa::slots> texts;
  for (std::size_t i = 0; i < bundle.operations.size(); ++i) {
    const isa::Slot slot = bundle.operations[i].slot;
    const std::string& text = parts_.instructions.text_of(issue_.address, slot);
    texts[std::size_t(slot)] = issue_.performs(i) ? text : "(" + text + ")";
  }
  parts_.trace->issue(issue_.now, issue_.address, texts);
  parts_.trace->bank_stalls(issue_.now, stalls_[std::size_t(Stall::vmem_bank)]);
}

void BundleCore::go_on(std::uint32_t next, bool branched) {
  issue_.address = next;
  issue_.now += base::Cycles(1);
  penalty_ = branched ? branch_penalty_ : base::Cycles(0);
  if (penalty_ > base::Cycles(0) && parts_.trace != nullptr) parts_.trace->wait(issue_.now, "branch");
  issue_.now += penalty_;
  earliest_ = issue_.now;
  prepared_ = false;
  port_checked_ = false;
}

/// Ends the run in the current cycle. Returns false, so that callers can return its result as theirs.
bool BundleCore::fail(const std::string& what) {
  if (finished_) return false;
  verdict_ = text_.at(issue_.address, issue_.now, what);
  finish("failed");
  return false;
}

void BundleCore::finish(const char* state) {
  finished_ = true;
  if (parts_.trace != nullptr) parts_.trace->finish(issue_.now, state);
}

}  // namespace podsim::hw::bundle
