// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "workloads/trained_program.h"

namespace CLI {
class App;
}

namespace podsim::app::run::files {

/// The flags that make a training step of a forward program, shared by `run` and `hlo grad`.
struct TrainingFlags {
  std::string optimizer;   ///< empty: none
  std::string loss;        ///< "output:0"; empty: the only floating-point scalar
  std::string parameters;  ///< joined by commas; empty: those that are donated
  std::string precision;   ///< "f32", "bf16"; empty: as the program is written

  void add_to(CLI::App& command);
  /// True if a flag is given that has an effect in training alone.
  bool any() const { return !optimizer.empty() || !loss.empty() || !parameters.empty() || !precision.empty(); }
  bool has_parameters_alone() const {
    return !parameters.empty() && optimizer.empty() && loss.empty() && precision.empty();
  }
  /// Throws InputError at the flag.
  workloads::ProgramTraining plan() const;
};

}  // namespace podsim::app::run::files
