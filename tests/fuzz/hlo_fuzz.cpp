// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: what can be read can be counted and printed, and the print is a fixed point. It becomes a graph, or
// an error says why not, and the graph's text reads back as the same graph.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "sw/hlo/graph/statistics.h"
#include "sw/hlo/printer.h"
#include "sw/hlo/reader.h"
#include "tests/fuzz/graph_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const podsim::sw::hlo::ReadResult result = podsim::sw::hlo::read("fuzz", std::string(data, data + size));
  for (const podsim::base::Diagnostic& diagnostic : result.diagnostics) podsim::base::format(diagnostic);
  if (!result.ok()) return 0;
  for (const podsim::sw::hlo::Module& module : result.modules) {
    podsim::sw::hlo::graph::statistics(module);
    podsim::fuzz::check_graph(module);
  }
  const std::string printed = podsim::sw::hlo::print(result.modules);
  const podsim::sw::hlo::ReadResult again = podsim::sw::hlo::read("printed", printed);
  if (!again.ok() || podsim::sw::hlo::print(again.modules) != printed) std::abort();
  return 0;
}
