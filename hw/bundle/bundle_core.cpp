// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/bundle_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace podsim::hw {

namespace {

using isa::Opcode;

constexpr base::Cycles never{std::numeric_limits<std::int64_t>::max()};

Stall stall_of(const Operation& operation) {
  if (operation.unit == isa::cross_lane_unit) return Stall::cross_lane;
  if (operation.unit == isa::transcendental_unit) return Stall::transcendental;
  return operation.executor == Executor::pop ? Stall::matrix_results : Stall::matrix_operands;
}

}  // namespace

const char* to_string(Stall stall) {
  constexpr const char* names[] = {"branch",          "sync_flag",      "dma_queue",
                                   "matrix_operands", "matrix_results", "cross_lane",
                                   "transcendental",  "vmem_bank",      "fence"};
  return names[int(stall)];
}

BundleCore::BundleCore(sc_core::sc_module_name name, const Machine& machine, const CoreTime& time,
                       const isa::Program& program, const BundleCoreParts& parts, const BundleRunOptions& options)
    : sc_module(name),
      time_(time),
      program_(program),
      options_(options),
      branch_penalty_(machine.scalar.branch_penalty),
      parts_(parts),
      text_(parts.instructions) {
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
    if (now_ >= horizon_) return give_way(horizon_);
    const DecodedBundle& bundle = parts_.instructions.at(pc_);
    if (!prepared_) {
      prepare(bundle);
    } else if (dma_takes_cycle()) {
      continue;
    } else if (bundle.outside && noc::now() != time_.time_of(now_)) {
      return give_way(now_);
    } else {
      issue(bundle);
    }
  }
}

/// Until here the core may run ahead.
void BundleCore::find_horizon() {
  horizon_ = never;
  if (!sc_core::sc_pending_activity()) return;
  const base::Time next = noc::now() + noc::from_sc_time(sc_core::sc_time_to_pending_activity());
  horizon_ = time_.clock().edge_at_or_after(next);
}

/// Lets the simulation go on until a cycle and all that happens in it.
void BundleCore::give_way(base::Cycles cycle) {
  if (parts_.trace != nullptr) parts_.trace->show_until(cycle);
  next_trigger(time_.until(cycle));
}

/// Finds out when the bundle at pc_ issues, or moves on to the next event where that decides.
void BundleCore::prepare(const DecodedBundle& bundle) {
  if (!bundle.loaded) {
    fail("nothing is loaded at this address of instruction memory");
  } else if (now_ >= options_.limit) {
    fail(fmt::format("the limit of {} cycles is reached", options_.limit.value()));
  } else if (choose_operations(bundle) && !(bundle.waits && wait_outside(bundle))) {
    ready_ = now_;
    load_.cycles = store_.cycles = 0;
    if (bundle.waits) wait_for_units(bundle);
    if (parts_.trace != nullptr && ready_ > now_) parts_.trace->wait(now_, wait_text());
    now_ = ready_;
    prepared_ = true;
  }
}

/// Which operations are performed; false if a predicate is not ready.
bool BundleCore::choose_operations(const DecodedBundle& bundle) {
  performed_ = 0;
  for (std::size_t i = 0; i < bundle.operations.size(); ++i) {
    const Operation& operation = bundle.operations[i];
    const int predicate = register_entry::predicate + operation.predicate;
    if (scoreboard_.ready(predicate) > now_) {
      return fail(text_.not_ready(pc_, now_, operation, predicate, scoreboard_));
    }
    performed_ |= std::uint32_t(parts_.scalar.performed(operation)) << i;
  }
  return true;
}

/// Waits for what only a DMA completion can bring: true if the next event has to come first, or the run ended.
bool BundleCore::wait_outside(const DecodedBundle& bundle) {
  for (std::size_t i = 0; i < bundle.operations.size(); ++i) {
    const Operation& operation = bundle.operations[i];
    if (!performed(i)) continue;
    if (operation.opcode == Opcode::sync_wait) return wait_for_flag(operation);
    if (operation.opcode == Opcode::dma && parts_.dma.full()) return sleep(Stall::dma_queue, operation);
  }
  return false;
}

bool BundleCore::wait_for_flag(const Operation& operation) {
  if (!operands_ready(operation) || !flag_exists(operation)) return true;
  const std::size_t flag = parts_.scalar.value(operation.x);
  const std::int64_t value = parts_.scalar.number(operation.y);
  if (parts_.flags.at_least(flag, value)) return false;
  if (parts_.dma.that_raises(flag, value) != nullptr) return sleep(Stall::sync_flag, operation);
  fail(fmt::format("deadlock: {} waits until flag {} is at least {}; it is {}, and no DMA in flight raises it so far",
                   text_.quoted(pc_, operation), flag, value, parts_.flags.value(flag)));
  return true;
}

/// Until the next event.
bool BundleCore::sleep(Stall reason, const Operation& operation) {
  reason_ = reason;
  waiting_ = &operation;
  if (parts_.trace != nullptr) parts_.trace->wait(now_, wait_text());
  now_ = horizon_;
  return true;
}

/// Asks units and memory for the first cycle in which all of them are ready.
void BundleCore::wait_for_units(const DecodedBundle& bundle) {
  int transcendentals = 0;
  for (std::size_t i = 0; i < bundle.operations.size() && !finished_; ++i) {
    const Operation& operation = bundle.operations[i];
    if (!performed(i)) continue;
    switch (operation.executor) {
      case Executor::transcendental:
        if (++transcendentals > 1) fail("two operations are pushed to the transcendental unit in one cycle");
        [[fallthrough]];
      case Executor::push:
      case Executor::pop:
        ask_unit(operation);
        break;
      case Executor::load:
        load_ = access_of(operation);
        break;
      case Executor::store:
        store_ = access_of(operation);
        break;
      case Executor::misc:
        if (operation.opcode == Opcode::fence) consider(Stall::fence, &operation, parts_.vmem.all_seen());
        break;
      default:
        break;
    }
  }
  if (load_.cycles + store_.cycles > 0) wait_for_banks();
}

void BundleCore::ask_unit(const Operation& operation) {
  if (unit_[operation.unit] == nullptr) {
    fail(fmt::format("{} needs {}, which this machine does not have", text_.quoted(pc_, operation),
                     HazardText::unit(operation.unit)));
    return;
  }
  ResultUnit& unit = *unit_[operation.unit];
  const Readiness readiness =
      operation.executor == Executor::pop ? unit.ready_to_pop(now_) : unit.ready_to_push(operation.opcode, now_);
  if (readiness.kind == Readiness::Kind::at) {
    consider(stall_of(operation), &operation, readiness.cycle);
  } else {
    fail(text_.refused(pc_, operation, readiness));
  }
}

/// Of equally long waits the first in the order of Stall counts.
void BundleCore::consider(Stall reason, const Operation* operation, base::Cycles cycle) {
  const bool as_long = cycle == ready_ && ready_ > now_ && reason < reason_;
  if (cycle <= ready_ && !as_long) return;
  waiting_ = operation;
  ready_ = cycle;
  reason_ = reason;
}

/// Load and store each have ports of their own; the bundle issues with the last cycle that either needs.
void BundleCore::wait_for_banks() {
  consider(Stall::vmem_bank, nullptr, earliest_ + base::Cycles(std::max(load_.cycles, store_.cycles) - 1));
}

/// Whether DMA, whose buffer is full, takes the cycle in which the bundle would issue; it does so once.
bool BundleCore::dma_takes_cycle() {
  if (port_checked_ || load_.cycles + store_.cycles == 0) return false;
  port_checked_ = true;
  const bool takes = (load_.cycles > 0 && parts_.ports.delays(VmemPort::read, now_, load_.cycles)) ||
                     (store_.cycles > 0 && parts_.ports.delays(VmemPort::write, now_, store_.cycles));
  if (!takes) return false;
  if (base::Cycles(std::max(load_.cycles, store_.cycles)) > now_ - earliest_) reason_ = Stall::vmem_bank;
  if (parts_.trace != nullptr) parts_.trace->wait(now_, "wait VMEM bank");
  now_ += base::Cycles(1);
  return true;
}

BundleCore::Access BundleCore::access_of(const Operation& operation) const {
  const std::int64_t base = std::int64_t(parts_.scalar.number(operation.x)) + parts_.scalar.number(operation.y);
  const std::uint32_t z = parts_.scalar.value(operation.z);
  if (operation.opcode == Opcode::v_load || operation.opcode == Opcode::v_store) {
    return {RowSet::strided(base, std::int32_t(z)), VmemPorts::cycles_of_stride(std::int32_t(z))};
  }
  return {RowSet::shuffled(base, z), VmemPorts::cycles_of_shuffle(z)};
}

/// In cycle now_.
void BundleCore::issue(const DecodedBundle& bundle) {
  for (std::size_t i = 0; i < bundle.operations.size(); ++i) {
    if (performed(i) && !possible(bundle.operations[i])) return;
  }
  record(bundle);
  next_ = pc_ + 1;
  branched_ = false;
  perform(bundle);
  if (!finished_) go_on();
}

/// Whether what the operation uses may be used now; otherwise the run fails.
bool BundleCore::possible(const Operation& operation) {
  if (!operands_ready(operation)) return false;
  switch (operation.opcode) {
    case Opcode::v_load:
    case Opcode::v_load_shuffle:
    case Opcode::v_store:
    case Opcode::v_store_shuffle:
      return vmem_accessible(operation);
    case Opcode::s_load:
    case Opcode::s_store:
      return smem_accessible(operation, parts_.scalar.smem_address(operation), 1);
    case Opcode::dma:
      return smem_accessible(operation, parts_.scalar.value(operation.x), isa::descriptor_words);
    case Opcode::sync_set:
    case Opcode::sync_add:
      return flag_exists(operation);
    case Opcode::halt:
      if (parts_.dma.in_flight() == 0) return true;
      return fail(fmt::format("the program ends while {} is in flight", parts_.dma.text(parts_.dma.oldest())));
    default:
      return true;
  }
}

bool BundleCore::operands_ready(const Operation& operation) {
  for (std::size_t i = 0; i < operation.reads; ++i) {
    if (scoreboard_.ready(operation.read[i]) > now_) {
      return fail(text_.not_ready(pc_, now_, operation, operation.read[i], scoreboard_));
    }
  }
  if (scoreboard_.ready(operation.write) <= now_) return true;
  return fail(text_.not_ready(pc_, now_, operation, operation.write, scoreboard_));
}

bool BundleCore::vmem_accessible(const Operation& operation) {
  const bool loads = operation.executor == Executor::load;
  const VmemGuard::Finding finding =
      loads ? parts_.vmem.check_load(load_.rows, now_) : parts_.vmem.check_store(store_.rows);
  if (finding.fault == VmemGuard::Fault::none) return true;
  const char* does = loads ? "reads" : "writes";
  const std::string access = fmt::format("{} {} VMEM row {}", text_.quoted(pc_, operation), does, finding.row);
  switch (finding.fault) {
    case VmemGuard::Fault::out_of_range:
      return fail(fmt::format("{}; there are {}", access, parts_.vmem.rows()));
    case VmemGuard::Fault::store_not_seen:
      return fail(fmt::format("{}, {} before what was stored there can be seen", access,
                              HazardText::cycles(finding.seen - now_)));
    case VmemGuard::Fault::dma_writes:
      return fail(fmt::format("{} while {} writes it", access, parts_.dma.text(parts_.dma.at_row(finding.row, true))));
    default:
      return fail(fmt::format("{} while {} reads it", access, parts_.dma.text(parts_.dma.at_row(finding.row, false))));
  }
}

bool BundleCore::smem_accessible(const Operation& operation, std::uint32_t first, std::uint32_t count) {
  const bool writes = operation.opcode == Opcode::s_store;
  const std::size_t size = parts_.scalar.smem().size();
  for (std::uint32_t word = first; word != first + count; ++word) {
    const char* does = writes ? "writes" : "reads";
    if (word >= size) {
      return fail(fmt::format("{} {} SMEM word {}; there are {}", text_.quoted(pc_, operation), does,
                              std::int32_t(word), size));
    }
    if (const BundleDma::Transfer* transfer = parts_.dma.at_smem(word, writes)) {
      return fail(fmt::format("{} {} SMEM word {} while {} moves it", text_.quoted(pc_, operation), does, word,
                              parts_.dma.text(*transfer)));
    }
  }
  return true;
}

bool BundleCore::flag_exists(const Operation& operation) {
  const std::int32_t flag = parts_.scalar.number(operation.x);
  if (flag >= 0 && flag < parts_.flags.count()) return true;
  return fail(fmt::format("{} uses flag {}; there are {}", text_.quoted(pc_, operation), flag, parts_.flags.count()));
}

void BundleCore::record(const DecodedBundle& bundle) {
  const base::Cycles waited = now_ - earliest_;
  ++bundles_;
  for (const Operation& operation : bundle.operations) ++slot_use_[std::size_t(operation.slot)];
  stalls_[std::size_t(Stall::branch)] += penalty_;
  stalls_[std::size_t(reason_)] += waited;
  if (options_.on_issue) {
    const Stall longest = waited > penalty_ ? reason_ : Stall::branch;
    options_.on_issue({now_, pc_, parts_.instructions.bundle(pc_), waited + penalty_, longest});
  }
  if (parts_.trace != nullptr) show_issue(bundle);
}

void BundleCore::show_issue(const DecodedBundle& bundle) {
  std::array<std::string, isa::slots> texts;
  for (std::size_t i = 0; i < bundle.operations.size(); ++i) {
    const isa::Slot slot = bundle.operations[i].slot;
    const std::string& text = parts_.instructions.text_of(pc_, slot);
    texts[std::size_t(slot)] = performed(i) ? text : "(" + text + ")";
  }
  parts_.trace->issue(now_, pc_, texts);
  parts_.trace->bank_stalls(now_, stalls_[std::size_t(Stall::vmem_bank)]);
}

/// "wait flag 3 >= 1 (load A)"
std::string BundleCore::wait_text() const {
  switch (reason_) {
    case Stall::sync_flag: {
      const std::size_t flag = parts_.scalar.value(waiting_->x);
      const std::int32_t value = parts_.scalar.number(waiting_->y);
      const BundleDma::Transfer& transfer = *parts_.dma.that_raises(flag, value);
      return fmt::format("wait flag {} >= {} ({})", flag, value, parts_.dma.name(transfer.descriptor));
    }
    case Stall::dma_queue:
      return "wait DMA queue";
    case Stall::vmem_bank:
      return "wait VMEM bank";
    case Stall::fence:
      return "wait fence";
    default:
      return fmt::format("wait {} {}", HazardText::unit(waiting_->unit),
                         waiting_->executor == Executor::pop ? "result" : "room");
  }
}

/// Vector and misc operations take effect one by one in an order that makes it look as if all read first; scalar ones,
/// which stand last, together.
void BundleCore::perform(const DecodedBundle& bundle) {
  std::array<ScalarUnit::Effect, 2> effects;
  std::size_t scalars = 0;
  for (std::size_t i = 0; i < bundle.operations.size(); ++i) {
    if (!performed(i)) continue;
    const Operation& operation = bundle.operations[i];
    scoreboard_.write(operation.write, now_ + operation.latency, pc_);
    if (operation.executor == Executor::scalar) {
      effects[scalars++] = parts_.scalar.evaluate(operation);
      if (isa::is_branch(operation.opcode) && parts_.scalar.branches(operation)) {
        next_ = parts_.scalar.value(operation.y);
        branched_ = true;
      }
    } else {
      perform(operation);
    }
  }
  for (std::size_t i = 0; i < scalars; ++i) parts_.scalar.apply(effects[i]);
  if (bundle.deferred && parts_.data != nullptr) parts_.data->commit();
}

void BundleCore::perform(const Operation& operation) {
  VectorDatapath* const data = parts_.data;
  switch (operation.executor) {
    case Executor::transcendental:
      unit_[operation.unit]->push(operation.opcode, now_, data != nullptr ? &data->y(operation) : nullptr, 0, nullptr);
      break;
    case Executor::push:
      push(operation);
      break;
    case Executor::pop:
      unit_[operation.unit]->pop(now_, data != nullptr ? &data->destination(operation) : nullptr);
      break;
    case Executor::load:
      parts_.ports.access(VmemPort::read, now_, load_.cycles);
      if (data != nullptr) data->load(operation, load_.rows);
      break;
    case Executor::store:
      parts_.ports.access(VmemPort::write, now_, store_.cycles);
      parts_.vmem.store(store_.rows, now_);
      if (data != nullptr) data->store(operation, store_.rows);
      break;
    case Executor::vector:
      if (data != nullptr) data->perform(operation, parts_.scalar.value(operation.y));
      break;
    case Executor::misc:
      perform_misc(operation);
      break;
    case Executor::scalar:
      break;
  }
}

void BundleCore::push(const Operation& operation) {
  const VectorRegister* x = nullptr;
  const VectorRegister* index = nullptr;
  if (parts_.data != nullptr && operation.opcode != Opcode::mxu_latch) {
    x = &parts_.data->x(operation);
    if (operation.opcode == Opcode::x_permute_lanes) index = &parts_.data->y(operation);
  }
  unit_[operation.unit]->push(operation.opcode, now_, x, parts_.scalar.number(operation.y), index);
}

void BundleCore::perform_misc(const Operation& operation) {
  const std::size_t flag = parts_.scalar.value(operation.x);
  const std::int64_t amount = parts_.scalar.number(operation.y);
  switch (operation.opcode) {
    case Opcode::dma:
      start_dma(operation);
      break;
    case Opcode::sync_set:
      parts_.flags.set(flag, amount);
      break;
    case Opcode::sync_add:
      parts_.flags.add(flag, amount);
      break;
    case Opcode::mark:
      if (parts_.trace != nullptr)
        parts_.trace->mark(now_, flag < program_.strings.size() ? program_.strings[flag] : "");
      break;
    case Opcode::halt:
      finished_ = true;
      now_ += base::Cycles(1);
      if (parts_.trace != nullptr) parts_.trace->finish(now_, "done");
      break;
    default:
      break;
  }
}

void BundleCore::start_dma(const Operation& operation) {
  std::array<std::uint32_t, isa::descriptor_words> words;
  std::copy_n(parts_.scalar.smem().begin() + std::ptrdiff_t(parts_.scalar.value(operation.x)), words.size(),
              words.begin());
  if (const auto why = parts_.dma.start(now_, isa::descriptor_of(words), pc_)) fail(*why);
  find_horizon();
}

/// To the next bundle.
void BundleCore::go_on() {
  pc_ = next_;
  penalty_ = branched_ ? branch_penalty_ : base::Cycles(0);
  if (penalty_ > base::Cycles(0) && parts_.trace != nullptr) parts_.trace->wait(now_ + base::Cycles(1), "branch");
  now_ += base::Cycles(1) + penalty_;
  earliest_ = now_;
  prepared_ = false;
  port_checked_ = false;
}

bool BundleCore::fail(const std::string& what) {
  if (finished_) return false;
  verdict_ = text_.at(pc_, now_, what);
  finished_ = true;
  if (parts_.trace != nullptr) parts_.trace->finish(now_, "failed");
  return false;
}

}  // namespace podsim::hw
