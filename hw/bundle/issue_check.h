// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "hw/bundle/core_parts.h"
#include "hw/bundle/hazard_text.h"
#include "hw/bundle/issue.h"
#include "hw/bundle/scoreboard.h"

namespace podsim::hw {

/// Checks what the machine has no interlocks for. Each question answers with nothing, or with what the program did
/// wrong in words for HazardText::at().
class IssueCheck {
 public:
  using Fault = std::optional<std::string>;

  IssueCheck(const CoreParts& parts, const Scoreboard& scoreboard)
      : parts_(parts), scoreboard_(scoreboard), text_(parts.instructions) {}

  /// Of what a bundle performs in cycle issue.now: registers that are not ready, memory or flags that do not exist,
  /// memory in motion, an end with a DMA in flight. Predicates have been asked before.
  Fault fault(const DecodedBundle& bundle, const Issue& issue) const;
  /// Of the registers that an operation reads and writes.
  Fault operand_fault(const Operation& operation, const Issue& issue) const;
  /// Of its predicate, which is read before it is known whether the operation is performed.
  Fault predicate_fault(const Operation& operation, const Issue& issue) const {
    const int predicate = register_entry::predicate + operation.predicate;
    if (ready(predicate, issue)) return std::nullopt;
    return too_early(operation, predicate, issue);
  }
  /// Of a sync operation's flag.
  Fault flag_fault(const Operation& operation, const Issue& issue) const;

 private:
  bool ready(int entry, const Issue& issue) const { return scoreboard_.ready(entry) <= issue.now; }
  bool registers_ready(const Operation& operation, const Issue& issue) const {
    bool all = ready(operation.write, issue);
    for (std::size_t i = 0; i < operation.reads; ++i) all &= ready(operation.read[i], issue);
    return all;
  }
  std::string too_early(const Operation& operation, int entry, const Issue& issue) const;
  Fault state_fault(const Operation& operation, const Issue& issue) const;
  Fault vmem_fault(const Operation& operation, const Issue& issue) const;
  Fault smem_fault(const Operation& operation, const Issue& issue, std::uint32_t first, std::uint32_t count) const;
  Fault end_fault() const;

  CoreParts parts_;
  const Scoreboard& scoreboard_;
  HazardText text_;
};

}  // namespace podsim::hw
