// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hlo/literal.h"
#include "hlo/text/module.h"

namespace podsim::hlo::text::graph {

/// A value for a parameter of a module's entry computation.
struct Argument {
  std::size_t parameter = 0;
  int device = -1;
  hlo::Literal value;
};

/// Reads arguments as text: literals in the form of HLO constants, one after another, each for the next parameter
/// without a value. A parameter's name may precede its literal, and a device number after '@' limits it to one device:
///
///   // weights and bias
///   { {1, 2}, {3, 4} }
///   bias = {0.5, -1}
///   step@3 = 7
///
/// Throws base::InputError at text that does not fit a parameter. `file` is the name of the text.
std::vector<Argument> read_arguments(const std::string& file, const std::string& text, const Module& module);

/// Returns the number of the entry's parameter with this name. Throws base::InputError if there is none.
std::size_t parameter_named(const Module& module, const std::string& name);

}  // namespace podsim::hlo::text::graph
