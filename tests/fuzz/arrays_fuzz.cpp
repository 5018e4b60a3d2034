// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: an .npy file is refused with a diagnostic, or has the elements of its shape.
#include <cstdint>
#include <string_view>

#include "base/diagnostic.h"
#include "sw/hlo/graph/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace podsim::sw;
  try {
    hlo::graph::read_npy({reinterpret_cast<const char*>(data), size}, ir::make_shape(ir::ElementType::f32, {2, 3}));
  } catch (const podsim::base::InputError& error) {
    for (const auto& diagnostic : error.diagnostics()) podsim::base::format(diagnostic);
  }
  return 0;
}
