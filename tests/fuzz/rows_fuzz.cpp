// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a profile is refused with a diagnostic, or every row has a modelled time that is finite and not
// negative, or none.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/diagnostic.h"
#include "sw/target_machine.h"
#include "validation/profile/profile_model.h"
#include "workloads/machines/machine_choice.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using podsim::validation::profile::ComparedOp;
  static const podsim::sw::TargetMachine machine =
      podsim::sw::read_target(podsim::workloads::machines::MachineChoice{}.load());
  try {
    const auto profile =
        podsim::validation::profile::read_profile("fuzz.csv", {reinterpret_cast<const char*>(data), size});
    podsim::validation::profile::ProfileModel model(machine, std::nullopt);
    for (const ComparedOp& op : model.compare(profile)) {
      if (op.modelled_s && !(std::isfinite(*op.modelled_s) && *op.modelled_s >= 0)) std::abort();
    }
  } catch (const podsim::base::InputError& error) {
    for (const auto& diagnostic : error.diagnostics()) podsim::base::format(diagnostic);
  }
  return 0;
}
