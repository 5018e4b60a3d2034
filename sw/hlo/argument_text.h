// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/graph/literal.h"
#include "sw/hlo/module.h"

namespace podsim::sw::hlo {

/// Values for the parameters of a module's entry computation. What no device is named for is for all of them.
struct Argument {
  std::size_t parameter = 0;
  int device = -1;
  Literal value;
};

/// Reads arguments as text: literals as HLO writes constants, one after another, each for the next parameter that has
/// none yet; or with the parameter's name before, and for one device with its number:
///
///   // weights and bias
///   { {1, 2}, {3, 4} }
///   bias = {0.5, -1}
///   step@3 = 7
///
/// Throws base::InputError at what does not fit a parameter. `file` names the text.
std::vector<Argument> read_arguments(const std::string& file, const std::string& text, const Module& module);

/// The number of the entry's parameter of this name; base::InputError when there is none.
std::size_t parameter_named(const Module& module, const std::string& name);

}  // namespace podsim::sw::hlo
