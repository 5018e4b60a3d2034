// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: an .npy file is refused with a diagnostic, or has the elements of its shape.
#include <cstdint>
#include <string_view>

#include "base/diagnostic.h"
#include "hlo/text/graph/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace podsim;
  try {
    const auto shape = hlo::make_shape(hlo::ElementType::f32, {2, 3});
    hlo::text::graph::read_npy({reinterpret_cast<const char*>(data), size}, shape);
  } catch (const base::InputError& error) {
    for (const auto& diagnostic : error.diagnostics()) base::format(diagnostic);
  }
  return 0;
}
