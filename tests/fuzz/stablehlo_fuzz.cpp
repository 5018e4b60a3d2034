// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: StableHLO text is translated or its faults are located in it; every line of the HLO text has its
// location in the StableHLO text. A module that is read becomes a graph, or an error says why not, and the graph's text
// reads back as the same.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "hlo/stablehlo/hlo_text.h"
#include "hlo/text/reader.h"
#include "tests/fuzz/graph_check.h"

namespace podsim::fuzz {
namespace {

void check_lines(const std::string& text) {
  try {
    const hlo::stablehlo::HloText made = hlo::stablehlo::hlo_text("fuzz", text);
    for (const base::Diagnostic& diagnostic : made.diagnostics) {
      if (diagnostic.location.line < 1) std::abort();
    }
    if (made.text.empty()) return;
    if (std::size_t(std::ranges::count(made.text, '\n')) > made.lines.size()) std::abort();
    for (const hlo::stablehlo::LineOrigin& line : made.lines) {
      if (line.offset >= text.size()) std::abort();
    }
  } catch (const base::InputError&) {
  }
}

}  // namespace
}  // namespace podsim::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace podsim;
  const std::string text(data, data + size);
  fuzz::check_lines(text);
  const hlo::text::ReadResult result = hlo::text::read("fuzz", text);
  for (const base::Diagnostic& diagnostic : result.diagnostics) base::format(diagnostic);
  if (!result.ok()) return 0;
  for (const hlo::text::Module& module : result.modules) fuzz::check_graph(module);
  return 0;
}
