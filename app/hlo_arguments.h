// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/graph/graph.h"
#include "sw/graph/literal.h"
#include "sw/hlo/module.h"

namespace podsim::app {

/// A value that depends on the seeds alone: real numbers uniform in [-1, 1), integers of 0 to 9, predicates of either.
sw::Literal random_literal(const sw::Shape& shape, std::uint64_t seed, std::uint64_t stream);

/// arguments[device][parameter] of a module's entry. `files` are .npy files, each for the next parameter without a
/// value, or "name=FILE" or "name@device=FILE"; any other file is text (sw/hlo/argument_text.h). With no files at all
/// the values are random, other ones on every device. InputError at the flag when a file does not fit or a parameter
/// has no value.
std::vector<std::vector<sw::Literal>> entry_arguments(const sw::hlo::Module& text, const sw::Module& module,
                                                      const std::vector<std::string>& files, std::uint64_t seed,
                                                      std::size_t devices);

}  // namespace podsim::app
