// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/kernel.h"

#include <sstream>
#include <string>

#include "hlo/transform/flops.h"

namespace podsim::sw::codegen::families {

double Kernel::flops() const { return double(hlo::transform::cost(op).flops); }

std::int64_t KernelArguments::number(const std::string& name) const { return std::stoll(values.at(name)); }

std::vector<std::int64_t> KernelArguments::numbers(const std::string& name) const {
  std::vector<std::int64_t> numbers;
  std::istringstream text(values.at(name));
  for (std::string number; std::getline(text, number, ',');) {
    if (!number.empty() && number.find_first_not_of("0123456789") == std::string::npos)
      numbers.push_back(std::stoll(number));
  }
  return numbers;
}

const std::string& KernelArguments::choice(const std::string& name) const { return values.at(name); }

}  // namespace podsim::sw::codegen::families
