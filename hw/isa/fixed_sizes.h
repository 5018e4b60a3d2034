// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "base/config.h"
#include "base/diagnostic.h"
#include "hw/machine.h"

/// Sizes of a core that the instruction set fixes. A machine with other values runs steps, and no bundles.
namespace podsim::hw::isa {

/// A vector register has this many words of 32 bits. An array has as many rows and columns as a register has lanes.
inline constexpr int register_sublanes = 8, register_lanes = 128;

/// The error for a machine whose value of a key is none that bundles run on.
class UnfitMachine : public base::InputError {
 public:
  UnfitMachine(std::string unfit_key, const std::string& message, const std::string& hint)
      : InputError(message, hint), key(std::move(unfit_key)) {}
  std::string key;  ///< "mxu.size"
};

/// Throws UnfitMachine unless bundles run on a core with the machine's registers and arrays.
void require_fixed_sizes(const Machine& machine);
/// The number of matrix units that a bundle may name. Throws UnfitMachine if the machine has more.
int matrix_units(const Machine& machine);

/// Runs work(). An UnfitMachine that it throws becomes an InputError at the location that set the value.
template <class Work>
void at_place_of_value(const base::Config& config, const Work& work) {
  try {
    work();
  } catch (const UnfitMachine& unfit) {
    const base::Diagnostic& said = unfit.diagnostics().front();
    config.reject(unfit.key, said.message, said.hint);
  }
}

}  // namespace podsim::hw::isa
