// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "sw/kernels/kernel.h"

namespace podsim::sw {

std::int64_t KernelArguments::number(const std::string& name) const { return std::stoll(values.at(name)); }

const std::string& KernelArguments::choice(const std::string& name) const { return values.at(name); }

}  // namespace podsim::sw
