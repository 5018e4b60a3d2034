// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: what can be read can be counted and printed, and the print is a fixed point. It becomes a graph, or
// an error says why not, and the graph's text reads back as the same graph.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "sw/hlo/graph/statistics.h"
#include "sw/hlo/graph/to_graph.h"
#include "sw/hlo/printer.h"
#include "sw/hlo/reader.h"
#include "sw/hlo/shape_check.h"

namespace podsim::sw {
namespace {

void check_graph(const hlo::Module& module) {
  try {
    const ir::Module graph = hlo::graph::to_graph(module);
    if (!hlo::check_shapes(module, graph).empty()) return;
    const std::string text = ir::to_string(graph);
    const hlo::ReadResult again = hlo::read("graph", text);
    if (!again.ok() || ir::to_string(hlo::graph::to_graph(again.modules[0])) != text) std::abort();
  } catch (const base::InputError&) {
  }
}

}  // namespace
}  // namespace podsim::sw

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace podsim::sw;
  const podsim::sw::hlo::ReadResult result = podsim::sw::hlo::read("fuzz", std::string(data, data + size));
  for (const podsim::base::Diagnostic& diagnostic : result.diagnostics) podsim::base::format(diagnostic);
  if (!result.ok()) return 0;
  for (const podsim::sw::hlo::Module& module : result.modules) {
    podsim::sw::hlo::graph::statistics(module);
    check_graph(module);
  }
  const std::string printed = podsim::sw::hlo::print(result.modules);
  const podsim::sw::hlo::ReadResult again = podsim::sw::hlo::read("printed", printed);
  if (!again.ok() || podsim::sw::hlo::print(again.modules) != printed) std::abort();
  return 0;
}
