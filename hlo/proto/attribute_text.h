// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include <protozero/data_view.hpp>

namespace podsim::hlo::proto {

/// Names of the computations of a module by their ids.
using ComputationNames = std::map<std::int64_t, std::string>;

/// The attributes of an HloInstructionProto as HLO text prints them, "dimensions={0,1}". Throws base::InputError if it
/// calls a computation that does not exist.
std::vector<std::string> attribute_texts(protozero::data_view instruction, const std::string& opcode,
                                         const ComputationNames& computations);

}  // namespace podsim::hlo::proto
