// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "sw/hlo/module.h"

/// Reads HLO text as XLA prints it, old and new: operands with their shapes or without, names with '%' or without,
/// modules one after another, with or without a header (then the module is named after its entry). Where no computation
/// is marked ENTRY the last one is.
///
/// Besides the grammar it checks what must hold for the text to mean anything: operands are defined before they are
/// used, names are defined once, called computations exist and do not call each other in circles, parameters are
/// numbered without gaps, opcodes have the operands and attributes that they need, a header's signature is that of its
/// instructions.
namespace podsim::sw::hlo {

/// What becomes of an opcode that is not known.
enum class UnknownOpcodes { warn, reject };

struct ReadResult {
  std::vector<Module> modules;                ///< those without an error
  std::vector<base::Diagnostic> diagnostics;  ///< in the order of the text, module by module
  bool ok() const;                            ///< no diagnostic is an error
};

/// `file` names the text in diagnostics. After an error it goes on with the next instruction or computation, up to 50
/// errors.
ReadResult read(const std::string& file, std::string text, UnknownOpcodes unknown = UnknownOpcodes::warn);

}  // namespace podsim::sw::hlo
