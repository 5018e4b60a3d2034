// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hw/op_result.h"
#include "sw/compiler/program.h"
#include "sw/runtime/run_result.h"

namespace podsim::sw::runtime {

/// The ops that run through the parts of a chip: granules, on-chip switch and banks instead of streams. Every core runs
/// a distinct op once and replays it wherever it recurs, as at replay detail.
class ChipParts {
 public:
  /// Patterns (base/text/glob.h) of names of ops or of HLO instructions; none: all ops. `program` must outlive this.
  ChipParts(const compiler::Program& program, const std::vector<std::string>& patterns);
  /// base::InputError with the nearest name if a pattern matches no op.
  static void check(const compiler::Program& program, const std::string& pattern);

  bool chosen(int item) const { return chosen_[std::size_t(item)]; }
  /// What an op of Program::ops took on a core of the chip; null if it has not run there.
  const hw::OpResult* known(int core, int op) const;
  void learn(int core, int op, const hw::OpResult& result) { known_.try_emplace({core, op}, result); }
  /// Adds up the chosen ops among the items of a step of the first core. `streams` is the duration of an op of
  /// Program::ops over streams.
  PartsResult result(const std::vector<ItemResult>& items, const std::function<base::Time(int op)>& streams) const;

 private:
  const compiler::Program& program_;
  std::vector<bool> chosen_;                           ///< by index into Program::items
  std::map<std::pair<int, int>, hw::OpResult> known_;  ///< by core and index into Program::ops
};

}  // namespace podsim::sw::runtime
