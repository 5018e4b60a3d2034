// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "hw/bundle/core_parts.h"
#include "hw/bundle/hazard_text.h"
#include "hw/bundle/issue.h"
#include "hw/bundle/vector/scoreboard.h"

namespace podsim::hw::bundle {

/// Checks for hazards that the machine has no interlocks for. Each check returns std::nullopt, or a message about the
/// program's mistake for HazardText::at().
class IssueCheck {
 public:
  using Fault = std::optional<std::string>;

  IssueCheck(const CoreParts& parts, const vector::Scoreboard& scoreboard)
      : parts_(parts), scoreboard_(scoreboard), text_(parts.instructions) {}

  /// Checks what a bundle performs in cycle issue.now: registers that are not ready, memory or flags that do not exist,
  /// memory that a DMA is moving, a halt with a DMA in flight. Predicates must have been checked before.
  Fault fault(const vector::DecodedBundle& bundle, const Issue& issue) const;
  /// Checks the registers that an operation reads and writes.
  Fault operand_fault(const vector::Operation& operation, const Issue& issue) const;
  /// Checks the predicate register of an operation, which is read whether or not the operation is performed.
  Fault predicate_fault(const vector::Operation& operation, const Issue& issue) const {
    const int predicate = vector::register_entry::predicate + operation.predicate;
    if (ready(predicate, issue)) return std::nullopt;
    return too_early(operation, predicate, issue);
  }
  /// Checks that the flag of a sync operation exists.
  Fault flag_fault(const vector::Operation& operation, const Issue& issue) const;

 private:
  bool ready(int entry, const Issue& issue) const { return scoreboard_.ready(entry) <= issue.now; }
  bool registers_ready(const vector::Operation& operation, const Issue& issue) const {
    bool all = ready(operation.write, issue);
    for (std::size_t i = 0; i < operation.reads; ++i) all &= ready(operation.read[i], issue);
    return all;
  }
  std::string too_early(const vector::Operation& operation, int entry, const Issue& issue) const;
  Fault state_fault(const vector::Operation& operation, const Issue& issue) const;
  Fault vmem_fault(const vector::Operation& operation, const Issue& issue) const;
  Fault smem_fault(const vector::Operation& operation, const Issue& issue, std::uint32_t first,
                   std::uint32_t count) const;
  Fault end_fault() const;

  CoreParts parts_;
  const vector::Scoreboard& scoreboard_;
  HazardText text_;
};

}  // namespace podsim::hw::bundle
