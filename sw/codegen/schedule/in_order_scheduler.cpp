// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/schedule/in_order_scheduler.h"

#include <algorithm>
#include <unordered_map>

#include "hw/isa/latency.h"
#include "sw/codegen/schedule/bundle_packer.h"

namespace podsim::sw::codegen::schedule {

using hw::isa::Opcode;
using hw::isa::SlotKind;

namespace {

/// Tracks when the effects of the operations issued so far are available.
class Progress {
 public:
  explicit Progress(const hw::Machine& machine) : machine_(machine) { unit_free_.fill(0); }

  int earliest(const registers::Operation& operation) const {
    int cycle = std::max(cycle_, after_misc_);
    for (registers::Register reg : registers::RegisterReads(operation)) cycle = std::max(cycle, ready(reg));
    if (auto reg = registers::written_register(operation)) cycle = std::max(cycle, ready(*reg));
    if (int unit = registers::unit_of(operation); unit >= 0) cycle = std::max(cycle, unit_free_[std::size_t(unit)]);
    if (operation.info().slot == hw::isa::SlotKind::misc && cycle_ >= 0) cycle = std::max(cycle, cycle_ + 1);
    if (operation.info().slot == hw::isa::SlotKind::load) cycle = std::max(cycle, stores_seen_);
    if (operation.opcode == hw::isa::Opcode::s_load || operation.opcode == hw::isa::Opcode::s_store) {
      cycle = std::max(cycle, smem_stored_);
    }
    if (hw::isa::is_branch(operation.opcode)) {
      cycle = std::max(cycle, settled() - 1 - int(machine_.scalar.branch_penalty.value()));
    }
    return cycle;
  }

  void issue(const registers::Operation& operation, int cycle) {
    cycle_ = cycle;
    if (auto reg = registers::written_register(operation)) {
      ready_[reg->number()] = cycle + std::max(1, int(hw::isa::result_latency(machine_, operation.opcode).value()));
    }
    if (int unit = registers::unit_of(operation); unit >= 0) unit_free_[std::size_t(unit)] = cycle + 1;
    if (operation.info().slot == hw::isa::SlotKind::misc) after_misc_ = cycle + 1;
    if (operation.info().slot == hw::isa::SlotKind::store) {
      stores_seen_ = cycle + int(machine_.vector.store_to_load.value());
    }
    if (operation.opcode == hw::isa::Opcode::s_store) smem_stored_ = cycle + 1;
  }

  /// Returns the first cycle in which no operation is in flight.
  int settled() const {
    int cycle = std::max(cycle_ + 1, stores_seen_);
    for (const auto& [number, when] : ready_) cycle = std::max(cycle, when);
    return cycle;
  }

 private:
  int ready(registers::Register reg) const {
    auto found = ready_.find(reg.number());
    return found == ready_.end() ? 0 : found->second;
  }

  const hw::Machine& machine_;
  int cycle_ = 0;
  int after_misc_ = 0, stores_seen_ = 0, smem_stored_ = 0;
  std::array<int, hw::isa::result_units> unit_free_;
  std::unordered_map<int, int> ready_;
};

}  // namespace

registers::Block schedule_in_order(const hw::Machine& machine, std::vector<registers::Operation> operations) {
  Progress progress(machine);
  BundlePacker packer;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    int cycle = progress.earliest(operations[i]);
    while (packer.place(cycle, operations[i], int(i)) < 0) ++cycle;
    progress.issue(operations[i], cycle);
  }
  const int rows = int(packer.rows().size());
  return {std::move(operations), packer.rows(), -1, false, rows == 0 ? 0 : progress.settled() - rows};
}

}  // namespace podsim::sw::codegen::schedule
