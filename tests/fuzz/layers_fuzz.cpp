// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a SCALE-Sim topology is refused with a diagnostic, or has layers.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/diagnostic.h"
#include "workloads/scalesim/scalesim_topology.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto topology =
        podsim::workloads::scalesim::read_scalesim_topology("fuzz.csv", {reinterpret_cast<const char*>(data), size});
    if (topology.layers.empty()) std::abort();
  } catch (const podsim::base::InputError& error) {
    for (const auto& diagnostic : error.diagnostics()) podsim::base::format(diagnostic);
  }
  return 0;
}
