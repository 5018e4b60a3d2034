// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/graph.h"
#include "hlo/text/module.h"
#include "workloads/model_options.h"

namespace podsim::app::run::files {

/// True if a word names a net or a built-in workload: it is not written like a file, and no file has this name.
bool names_workload(const std::string& word);

/// A module to run.
struct ModuleFile {
  hlo::Module graph;
  hlo::text::Module text;  ///< what the graph was made from
  bool is_global = false;  ///< the program of all devices together: StableHLO, which no partitioner has seen
};

/// What the importer of a program reads (workloads/importers/importer.h), with `settings` as its keys of the model; of
/// a word that no importer takes, the contents of the file of that name. `argument` names the argument in messages.
std::string module_text(const std::string& argument, const std::string& file,
                        const workloads::ModelSettings& settings = {});

/// The module to run from a file of HLO or StableHLO: the only one, or the last of several, with a warning. Calls of
/// one that is not scheduled are inlined. Throws InputError, with locations in the file, if the text is neither or
/// breaks its rules. Sizes that do not follow from operands and attributes are warnings. `argument` names the file's
/// argument in messages, `settings` are as above.
ModuleFile read_module(const std::string& file, std::vector<std::string>& warnings,
                       const std::string& argument = "WORKLOAD", const workloads::ModelSettings& settings = {});

/// The opcode of the first instruction of a name in the text, or an empty view.
std::string_view place_of(const hlo::text::Module& module, std::string_view name);

/// A warning with its location in the text: "step.hlo:12:3: MESSAGE".
std::string warning_at(const hlo::text::Module& module, std::string_view place, const std::string& message);

/// Runs `body`, which works on the graph of a text; an error at an instruction becomes one with its location in the
/// text, a std::logic_error one at the result of the program.
void locate_instruction_errors(const hlo::text::Module& text, const std::function<void()>& body);

/// Runs `body`, which differentiates the module of a file; an operation without a gradient becomes an InputError with
/// its location in the text.
void locate_gradient_errors(const ModuleFile& file, const std::function<void()>& body);

}  // namespace podsim::app::run::files
