// SPDX-License-Identifier: Apache-2.0
#include "hlo/stablehlo/translator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/text/utf8.h"
#include "hlo/stablehlo/frontend_attributes.h"
#include "hlo/stablehlo/operation_table.h"

namespace podsim::hlo::stablehlo {
namespace {

constexpr int max_translation_errors = 50;

/// A name with the characters of HLO's identifiers.
std::string hlo_name(std::string_view name) {
  std::string made(name);
  for (char& c : made) {
    if (!is_word_character(c) || c == '$') c = '_';
  }
  return made.empty() ? "unnamed" : made;
}

std::string_view without_number(std::string_view use) { return use.substr(0, use.find('#')); }

/// The uses in a region of values that it does not define, in their order.
void add_free_uses(const Region& region, std::set<std::string_view> defined, std::vector<std::string_view>& uses) {
  for (const Argument& argument : region.arguments) defined.insert(argument.name);
  for (const Operation& operation : region.operations) {
    for (const std::string_view use : operation.operands) {
      if (!defined.contains(without_number(use)) && std::ranges::find(uses, use) == uses.end()) uses.push_back(use);
    }
    for (const Region& inner : operation.regions) add_free_uses(inner, defined, uses);
    for (const Definition& made : operation.results) defined.insert(made.name);
  }
}

}  // namespace

Translator::Translator(std::string file, std::string_view text, ModuleText module)
    : file_(std::move(file)), text_(text), module_(std::move(module)), locations_(module_.aliases) {
  for (const Function& function : module_.functions) functions_.emplace(function.name, &function);
}

LineOrigin Translator::origin(std::string_view where) const {
  const bool inside =
      !std::less<>{}(where.data(), text_.data()) && std::less<>{}(where.data(), text_.data() + text_.size());
  return {inside ? std::size_t(where.data() - text_.data()) : 0, std::max<std::size_t>(where.size(), 1)};
}

void Translator::fail(std::string_view where, const std::string& message, const std::string& hint) const {
  const LineOrigin at = origin(where);
  throw Fault(at.offset, at.length, message, hint);
}

void Translator::report(const Fault& fault) {
  const std::string_view marked =
      text_.substr(std::min(fault.offset, text_.size()), std::min<std::size_t>(fault.length, 1000));
  const std::size_t characters = base::text::utf8_characters(marked.substr(0, marked.find('\n'))).size();
  made_.diagnostics.push_back({base::Diagnostic::Severity::error, fault.what(),
                               base::locate(file_, text_, fault.offset, std::max(int(characters), 1)), fault.hint});
  ++errors_;
}

void Translator::warn_once(std::string_view where, const std::string& message, const std::string& hint) {
  if (!warned_.insert(message).second) return;
  const LineOrigin at = origin(where);
  made_.diagnostics.push_back({base::Diagnostic::Severity::warning, message,
                               base::locate(file_, text_, at.offset, int(std::min<std::size_t>(at.length, 100))),
                               hint});
}

std::string Translator::unique(std::string_view stem) {
  std::string name = hlo_name(stem);
  for (int i = 1; !names_.insert(name).second; ++i) name = fmt::format("{}.{}", hlo_name(stem), i);
  return name;
}

HloText Translator::run() {
  try {
    for (const NamedMesh& mesh : module_.meshes) located(mesh.value, [&] { shardings_.add_mesh(mesh); });
    write_header();
    write_entry();
  } catch (const Fault& fault) {
    report(fault);
  }
  if (errors_ > 0) made_.text.clear();
  return std::move(made_);
}

const Function& Translator::entry() const {
  if (const auto main = functions_.find("main"); main != functions_.end()) return *main->second;
  const Function* only = nullptr;
  for (const Function& function : module_.functions) {
    if (!function.is_public) continue;
    if (only != nullptr) {
      fail(function.name, "the module has several public functions and no @main",
           "make all but the first one to run private");
    }
    only = &function;
  }
  if (only == nullptr)
    fail(module_.name.empty() ? text_.substr(0, 1) : module_.name, "the module has no public function",
         "it begins with @main");
  return *only;
}

void Translator::write_header() {
  made_.text = "HloModule " + hlo_name(module_.name);
  made_.lines.emplace_back();
  bool is_global = false;  // no partitioner has seen the program
  for (const auto& [name, hlo] :
       {std::pair{"mhlo.num_replicas", "replica_count"}, std::pair{"mhlo.num_partitions", "num_partitions"}}) {
    const std::string_view* value = find(module_.attributes, name);
    if (value == nullptr) continue;
    const std::int64_t count = located(*value, [&] { return integer(*value); });
    if (count > 1) made_.text += fmt::format(", {}={}", hlo, count);
    is_global = is_global || (count > 1 && hlo == std::string_view("num_partitions"));
  }
  std::string attributes = frontend(module_.attributes);
  const auto add = [&](const std::string& attribute) {
    if (attributes.empty()) attributes = ", frontend_attributes={}";
    if (!attributes.ends_with("{}")) attributes.insert(attributes.size() - 1, ",");
    attributes.insert(attributes.size() - 1, attribute);
  };
  // As XLA writes the meshes of Shardy, whose axes have names that HLO's shardings do not have.
  std::vector<std::string> meshes;
  for (const NamedMesh& mesh : module_.meshes) meshes.push_back(fmt::format("{} = #sdy.mesh{}", mesh.name, mesh.value));
  if (!meshes.empty() && attributes.find("xla.sdy.meshes") == std::string::npos) {
    add(fmt::format("xla.sdy.meshes={{{}}}", fmt::join(meshes, ", ")));
  }
  if (is_global) add("podsim.global=\"1\"");
  made_.text += attributes;
  note_unused(module_.attributes);
}

std::string Translator::donations(const Function& function) const {
  std::vector<std::string> aliases, donors;
  for (std::size_t i = 0; i < function.body.arguments.size(); ++i) {
    const Attributes& attributes = function.body.arguments[i].attributes;
    if (const std::string_view* output = find(attributes, "tf.aliasing_output")) {
      const std::int64_t index = located(*output, [&] { return integer(*output); });
      if (index < 0 || index >= std::int64_t(function.results.size())) fail(*output, "there is no such result");
      const std::string result = function.results.size() == 1 ? "" : std::to_string(index);
      aliases.push_back(fmt::format("{{{}}}: ({}, {{}}, may-alias)", result, i));
    } else if (const std::string_view* donor = find(attributes, "jax.buffer_donor")) {
      if (boolean(*donor)) donors.push_back(fmt::format("({}, {{}})", i));
    }
  }
  std::string text;
  if (!aliases.empty()) text += fmt::format(", input_output_alias={{ {} }}", fmt::join(aliases, ", "));
  if (!donors.empty()) text += fmt::format(", buffer_donor={{ {} }}", fmt::join(donors, ", "));
  return text;
}

void Translator::write_parameters(const Function& function, ComputationWriter& writer) {
  for (std::size_t i = 0; i < function.body.arguments.size(); ++i) {
    const Argument& argument = function.body.arguments[i];
    if (argument.name.empty()) fail(function.name, fmt::format("@{} has no body", function.name));
    const std::string name = hlo_name(argument.name.substr(1));
    const LineOrigin at = origin(argument.name);
    std::string attributes = sharding(argument.attributes, {});
    attributes += locations_.metadata(argument.location);
    note_unused(argument.attributes);
    writer.add_parameter(name, types()[argument.type].hlo, int(i), attributes, at);
    writer.define(argument.name, {{name, argument.type, nullptr}});
  }
}

void Translator::write_entry() {
  const Function& function = entry();
  made_.text += donations(function) + "\n";
  ComputationWriter writer(next_);
  written_[function.name] = "";
  const std::string name = unique(function.name);
  write_parameters(function, writer);
  std::vector<Value> results = write_operations(function.body, writer);
  if (errors_ > 0) return;
  constrain(function, results, writer);
  const LineOrigin at = origin(function.name);
  std::string root = results.size() == 1 ? results[0].name : "";
  if (results.size() != 1) {
    std::vector<std::string> names;
    std::vector<TypeId> parts;
    for (const Value& value : results) {
      names.push_back(value.name);
      parts.push_back(value.type);
    }
    root = writer.add(types().tuple(parts), "tuple", names, "", at);
  }
  writer.set_root(root);
  append("ENTRY %" + name, writer, at);
}

void Translator::constrain(const Function& function, std::vector<Value>& results, ComputationWriter& writer) {
  for (std::size_t i = 0; i < std::min(results.size(), function.results.size()); ++i) {
    const Attributes& attributes = function.results[i].attributes;
    const std::string shard = sharding(attributes, {});
    note_unused(attributes);
    if (shard.empty()) continue;
    const std::string operand[] = {results[i].name};
    results[i].name = writer.add(types()[results[i].type].hlo, "custom-call", operand,
                                 ", custom_call_target=\"Sharding\"" + shard, origin(function.name));
  }
}

void Translator::append(std::string_view head, ComputationWriter& writer, LineOrigin origin) {
  made_.text += "\n";
  made_.text += head;
  made_.text += " {\n";
  made_.text += writer.body();
  made_.text += "}\n";
  made_.lines.insert(made_.lines.end(), {origin, origin});
  made_.lines.insert(made_.lines.end(), writer.lines().begin(), writer.lines().end());
  made_.lines.push_back(origin);
}

std::string Translator::finish(std::string_view stem, ComputationWriter& writer, const std::vector<Value>& results,
                               bool always_tuple, LineOrigin origin) {
  std::string root = results.empty() ? "" : results[0].name;
  if (results.size() != 1 || always_tuple) {
    std::vector<std::string> names;
    std::vector<TypeId> parts;
    for (const Value& value : results) {
      names.push_back(value.name);
      parts.push_back(value.type);
    }
    root = writer.add(types().tuple(parts), "tuple", names, "", origin);
  }
  writer.set_root(root);
  if (writer.is_combiner) {
    const auto [found, is_new] = combiners_.try_emplace(writer.body());
    if (!is_new) return found->second;
    found->second = unique(stem);
    append("%" + found->second, writer, origin);
    return found->second;
  }
  std::string name = unique(stem);
  append("%" + name, writer, origin);
  return name;
}

std::string Translator::function(std::string_view name, LineOrigin at) {
  const auto found = functions_.find(name);
  if (found == functions_.end()) {
    std::vector<std::string> names;
    for (const auto& [known, function] : functions_) names.emplace_back(known);
    throw Fault(at.offset, at.length, fmt::format("there is no function @{}", name), base::did_you_mean(name, names));
  }
  const auto [written, is_new] = written_.try_emplace(name);
  if (!is_new) {
    if (written->second.empty()) {
      throw Fault(at.offset, at.length, fmt::format("@{} calls itself, here or by way of others", name));
    }
    return written->second;
  }
  const Function& callee = *found->second;
  if (!callee.has_body) throw Fault(at.offset, at.length, fmt::format("@{} has no body in this text", name));
  if (written_.size() - std::size_t(std::ranges::count_if(written_, [](const auto& w) { return !w.second.empty(); })) >
      deepest_nesting) {
    throw Fault(at.offset, at.length, "calls are nested too deep");
  }
  ComputationWriter writer(next_);
  write_parameters(callee, writer);
  std::vector<Value> results = write_operations(callee.body, writer);
  constrain(callee, results, writer);
  std::string made = finish(callee.name, writer, results, false, origin(callee.name));
  written_[name] = made;
  return made;
}

std::vector<Value> Translator::write_operations(const Region& region, ComputationWriter& writer) {
  std::vector<Value> results;
  for (const Operation& operation : region.operations) {
    try {
      if (operation.name.ends_with("return")) {
        check_operand_types(operation, writer);
        for (const std::string_view use : operation.operands) {
          const Value* value = writer.find(use);
          if (value == nullptr && errors_ == 0) fail(use, fmt::format("there is no value {}", use));
          if (value != nullptr) results.push_back(*value);
        }
        return results;
      }
      write_operation(operation, writer);
    } catch (const Fault& fault) {
      report(fault);
      if (errors_ >= max_translation_errors) throw Fault(fault.offset, fault.length, "more errors are not shown");
    }
  }
  fail(region.operations.empty() ? region.begin : region.operations.back().name, "a region ends with a return");
}

void Translator::write_operation(const Operation& operation, ComputationWriter& writer) {
  for (const std::string_view use : operation.operands) {
    if (writer.find(use) != nullptr) continue;
    if (errors_ > 0) return;  // what defines it could not be translated
    fail(use, fmt::format("there is no value {}", use));
  }
  check_operand_types(operation, writer);
  if (is_quantised(*this, writer, operation)) {
    write_quantised(*this, writer, operation);
  } else {
    OperationWriter(*this, writer, operation).run();
  }
  note_unused(operation.attributes);
  for (const std::string_view name : {"mhlo.sharding", "sdy.sharding"}) {
    const std::string_view* written = find(operation.attributes, name);
    if (written == nullptr || writer.is_combiner || used_.contains(&operation.attributes)) continue;
    warn_once(*written, fmt::format("the sharding of {} is not used", operation.name));
  }
}

/// The types that an operation states for its operands are those of the values.
void Translator::check_operand_types(const Operation& operation, const ComputationWriter& writer) {
  if (operation.operand_types.size() != operation.operands.size()) return;
  for (std::size_t i = 0; i < operation.operands.size(); ++i) {
    const Value* value = writer.find(operation.operands[i]);
    if (value == nullptr) continue;
    const std::string_view known = types()[value->type].hlo, stated = types()[operation.operand_types[i]].hlo;
    if (value->type != operation.operand_types[i] && known == stated) {
      fail(operation.operands[i], "this stands for other numbers than the operation says");
    }
    if (known != stated) fail(operation.operands[i], fmt::format("this is {}, the operation says {}", known, stated));
  }
}

Translator::Captures Translator::captures(const std::vector<const Region*>& regions,
                                          const ComputationWriter& writer) const {
  std::vector<std::string_view> uses;
  for (const Region* region : regions) add_free_uses(*region, {}, uses);
  Captures made;
  for (const std::string_view use : uses) {
    const Value* value = writer.find(use);
    if (value == nullptr) fail(use, fmt::format("there is no value {}", use));
    (value->constant != nullptr && value->is_small ? made.constants : made.uses).push_back(use);
  }
  return made;
}

void Translator::sink(const Captures& captures, const ComputationWriter& outer, ComputationWriter& writer) {
  for (const std::string_view use : captures.constants) {
    const Operation& constant = *outer.find(use)->constant;
    OperationWriter(*this, writer, constant).run();
  }
}

std::string Translator::combiner(const Region& region, const ComputationWriter& outer) {
  int number = 0;
  ComputationWriter writer(number);
  writer.is_combiner = true;
  const Captures captured = captures({&region}, outer);
  if (!captured.uses.empty()) {
    fail(captured.uses[0],
         fmt::format("this region uses {} from outside, where only constants can be used", captured.uses[0]));
  }
  for (std::size_t i = 0; i < region.arguments.size(); ++i) {
    const Argument& argument = region.arguments[i];
    const std::string name = fmt::format("p{}", i);
    writer.add_parameter(name, types()[argument.type].hlo, int(i), "", origin(argument.name));
    writer.define(argument.name, {{name, argument.type, nullptr}});
  }
  sink(captured, outer, writer);
  const std::vector<Value> results = write_operations(region, writer);
  const LineOrigin at = region.operations.empty() ? LineOrigin{} : origin(region.operations[0].name);
  return finish("region", writer, results, false, at);
}

std::string Translator::combiner(std::string_view opcode, std::string_view type, LineOrigin origin) {
  int number = 0;
  ComputationWriter writer(number);
  writer.is_combiner = true;
  writer.add_parameter("p0", type, 0, "", origin);
  writer.add_parameter("p1", type, 1, "", origin);
  const std::string operands[] = {"p0", "p1"};
  const Value result{writer.add(type, opcode, operands, "", origin), 0, nullptr};
  return finish(opcode, writer, {result}, false, origin);
}

std::string Translator::shardy(std::string_view value, const std::vector<std::string_view>& manual) {
  const ShardingTexts::Result result = located(value, [&] { return shardings_.convert(value, manual); });
  if (result.unreduced) warn_once(value, "unreduced axes of a sharding are not used");
  if (result.has_priority) warn_once(value, "priorities of shardings are not used");
  if (result.open) {
    warn_once(value, "a dimension that may take more axes ('?') keeps those that are named",
              "all dimensions of an annotated value stay as they are");
  }
  return result.hlo;
}

std::string Translator::frontend(const Attributes& attributes) const {
  const std::string_view* dictionary = find(attributes, "mhlo.frontend_attributes");
  if (dictionary == nullptr) return "";
  return located(*dictionary, [&] { return frontend_attributes(*dictionary); });
}

std::string Translator::sharding(const Attributes& attributes, const std::vector<std::string_view>& manual) {
  used_.insert(&attributes);
  return tiles(attributes, manual) + frontend(attributes);
}

std::string Translator::tiles(const Attributes& attributes, const std::vector<std::string_view>& manual) {
  if (const std::string_view* text = find(attributes, "mhlo.sharding")) {
    if (text->size() < 2) fail(*text, "expected a sharding as a string");
    return ", sharding=" + std::string(text->substr(1, text->size() - 2));
  }
  const std::string_view* value = find(attributes, "sdy.sharding");
  if (value == nullptr) return "";
  if (!value->starts_with("#sdy.sharding_per_value")) {
    const std::string hlo = shardy(*value, manual);
    return hlo.empty() ? "" : ", sharding=" + hlo;
  }
  std::vector<std::string> each;
  bool any = false;
  for (const std::string_view part : located(*value, [&] { return ShardingTexts::list(*value); })) {
    each.push_back(shardy(part, manual));
    any = any || !each.back().empty();
    if (each.back().empty()) each.back() = "{unknown}";
  }
  if (!any) return "";
  if (each.size() == 1) return ", sharding=" + each[0];
  return fmt::format(", sharding={{{}}}", fmt::join(each, ", "));
}

void Translator::note_unused(const Attributes& attributes) {
  static const std::set<std::string_view> used{"mhlo.sharding",
                                               "sdy.sharding",
                                               "mhlo.num_partitions",
                                               "mhlo.num_replicas",
                                               "mhlo.backend_config",
                                               "tf.aliasing_output",
                                               "mhlo.attributes",
                                               "mhlo.frontend_attributes",
                                               "jax.buffer_donor",
                                               "jax.result_info",
                                               "jax.uses_shape_polymorphism"};
  for (const NamedValue& attribute : attributes) {
    const std::string_view name = attribute.name;
    const bool foreign = name.starts_with("mhlo.") || name.starts_with("sdy.") || name.starts_with("tf.") ||
                         name.starts_with("jax.") || name.starts_with("xla.");
    if (foreign && !used.contains(name)) warn_once(name, fmt::format("the attribute '{}' is not used", name));
  }
}

}  // namespace podsim::hlo::stablehlo
