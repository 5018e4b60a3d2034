// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "hlo/text/module.h"

/// Reads HLO text as old and new versions of XLA print it: operands with or without shapes, names with or without '%',
/// several modules one after another, with or without a header (without one the module is named after its entry). In a
/// text without signatures the last computation is the entry if none is marked ENTRY.
///
/// Besides the grammar it checks that operands are defined before use, names are unique, called computations exist and
/// are not recursive, parameters are numbered without gaps, opcodes have the operands and attributes that they need,
/// and a computation's header agrees with its instructions.
namespace podsim::hlo::text {

/// Treatment of unknown opcodes.
enum class UnknownOpcodes { warn, reject };

struct ReadResult {
  std::vector<Module> modules;                ///< modules without an error
  std::vector<base::Diagnostic> diagnostics;  ///< in the order of the text, module by module
  bool ok() const;                            ///< true if no diagnostic is an error
};

/// Reads a text, or the first module of a protobuf (hlo/proto/module_text.h), or StableHLO as MLIR text
/// (hlo/stablehlo/hlo_text.h); these two become HLO text first.
/// `file` is its name in diagnostics. After an error it continues with the next instruction or
/// computation, up to 50 errors.
ReadResult read(const std::string& file, std::string text, UnknownOpcodes unknown = UnknownOpcodes::warn);

}  // namespace podsim::hlo::text
