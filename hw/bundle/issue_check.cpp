// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/issue_check.h"

#include <fmt/format.h>

namespace podsim::hw::bundle {

using isa::Opcode;

IssueCheck::Fault IssueCheck::fault(const vector::DecodedBundle& bundle, const Issue& issue) const {
  std::size_t number = 0;
  for (const vector::Operation& operation : bundle.operations) {
    if (!issue.performs(number++)) continue;
    if (!registers_ready(operation, issue)) return operand_fault(operation, issue);
    if (!operation.uses_state) continue;
    if (Fault fault = state_fault(operation, issue)) return fault;
  }
  return std::nullopt;
}

IssueCheck::Fault IssueCheck::state_fault(const vector::Operation& operation, const Issue& issue) const {
  switch (operation.opcode) {
    case isa::Opcode::v_load:
    case isa::Opcode::v_load_shuffle:
    case isa::Opcode::v_store:
    case isa::Opcode::v_store_shuffle:
      return vmem_fault(operation, issue);
    case isa::Opcode::s_load:
    case isa::Opcode::s_store:
      return smem_fault(operation, issue, parts_.scalar.smem_address(operation), 1);
    case isa::Opcode::dma:
      return smem_fault(operation, issue, parts_.scalar.value(operation.x), isa::descriptor_words);
    case isa::Opcode::sync_set:
    case isa::Opcode::sync_add:
      return flag_fault(operation, issue);
    case isa::Opcode::halt:
      return end_fault();
    default:
      return std::nullopt;
  }
}

IssueCheck::Fault IssueCheck::operand_fault(const vector::Operation& operation, const Issue& issue) const {
  for (std::size_t i = 0; i < operation.reads; ++i) {
    if (!ready(operation.read[i], issue)) return too_early(operation, operation.read[i], issue);
  }
  if (ready(operation.write, issue)) return std::nullopt;
  return too_early(operation, operation.write, issue);
}

std::string IssueCheck::too_early(const vector::Operation& operation, int entry, const Issue& issue) const {
  return text_.not_ready(issue.address, issue.now, operation, entry, scoreboard_);
}

IssueCheck::Fault IssueCheck::vmem_fault(const vector::Operation& operation, const Issue& issue) const {
  const bool loads = operation.executor == vector::Executor::load;
  const vector::VmemGuard::Finding finding =
      loads ? parts_.vmem.check_load(issue.load.rows, issue.now) : parts_.vmem.check_store(issue.store.rows);
  if (finding.fault == vector::VmemGuard::Fault::none) return std::nullopt;
  const std::string access =
      fmt::format("{} {} VMEM row {}", text_.quoted(issue.address, operation), loads ? "reads" : "writes", finding.row);
  switch (finding.fault) {
    case vector::VmemGuard::Fault::out_of_range:
      return fmt::format("{}; there are {}", access, parts_.vmem.rows());
    case vector::VmemGuard::Fault::store_not_seen:
      return fmt::format("{}, {} before what was stored there can be seen", access,
                         HazardText::cycles(finding.seen - issue.now));
    case vector::VmemGuard::Fault::dma_writes:
      return fmt::format("{} while {} writes it", access, parts_.dma.text(parts_.dma.at_row(finding.row, true)));
    default:
      return fmt::format("{} while {} reads it", access, parts_.dma.text(parts_.dma.at_row(finding.row, false)));
  }
}

IssueCheck::Fault IssueCheck::smem_fault(const vector::Operation& operation, const Issue& issue, std::uint32_t first,
                                         std::uint32_t count) const {
  const bool writes = operation.opcode == isa::Opcode::s_store;
  const std::size_t size = parts_.scalar.smem().size();
  for (std::uint32_t word = first; word != first + count; ++word) {
    const DmaTransfer* transfer = word < size ? parts_.dma.at_smem(word, writes) : nullptr;
    if (word < size && transfer == nullptr) continue;
    const std::string access = fmt::format("{} {} SMEM word {}", text_.quoted(issue.address, operation),
                                           writes ? "writes" : "reads", std::int32_t(word));
    if (word >= size) return fmt::format("{}; there are {}", access, size);
    return fmt::format("{} while {} moves it", access, parts_.dma.text(*transfer));
  }
  return std::nullopt;
}

IssueCheck::Fault IssueCheck::flag_fault(const vector::Operation& operation, const Issue& issue) const {
  const std::int32_t flag = parts_.scalar.number(operation.x);
  if (flag >= 0 && flag < parts_.flags.count()) return std::nullopt;
  return fmt::format("{} uses flag {}; there are {}", text_.quoted(issue.address, operation), flag,
                     parts_.flags.count());
}

IssueCheck::Fault IssueCheck::end_fault() const {
  if (parts_.dma.in_flight() == 0) return std::nullopt;
  return fmt::format("the program ends while {} is in flight", parts_.dma.text(parts_.dma.oldest()));
}

}  // namespace podsim::hw::bundle
