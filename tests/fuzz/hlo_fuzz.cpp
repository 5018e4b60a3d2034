// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a module that can be read can be counted and printed, and the print is a fixed point. It becomes a
// graph, or an error says why not, and the graph's text reads back as the same graph.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "hlo/text/graph/statistics.h"
#include "hlo/text/printer.h"
#include "hlo/text/reader.h"
#include "tests/fuzz/graph_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const podsim::hlo::text::ReadResult result = podsim::hlo::text::read("fuzz", std::string(data, data + size));
  for (const podsim::base::Diagnostic& diagnostic : result.diagnostics) podsim::base::format(diagnostic);
  if (!result.ok()) return 0;
  for (const podsim::hlo::text::Module& module : result.modules) {
    podsim::hlo::text::graph::statistics(module);
    podsim::fuzz::check_graph(module);
  }
  const std::string printed = podsim::hlo::text::print(result.modules);
  const podsim::hlo::text::ReadResult again = podsim::hlo::text::read("printed", printed);
  if (!again.ok() || podsim::hlo::text::print(again.modules) != printed) std::abort();
  return 0;
}
