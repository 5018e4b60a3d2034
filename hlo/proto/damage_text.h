// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

namespace podsim::hlo::proto {

/// What is wrong with the bytes of a protobuf, for an error that reading them threw: ours for those of protozero, the
/// error's own text for others.
std::string damage_text(const std::exception& error);

}  // namespace podsim::hlo::proto
