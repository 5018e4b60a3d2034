// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "sw/driver/compiler_year.h"
#include "validation/measured/published/published_steps.h"

namespace podsim::validation::measured::published {

/// The year of the software of a source, by what its name states: the version of an MLPerf submission, an entry of
/// DAWNBench, an arXiv number, or a repository with its state. 0 if it states none.
int software_year(std::string_view source);

/// Makes the step's command that of a compiler.
void choose_compiler(PublishedStep& step, const sw::driver::CompilerYear& compiler);

}  // namespace podsim::validation::measured::published
