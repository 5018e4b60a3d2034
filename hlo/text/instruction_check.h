// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/text/diagnostic_list.h"
#include "hlo/text/module.h"

/// Checks of an instruction's operands and attributes against its opcode, and of a computation's parameters and root
/// against its header.
namespace podsim::hlo::text {

/// Reports a wrong number of operands, missing attributes, shardings that do not fit the shape, and for a few opcodes
/// operands that do not fit. All operands must be defined.
void check_instruction(const Module& module, const Instruction& instruction, DiagnosticList& diagnostics);

/// The parameters and the result in a computation's header.
struct Signature {
  struct Parameter {
    std::string_view name;
    ShapeId shape = 0;
  };
  std::vector<Parameter> parameters;
  std::string_view result_text;
  ShapeId result = 0;
};

/// Fills in the parameters of a computation whose instructions have been read. Reports missing and repeated numbers.
void number_parameters(const Module& module, Computation& computation, DiagnosticList& diagnostics);
void check_signature(const Module& module, const Computation& computation, const Signature& signature,
                     DiagnosticList& diagnostics);

/// Reports called computations that call their caller. `places` are the names of the called computations in the text,
/// in the order of Module::called_list.
void check_calls(const Module& module, const std::vector<std::string_view>& places, DiagnosticList& diagnostics);

}  // namespace podsim::hlo::text
