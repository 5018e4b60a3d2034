// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: assembly is refused with a diagnostic, or its disassembly assembles to the same text.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/diagnostic.h"
#include "hw/isa/pasm/assembler.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace podsim::hw::isa::pasm;
  std::string text;
  try {
    text = disassemble(assemble("fuzz.pasm", {reinterpret_cast<const char*>(data), size}));
  } catch (const podsim::base::InputError& error) {
    for (const auto& diagnostic : error.diagnostics()) podsim::base::format(diagnostic);
    return 0;
  }
  if (disassemble(assemble("again.pasm", text)) != text) std::abort();
  return 0;
}
