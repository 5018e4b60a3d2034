// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: what can be read can be counted and printed, and the print is a fixed point.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "sw/hlo/printer.h"
#include "sw/hlo/reader.h"
#include "sw/hlo/statistics.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace podsim::sw;
  const hlo::ReadResult result = hlo::read("fuzz", std::string(data, data + size));
  for (const podsim::base::Diagnostic& diagnostic : result.diagnostics) podsim::base::format(diagnostic);
  if (!result.ok()) return 0;
  for (const hlo::Module& module : result.modules) hlo::statistics(module);
  const std::string printed = hlo::print(result.modules);
  const hlo::ReadResult again = hlo::read("printed", printed);
  if (!again.ok() || hlo::print(again.modules) != printed) std::abort();
  return 0;
}
