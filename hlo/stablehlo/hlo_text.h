// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace podsim::hlo::stablehlo {

/// Where a line of HLO text comes from: bytes [offset, offset + length) of the MLIR text.
struct LineOrigin {
  std::size_t offset = 0, length = 1;
};

struct HloText {
  std::string text;                           ///< empty if a diagnostic is an error
  std::vector<LineOrigin> lines;              ///< of each line of the text
  std::vector<base::Diagnostic> diagnostics;  ///< errors, and warnings about what is not used
};

/// The text that HLO text was made from, for messages about its lines.
struct TextOrigin {
  std::string text;
  std::vector<LineOrigin> lines;
};

/// True if the text begins like MLIR, or is MLIR bytecode.
bool is_mlir(std::string_view text);

/// Translates a StableHLO module, with CHLO and Shardy operations among it, to HLO text. The function @main, or the
/// only public one, is the entry; its results are a tuple if there are several.
HloText hlo_text(const std::string& file, std::string_view mlir);

}  // namespace podsim::hlo::stablehlo
