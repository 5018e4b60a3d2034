// SPDX-License-Identifier: Apache-2.0
#include "app/commands/hlo_parts/hlo_ops.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/host/arguments.h"
#include "base/host/standard_output.h"
#include "base/text/json_text.h"
#include "base/text/text_table.h"
#include "hlo/eval/evaluation.h"
#include "hlo/instruction_identity.h"
#include "hlo/opcode.h"
#include "hlo/rules/shape_inference.h"
#include "hlo/spmd/partition/op_partition.h"
#include "hlo/spmd/propagate/op_rule.h"
#include "hlo/stablehlo/operation_table.h"
#include "hlo/transform/flops.h"
#include "hlo/transform/gradient/gradient_rules.h"
#include "sw/compiler/layout/layout_classes.h"
#include "sw/compiler/tiles/core_op.h"

namespace podsim::app::commands::hlo_parts {
namespace {

using hlo::Opcode;
using Json = nlohmann::ordered_json;

/// A question to an operation.
struct Question {
  const char* name;
  const char* meaning;
  /// nullptr for yes, else why not.
  const char* (*why_not)(Opcode opcode);
};

const char* why_no_work(Opcode opcode) {
  if (const char* why = sw::compiler::tiles::why_no_core_op(opcode)) return why;
  return sw::compiler::tiles::has_modelled_work(opcode)
             ? nullptr
             : "it is priced by the bytes that it moves, unless a pass replaces it or a file of prices has it";
}

const char* why_no_gradient(Opcode opcode) { return hlo::transform::gradient::gradient_answer(opcode).why_not; }

constexpr std::array questions{
    Question{"shape", "its result's shape follows from its operands and is checked", hlo::rules::why_no_shape_rule},
    Question{"value", "hlo eval computes it", hlo::eval::Evaluation::why_no_value},
    Question{"gradient", "hlo grad and --train differentiate it", why_no_gradient},
    Question{"flops", "it counts FLOPs, as XLA's cost analysis does", hlo::transform::why_no_flops},
    Question{"merge", "equal ones become one, and unused ones are dropped", hlo::why_not_shareable},
    Question{"sharding", "shardings propagate through it by dimensions", hlo::spmd::propagate::why_no_sharding_rule},
    Question{"partition", "it has a way of its own to be partitioned; others are split by their sharding rule",
             hlo::spmd::partition::why_no_own_partition},
    Question{"layout", "it takes its arrays in any order of dimensions", sw::compiler::layout::why_order_of_text},
    Question{"work", "the units of a core are modelled for it", why_no_work},
};

/// Operations of graphs: those of texts alone, such as copy-start, are other operations there.
std::vector<Opcode> operations() {
  std::vector<Opcode> found;
  for (std::size_t i = 0; i < hlo::opcode_table().size(); ++i) {
    const std::string_view name = hlo::opcode_table()[i].name;
    const bool is_text_form = (name.ends_with("-start") || name.ends_with("-done") || name.starts_with("async-")) &&
                              name != "send-done" && name != "recv-done";
    if (!is_text_form) found.push_back(Opcode(i));
  }
  return found;
}

/// By dialect, "stablehlo", the names of its operations that are read.
std::map<std::string, std::vector<std::string>> dialects() {
  std::map<std::string, std::vector<std::string>> found;
  for (const std::string& name : hlo::stablehlo::operation_names()) {
    const std::size_t dot = name.find('.');
    found[name.substr(0, dot)].push_back(name.substr(dot + 1));
  }
  return found;
}

/// Words in lines of at most 100 characters.
std::string filled(const std::vector<std::string>& words) {
  std::string text, line = " ";
  for (const std::string& word : words) {
    if (line.size() + 1 + word.size() > 100) {
      text += line + "\n";
      line = " ";
    }
    line += " " + word;
  }
  return text + line + "\n";
}

std::string matrix() {
  using Align = base::text::TextTable::Align;
  base::text::TextTable table(std::vector<Align>(questions.size() + 1, Align::left));
  std::vector<std::string> head{"operation"};
  for (const Question& question : questions) head.emplace_back(question.name);
  table.row(std::move(head));
  for (const Opcode opcode : operations()) {
    std::vector<std::string> row{std::string(hlo::to_string(opcode))};
    for (const Question& question : questions) row.emplace_back(question.why_not(opcode) == nullptr ? "yes" : "-");
    table.row(std::move(row));
  }
  std::string text = table.text() + "\n";
  for (const Question& question : questions) text += fmt::format("{:<9}  {}\n", question.name, question.meaning);
  text += "\n'podsim hlo ops NAME' says why where there is a '-'.\n";
  text += "\nOperations of other dialects are read as the operations of HLO that compute them:\n";
  for (const auto& [dialect, names] : dialects()) text += fmt::format("\n{}\n{}", dialect, filled(names));
  return text;
}

std::string answers(Opcode opcode) {
  using Align = base::text::TextTable::Align;
  base::text::TextTable table({Align::left, Align::left});
  for (const Question& question : questions) {
    const char* const why = question.why_not(opcode);
    table.row({std::string("  ") + question.name, why == nullptr ? "yes" : fmt::format("no: {}", why)});
  }
  return fmt::format("{}\n{}", hlo::to_string(opcode), table.text());
}

Json json_of(const std::vector<Opcode>& opcodes) {
  Json rows = Json::array();
  for (const Opcode opcode : opcodes) {
    Json row{{"operation", hlo::to_string(opcode)}};
    for (const Question& question : questions) {
      const char* const why = question.why_not(opcode);
      row[question.name] = why == nullptr;
      if (why != nullptr) row[std::string(question.name) + "_why_not"] = why;
    }
    rows.push_back(std::move(row));
  }
  return {{"schema_version", 1}, {"command", "hlo ops"}, {"operations", rows}, {"dialects", dialects()}};
}

struct OpcodeOptions {
  std::vector<std::string> names;
  bool json = false;
};

void print_ops(const OpcodeOptions& options) {
  std::vector<std::string> known;
  for (const Opcode opcode : operations()) known.emplace_back(hlo::to_string(opcode));
  std::vector<Opcode> asked;
  for (const std::string& name : options.names) {
    asked.push_back(operations()[base::host::parse_choice("NAME", name, "an operation of HLO", known)]);
  }
  if (options.json) {
    base::host::print_result(base::text::json_text(json_of(asked.empty() ? operations() : asked), 2) + "\n");
    return;
  }
  std::string text;
  for (const Opcode opcode : asked) text += (text.empty() ? "" : "\n") + answers(opcode);
  base::host::print_result(asked.empty() ? matrix() : text);
}

}  // namespace

void add_hlo_ops(CLI::App& hlo) {
  auto options = std::make_shared<OpcodeOptions>();
  CLI::App* ops =
      hlo.add_subcommand("ops", "What podsim knows of each operation of HLO, and why not where it knows nothing")
          ->group("Parts");
  ops->add_option("NAME", options->names, "Operations, such as reduce-window; all without one")->option_text(" ");
  ops->add_flag("--json", options->json, "One JSON object on stdout");
  ops->footer("Examples:\n  podsim hlo ops\n  podsim hlo ops sort fft");
  ops->callback([options] { print_ops(*options); });
}

}  // namespace podsim::app::commands::hlo_parts
