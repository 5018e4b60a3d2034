// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hlo/graph.h"
#include "hlo/literal.h"
#include "hlo/text/module.h"

namespace podsim::app::commands::hlo_parts {

/// A value that depends only on the seeds: reals uniform in [-1, 1), integers from 0 to 9, predicates of either value.
hlo::Literal random_literal(const hlo::Shape& shape, std::uint64_t seed, std::uint64_t stream);

/// arguments[device][parameter] of a module's entry. `files` are .npy files, each for the next parameter without a
/// value, or "name=FILE" or "name@device=FILE"; any other file is text (hlo/text/graph/argument_text.h). Without files
/// the values are random and differ between devices. Throws InputError at the flag if a file does not fit or a
/// parameter has no value.
std::vector<std::vector<hlo::Literal>> entry_arguments(const hlo::text::Module& text, const hlo::Module& module,
                                                       const std::vector<std::string>& files, std::uint64_t seed,
                                                       std::size_t devices);

}  // namespace podsim::app::commands::hlo_parts
