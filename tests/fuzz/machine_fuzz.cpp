// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a machine file is refused with a diagnostic, or its resolved text reads back to the same machine.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/config.h"
#include "base/diagnostic.h"
#include "sw/target_machine.h"
#include "workloads/machines/machine_choice.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const podsim::base::Config shipped = podsim::workloads::machines::MachineChoice{}.load();
  podsim::base::Config config = shipped, again = shipped;
  try {
    config.add_text("fuzz.toml", {reinterpret_cast<const char*>(data), size});
    podsim::sw::read_target(config);
  } catch (const podsim::base::InputError& error) {
    for (const auto& diagnostic : error.diagnostics()) podsim::base::format(diagnostic);
    return 0;
  }
  again.add_text("again.toml", config.to_toml());
  if (again.to_toml() != config.to_toml()) std::abort();
  return 0;
}
