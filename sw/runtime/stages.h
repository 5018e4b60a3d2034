// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sw/compiler/program.h"
#include "sw/runtime/run_result.h"

namespace podsim::sw::runtime {

/// The stages of a program: cores of the slice that take the same branches, such as those of a pipeline stage.
class Stages {
 public:
  /// `cores` is their number in the slice. The program outlives this.
  Stages(const compiler::Program& program, std::int32_t cores);

  /// The stage of a core.
  std::size_t of(std::int32_t core) const { return numbers_.at(branches_of(core)); }
  /// Without times, in the order of their first cores.
  const std::vector<StageResult>& all() const { return stages_; }

 private:
  std::vector<bool> branches_of(std::int32_t core) const;

  const compiler::Program& program_;
  std::map<std::vector<bool>, std::size_t> numbers_;  ///< by which of Program::core_sets a core is in
  std::vector<StageResult> stages_;
};

}  // namespace podsim::sw::runtime
