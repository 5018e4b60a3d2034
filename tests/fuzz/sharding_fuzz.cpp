// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a sharding file is refused with a diagnostic, or read.
#include <cstdint>
#include <string_view>

#include "base/diagnostic.h"
#include "hlo/spmd/mesh/sharding_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    podsim::hlo::spmd::mesh::read_sharding_file("fuzz.toml", {reinterpret_cast<const char*>(data), size});
  } catch (const podsim::base::InputError& error) {
    for (const auto& diagnostic : error.diagnostics()) podsim::base::format(diagnostic);
  }
  return 0;
}
