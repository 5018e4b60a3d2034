// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/kernel.h"

#include <string>

#include "hlo/transform/flops.h"

namespace podsim::sw::codegen::families {

double Kernel::flops() const { return double(hlo::transform::cost(op).flops); }

std::int64_t KernelArguments::number(const std::string& name) const { return std::stoll(values.at(name)); }

const std::string& KernelArguments::choice(const std::string& name) const { return values.at(name); }

}  // namespace podsim::sw::codegen::families
