// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/compiler/program.h"
#include "sw/runtime/link_bytes.h"
#include "sw/runtime/repetition.h"
#include "sw/runtime/repetition/known_stretches.h"

namespace podsim::sw::runtime {

/// Stretches of items that all cores have executed before, and whose mean over all cores is known
/// (repetition/known_stretches.h).
class RepeatedStretches : public Repetition {
 public:
  /// Whether a run is long enough: collectives are executed 50,000 times by the simulated cores together. They take
  /// most of the time of a simulation.
  static bool may_be_skipped(const compiler::Program& program, int steps, std::size_t cores);

  /// The program outlives this.
  RepeatedStretches(const compiler::Program& program, int steps, std::size_t cores);

  void begins(const SimulatedCore& core, base::Cycles now, Observation& seen) override;
  std::optional<Skip> skip_now(const SimulatedCore& core, base::Cycles now, Observation& seen) override;
  void observed(const SimulatedCore& core, const ItemResult& item) override;
  bool trip_over(SimulatedCore& core, const hw::core::Core& hardware, const hw::CommandRecord& record,
                 Observation& seen) override;
  std::vector<std::string> notes(int steps) const override;

 private:
  using Stretch = repetition::KnownStretches::Stretch;
  struct OfCore {
    const Stretch* skipped = nullptr;    ///< what it skips now
    std::vector<ItemResult> by_place{};  ///< of an observed core: by `place`, the last execution
  };

  std::int64_t position(const SimulatedCore& core) const;
  void add_to(Observation& seen, const SimulatedCore& core, base::Time begin, base::Time end) const;
  void add_to_links(LinkBytes& links, const Stretch& stretch) const;

  const compiler::Program& program_;
  repetition::KnownStretches known_;
  std::vector<OfCore> cores_;
  std::vector<LinkBytes::Counts> place_bytes_;  ///< by `place`
  LinkBytes::Counts carried_;  ///< when the first core began the item that it executes, if its `place` has no bytes yet
  std::vector<std::int64_t> skipped_items_;  ///< by step
};

}  // namespace podsim::sw::runtime
