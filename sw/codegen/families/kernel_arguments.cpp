// SPDX-License-Identifier: Apache-2.0
// Part of sw/codegen/families/kernel.h.
#include <string>

#include "sw/codegen/families/kernel.h"

namespace podsim::sw::codegen::families {

std::int64_t KernelArguments::number(const std::string& name) const { return std::stoll(values.at(name)); }

const std::string& KernelArguments::choice(const std::string& name) const { return values.at(name); }

}  // namespace podsim::sw::codegen::families
