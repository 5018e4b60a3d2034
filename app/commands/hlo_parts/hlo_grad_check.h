// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/run/files/module_file.h"
#include "workloads/trained_program.h"

namespace podsim::app::commands::hlo_parts {

/// Values at which gradients are compared.
struct CheckPoint {
  std::vector<std::string> arguments;  ///< files, as of `hlo eval`; empty: random
  std::uint64_t seed = 0;
};

/// Compares the gradients of a file's loss with central differences in double precision, and prints a line for each
/// parameter. Throws FailedCheck if one differs, InputError if they cannot be evaluated.
void check_gradients_of(const run::files::ModuleFile& file, workloads::ProgramTraining training,
                        const CheckPoint& point);

}  // namespace podsim::app::commands::hlo_parts
