// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "hw/bundle/core_parts.h"
#include "hw/bundle/issue.h"
#include "hw/bundle/scoreboard.h"

namespace podsim::hw {

/// Performs the operations of a bundle that has been found possible.
class BundleExecution {
 public:
  BundleExecution(const CoreParts& parts, const ResultUnits& units, Scoreboard& scoreboard)
      : parts_(parts), units_(units), scoreboard_(scoreboard) {}

  struct Outcome {
    std::uint32_t next = 0;  ///< address of the bundle that follows
    bool branched = false;
    bool halted = false;
    std::optional<std::string> fault;  ///< a DMA that cannot be
  };
  /// In cycle issue.now, which is the present of the simulation if `bundle.outside`.
  Outcome perform(const DecodedBundle& bundle, const Issue& issue);

 private:
  void perform(const Operation& operation, const Issue& issue, Outcome& outcome);
  void push(const Operation& operation, base::Cycles now);
  void perform_misc(const Operation& operation, const Issue& issue, Outcome& outcome);
  std::optional<std::string> start_dma(const Operation& operation, const Issue& issue);
  void mark(const Operation& operation, base::Cycles now);

  CoreParts parts_;
  const ResultUnits& units_;
  Scoreboard& scoreboard_;
};

}  // namespace podsim::hw
