// SPDX-License-Identifier: Apache-2.0
#include "workloads/workload_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "hlo/hlo_names.h"
#include "hlo/text/diagnostic_list.h"

namespace podsim::workloads {
namespace {

constexpr std::string_view prefix = "podsim.";

struct Fact {
  std::string value;       ///< as it was before it was quoted
  std::string_view place;  ///< in the text
};
/// The attributes by their names without the prefix.
using Facts = std::map<std::string, Fact>;

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
    } else {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result + '"';
}

/// Reads `NAME="VALUE"` of each attribute with the prefix.
Facts facts_of(std::string_view attributes) {
  Facts facts;
  for (std::size_t at = attributes.find(prefix); at != std::string_view::npos; at = attributes.find(prefix, at)) {
    at += prefix.size();
    const std::size_t equals = attributes.find('=', at);
    if (equals == std::string_view::npos || equals + 1 >= attributes.size() || attributes[equals + 1] != '"') break;
    const std::string name(attributes.substr(at, equals - at));
    std::string value;
    for (at = equals + 2; at < attributes.size() && attributes[at] != '"'; ++at) {
      const bool escaped = attributes[at] == '\\' && at + 1 < attributes.size();
      if (escaped) ++at;
      value += escaped && attributes[at] == 'n' ? '\n' : attributes[at];
    }
    facts[name] = {value, attributes.substr(equals + 1, std::min(at + 1, attributes.size()) - equals - 1)};
  }
  return facts;
}

std::vector<std::string> words(const std::string& list) {
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    result.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

/// The facts of one text, with errors for those that are damaged.
class FactReader {
 public:
  FactReader(const hlo::text::Module& module, Facts facts) : module_(module), facts_(std::move(facts)) {}

  std::string text(const std::string& name) const {
    const auto found = facts_.find(name);
    return found == facts_.end() ? "" : found->second.value;
  }

  /// A number that is not negative; 0 if there is none.
  template <class Number>
  Number number(const std::string& name) const {
    return facts_.contains(name) ? parsed<Number>(name, text(name)) : Number{0};
  }

  std::vector<std::int64_t> numbers(const std::string& name, std::int64_t end) const {
    std::vector<std::int64_t> result;
    for (const std::string& word : words(text(name))) {
      result.push_back(parsed<std::int64_t>(name, word));
      if (result.back() >= end) refuse(name, fmt::format("a list of numbers below {}", end));
    }
    return result;
  }

  std::vector<hlo::InstructionId> instructions(const std::string& name, const hlo::Computation& entry) const {
    std::vector<hlo::InstructionId> result;
    for (const std::string& word : words(text(name))) {
      const auto found = std::ranges::find(entry.instructions, word, &hlo::Instruction::name);
      if (found == entry.instructions.end()) refuse(name, "a list of instructions of the entry");
      result.push_back(hlo::InstructionId(found - entry.instructions.begin()));
    }
    return result;
  }

 private:
  template <class Number>
  Number parsed(const std::string& name, const std::string& word) const {
    Number value{};
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool whole = error == std::errc() && rest == word.data() + word.size();
    if (!whole || !(value >= Number{0}) || value > Number(1e18)) refuse(name, "a number from 0 to 1e18");
    return value;
  }

  [[noreturn]] void refuse(const std::string& name, const std::string& wanted) const {
    hlo::text::DiagnosticList found(module_.file, *module_.text, module_.origin.get());
    found.error(facts_.at(name).place, fmt::format("podsim.{} is not {}", name, wanted),
                "'podsim hlo print' writes these attributes; a text without them runs as any other");
    throw base::InputError(found.take());
  }

  const hlo::text::Module& module_;
  Facts facts_;
};

}  // namespace

std::string text_of_workload(Workload workload, std::int64_t cores) {
  hlo::Module& module = workload.step.module;
  module.donations = std::move(workload.step.donations);
  if (!workload.global && module.partitions == 1) module.replicas = cores;
  module = hlo::with_hlo_names(std::move(module));
  std::vector<std::string> predictions;
  for (const hlo::InstructionId id : workload.step.predictions) {
    predictions.push_back(module.entry_computation()[id].name);
  }
  const std::map<std::string, std::string> facts{{"samples", std::to_string(workload.samples)},
                                                 {"tokens_per_sample", std::to_string(workload.tokens_per_sample)},
                                                 {"global", workload.global ? "1" : "0"},
                                                 {"model_flops", fmt::format("{}", workload.model_flops)},
                                                 {"batched", fmt::format("{}", fmt::join(workload.batched, ","))},
                                                 {"sharding", workload.sharding},
                                                 {"predictions", fmt::format("{}", fmt::join(predictions, ","))},
                                                 {"frozen", fmt::format("{}", fmt::join(workload.step.frozen, ","))}};
  std::string attributes;
  for (const auto& [name, value] : facts) {
    if (value.empty()) continue;
    attributes += fmt::format("{}{}{}={}", attributes.empty() ? "" : ",", prefix, name, in_quotes(value));
  }
  std::string text = hlo::to_string(module);
  return text.insert(text.find('\n'), ", frontend_attributes={" + attributes + "}");
}

std::optional<Workload> workload_of_text(const hlo::text::Module& text, hlo::Module module) {
  const std::string_view* attributes = find_value(text.attributes, "frontend_attributes");
  if (attributes == nullptr) return std::nullopt;
  const FactReader facts(text, facts_of(*attributes));
  if (facts.text("samples").empty()) return std::nullopt;
  Workload workload;
  workload.name = module.name;
  workload.samples = facts.number<std::int64_t>("samples");
  workload.tokens_per_sample = facts.number<std::int64_t>("tokens_per_sample");
  workload.global = facts.number<std::int64_t>("global") != 0;
  workload.model_flops = facts.number<double>("model_flops");
  workload.batched = words(facts.text("batched"));
  workload.sharding = facts.text("sharding");
  const hlo::Computation& entry = module.entry_computation();
  workload.step.predictions = facts.instructions("predictions", entry);
  workload.step.frozen = facts.numbers("frozen", std::int64_t(entry.parameters.size()));
  workload.step.donations = module.donations;
  workload.step.module = std::move(module);
  workload.step.module.replicas = 1;  // all of them run the same program
  hlo::Computation& computation = workload.step.module.computations[std::size_t(workload.step.module.entry)];
  for (const hlo::InstructionId id : computation.parameters) {
    if (!computation[id].op_name.empty()) computation[id].name = computation[id].op_name;  // as before with_hlo_names()
  }
  return workload;
}

}  // namespace podsim::workloads
