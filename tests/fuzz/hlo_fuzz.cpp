// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: what can be read can be counted and printed, and the print is a fixed point. It becomes a graph, or
// an error says why not, and the graph's text reads back as the same graph.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "sw/hlo/printer.h"
#include "sw/hlo/reader.h"
#include "sw/hlo/shape_check.h"
#include "sw/hlo/statistics.h"
#include "sw/hlo/to_graph.h"

namespace podsim::sw {
namespace {

void check_graph(const hlo::Module& module) {
  try {
    const Module graph = hlo::to_graph(module);
    if (!hlo::check_shapes(module, graph).empty()) return;
    const std::string text = to_string(graph);
    const hlo::ReadResult again = hlo::read("graph", text);
    if (!again.ok() || to_string(hlo::to_graph(again.modules[0])) != text) std::abort();
  } catch (const base::InputError&) {
  }
}

}  // namespace
}  // namespace podsim::sw

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace podsim::sw;
  const hlo::ReadResult result = hlo::read("fuzz", std::string(data, data + size));
  for (const podsim::base::Diagnostic& diagnostic : result.diagnostics) podsim::base::format(diagnostic);
  if (!result.ok()) return 0;
  for (const hlo::Module& module : result.modules) {
    hlo::statistics(module);
    check_graph(module);
  }
  const std::string printed = hlo::print(result.modules);
  const hlo::ReadResult again = hlo::read("printed", printed);
  if (!again.ok() || hlo::print(again.modules) != printed) std::abort();
  return 0;
}
