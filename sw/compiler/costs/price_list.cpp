// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/costs/price_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

#include "base/config_layer.h"
#include "hw/parts/custom/custom_unit.h"
#include "sw/codegen/kernel_families.h"

namespace podsim::sw::compiler::costs {

namespace {

using codegen::families::KernelFamily;
using codegen::families::KernelParameter;

bool is_size_name(const std::string& word) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return letter(word.front()) && std::ranges::all_of(word, [&](char c) { return letter(c) || digit(c); });
}

bool is_size_number(const std::string& word) {
  constexpr std::size_t max_digits = 15;
  return word.size() <= max_digits && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

/// Reads the tables of one file, and collects what is wrong with them.
class PriceReader {
 public:
  PriceReader(const std::string& file, const std::string& text) : layer_(file, text) {}

  std::vector<CustomPrice> run() {
    std::vector<CustomPrice> prices;
    for (const auto& [key, node] : layer_.root()) {
      if (key.str() != "call") {
        error(fmt::format("'{}' is not a key of costs", key.str()), layer_.locate(key.source()),
              "the calls are tables [[call]]");
        continue;
      }
      const toml::array* tables = node.as_array();
      if (tables == nullptr) {
        error("the calls are tables [[call]]", place(node));
        continue;
      }
      for (const toml::node& table : *tables) {
        if (const toml::table* call = table.as_table()) {
          prices.push_back(read_call(*call));
        } else {
          error("the calls are tables [[call]]", place(table));
        }
      }
    }
    if (prices.empty() && errors_.empty()) {
      errors_.push_back({base::Diagnostic::Severity::error, "the file has no [[call]]", {}, ""});
    }
    if (!errors_.empty()) throw base::InputError(std::move(errors_));
    return prices;
  }

 private:
  base::SourceLocation place(const toml::node& node) const { return layer_.locate(node.source()); }

  void error(std::string message, const base::SourceLocation& at, std::string hint = "") {
    errors_.push_back({base::Diagnostic::Severity::error, std::move(message), at, std::move(hint)});
  }

  /// Where the text of a string is; the string, if its text is not as written there.
  base::SourceLocation place_of_text(const toml::node& node, const std::string& text) const {
    const base::SourceLocation whole = place(node);
    base::SourceLocation inside = base::inside_quotes(whole);
    const auto begin = std::size_t(std::max(inside.column - 1, 0));
    return begin <= inside.line_text.size() && inside.line_text.compare(begin, text.size(), text) == 0 ? inside : whole;
  }

  CustomPrice read_call(const toml::table& table) {
    std::vector<std::string> keys{"target",       "op_name", "operands", "results", "flops",
                                  "vector_flops", "bytes",   "cycles",   "kernel",  "arguments"};
    if (unit_ != nullptr) keys.emplace_back(unit_->name());
    CustomPrice price;
    price.place = place(table);
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (std::ranges::find(keys, name) != keys.end()) continue;
      const std::string nearest = base::did_you_mean(name, keys);
      error(fmt::format("'{}' is not a key of a call", name), layer_.locate(key.source()),
            nearest.empty() ? fmt::format("its keys: {}", fmt::join(keys, ", ")) : nearest);
    }
    price.target = string_of(table, "target");
    if (price.target.empty() && table.get("target") == nullptr) error("a call needs 'target'", price.place);
    price.op_name = string_of(table, "op_name");
    names_ = {"operand_bytes", "result_bytes"};
    price.operands = patterns(table, "operands");
    price.results = patterns(table, "results");
    price.flops = expression(table, "flops");
    price.vector_flops = expression(table, "vector_flops");
    price.bytes = expression(table, "bytes");
    price.cycles = expression(table, "cycles");
    if (unit_ != nullptr) price.custom_work = expression(table, std::string(unit_->name()).c_str());
    read_kernel(table, price);
    check_together(table, price);
    return price;
  }

  /// A price is of work, or cycles, or a kernel.
  void check_together(const toml::table& table, const CustomPrice& price) {
    std::vector<std::string> work{"flops", "vector_flops", "bytes"};
    if (unit_ != nullptr) work.emplace_back(unit_->name());
    const char* whole = table.contains("kernel") ? "kernel" : table.contains("cycles") ? "cycles" : nullptr;
    if (whole == nullptr) {
      const bool any = std::ranges::any_of(work, [&](const std::string& key) { return table.contains(key); });
      if (!any) error("a call needs a price", price.place, fmt::format("{}, cycles or kernel", fmt::join(work, ", ")));
      return;
    }
    work.emplace_back("cycles");
    for (const std::string& key : work) {
      if (key != whole && table.contains(key)) {
        error(fmt::format("'{}' says all, '{}' beside it has no meaning", whole, key), place(*table.get(key)));
      }
    }
  }

  std::string string_of(const toml::table& table, const char* key) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return "";
    if (const auto* text = node->as_string(); text != nullptr && !text->get().empty()) return text->get();
    error(fmt::format("'{}' is a string", key), place(*node));
    return "";
  }

  std::optional<std::vector<ShapePattern>> patterns(const toml::table& table, const char* key) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    const toml::array* list = node->as_array();
    if (list == nullptr) {
      error(fmt::format("'{}' is a list of strings, one for each array", key), place(*node),
            "such as [\"b s h\", \"h n\"]");
      return std::nullopt;
    }
    std::vector<ShapePattern> patterns;
    for (const toml::node& element : *list) {
      const auto* text = element.as_string();
      if (text == nullptr) {
        error("the dimensions of an array are a string", place(element), "such as \"b s h\"");
        continue;
      }
      patterns.push_back(pattern(text->get(), element));
    }
    return patterns;
  }

  ShapePattern pattern(const std::string& text, const toml::node& node) {
    ShapePattern pattern;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      pattern.dimensions.push_back(word);
      if (word == "_" || word == "*" || is_size_number(word)) continue;
      if (!is_size_name(word)) {
        error(fmt::format("'{}' is no dimension", word), place(node), "a name, a number, '_', or '*' for any array");
      } else if (std::ranges::find(names_, word) == names_.end()) {
        names_.push_back(word);
      }
    }
    const bool stars = std::ranges::count(pattern.dimensions, "*") > 0;
    if (stars && pattern.dimensions.size() > 1) error("'*' stands for a whole array, alone", place(node));
    return pattern;
  }

  std::optional<SizeExpression> expression(const toml::table& table, const char* key) {
    const toml::node* node = table.get(key);
    return node == nullptr ? std::nullopt : expression(*node, key);
  }

  std::optional<SizeExpression> expression(const toml::node& node, const std::string& key) {
    try {
      if (node.is_number()) return SizeExpression(fmt::format("{}", *node.value<double>()), place(node), names_);
      if (const auto* text = node.as_string()) {
        return SizeExpression(text->get(), place_of_text(node, text->get()), names_);
      }
      error(fmt::format("'{}' is a number or an expression", key), place(node), "such as \"2*b*s*h\"");
    } catch (const base::InputError& wrong) {
      errors_.push_back(wrong.diagnostics().front());
    }
    return std::nullopt;
  }

  void read_kernel(const toml::table& table, CustomPrice& price) {
    const toml::node* arguments = table.get("arguments");
    if (!table.contains("kernel")) {
      if (arguments != nullptr) error("'arguments' are those of a kernel", place(*arguments), "add kernel = \"NAME\"");
      return;
    }
    const std::string name = string_of(table, "kernel");
    std::vector<std::string> names;
    for (const KernelFamily& family : codegen::kernel_families()) {
      names.push_back(family.name);
      if (family.name == name) price.kernel = &family;
    }
    if (price.kernel == nullptr) {
      const std::string nearest = base::did_you_mean(name, names);
      error(fmt::format("'{}' is not a kernel", name), place(*table.get("kernel")),
            nearest.empty() ? fmt::format("the kernels: {}", fmt::join(names, ", ")) : nearest);
      return;
    }
    if (arguments == nullptr) return;
    if (const toml::table* values = arguments->as_table()) {
      for (const auto& [key, node] : *values)
        read_argument(std::string(key.str()), layer_.locate(key.source()), node, price);
    } else {
      error("'arguments' is a table", place(*arguments), "such as { rows = \"b*s\" }");
    }
  }

  void read_argument(const std::string& key, const base::SourceLocation& at, const toml::node& node,
                     CustomPrice& price) {
    std::vector<std::string> names;
    for (const KernelParameter& parameter : price.kernel->parameters) names.push_back(parameter.name);
    const auto found = std::ranges::find(names, key);
    if (found == names.end()) {
      const std::string nearest = base::did_you_mean(key, names);
      return error(fmt::format("'{}' is not a parameter of {}", key, price.kernel->name), at,
                   nearest.empty() ? fmt::format("its parameters: {}", fmt::join(names, ", ")) : nearest);
    }
    const KernelParameter& parameter = price.kernel->parameters[std::size_t(found - names.begin())];
    if (parameter.choices.empty()) {
      if (auto value = expression(node, key)) price.arguments.emplace(key, *std::move(value));
      return;
    }
    const auto* word = node.as_string();
    if (word == nullptr || std::ranges::find(parameter.choices, word->get()) == parameter.choices.end()) {
      return error(fmt::format("'{}' is one of {}", key, fmt::join(parameter.choices, ", ")), place(node));
    }
    price.arguments.emplace(key, word->get());
  }

  base::ConfigLayer layer_;
  const hw::parts::custom::CustomUnit* unit_ = hw::parts::custom::custom_unit();
  std::vector<base::Diagnostic> errors_;
  std::vector<std::string> names_;  ///< sizes that expressions of the call may use
};

}  // namespace

PriceList::PriceList(const std::string& file, const std::string& text) : prices_(PriceReader(file, text).run()) {}

std::optional<PriceList::Match> PriceList::find(const hlo::Computation& computation,
                                                const hlo::Instruction& call) const {
  for (const CustomPrice& price : prices_) {
    if (auto sizes = price.match(computation, call)) return Match{&price, *std::move(sizes)};
  }
  return std::nullopt;
}

bool PriceList::knows(const hlo::Instruction& call) const {
  return std::ranges::any_of(prices_, [&](const CustomPrice& price) { return price.is_for(call); });
}

std::vector<std::string> PriceList::unused(const hlo::Module& module) const {
  std::vector<std::string> warnings;
  std::set<std::string> targets;
  std::vector<bool> used(prices_.size(), false);
  for (const hlo::Computation& computation : module.computations) {
    for (const hlo::Instruction& instruction : computation.instructions) {
      if (instruction.opcode != hlo::Opcode::custom_call) continue;
      targets.insert(instruction.target);
      for (std::size_t i = 0; i < prices_.size(); ++i) used[i] = used[i] || prices_[i].is_for(instruction);
    }
  }
  for (std::size_t i = 0; i < prices_.size(); ++i) {
    if (used[i]) continue;
    const base::SourceLocation& place = prices_[i].place;
    warnings.push_back(
        fmt::format("{}:{}: no custom call of the program is '{}'{}{}", place.file, place.line, prices_[i].target,
                    prices_[i].op_name.empty() ? "" : " with such an op_name",
                    targets.empty() ? "; it has none" : fmt::format("; it has {}", fmt::join(targets, ", "))));
  }
  return warnings;
}

}  // namespace podsim::sw::compiler::costs
