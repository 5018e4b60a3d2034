// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "hw/bundle/core_parts.h"
#include "hw/bundle/issue.h"
#include "hw/bundle/vector/scoreboard.h"

namespace podsim::hw::bundle {

/// Performs the operations of a bundle that has passed IssueCheck.
class BundleExecution {
 public:
  BundleExecution(const CoreParts& parts, const ResultUnits& units, vector::Scoreboard& scoreboard)
      : parts_(parts), units_(units), scoreboard_(scoreboard) {}

  struct Outcome {
    std::uint32_t next = 0;  ///< address of the next bundle
    bool branched = false;
    bool halted = false;
    std::optional<std::string> fault;  ///< why a DMA cannot start
  };
  /// Performs the bundle in cycle issue.now, which must be the current simulated time if `bundle.outside`.
  Outcome perform(const vector::DecodedBundle& bundle, const Issue& issue);

 private:
  void perform(const vector::Operation& operation, const Issue& issue, Outcome& outcome);
  void push(const vector::Operation& operation, base::Cycles now);
  ScalarUnit::Effect pop_scalar(const vector::Operation& operation, base::Cycles now);
  void perform_misc(const vector::Operation& operation, const Issue& issue, Outcome& outcome);
  std::optional<std::string> start_dma(const vector::Operation& operation, const Issue& issue);
  void mark(const vector::Operation& operation, base::Cycles now);

  CoreParts parts_;
  const ResultUnits& units_;
  vector::Scoreboard& scoreboard_;
};

}  // namespace podsim::hw::bundle
