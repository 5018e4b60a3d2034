// SPDX-License-Identifier: Apache-2.0
#include "workloads/nets/net_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "workloads/nets/layer_reader.h"
#include "workloads/nets/net_table.h"

namespace podsim::workloads::nets {

namespace {

using hlo::ElementType;

constexpr auto name_form = "a name has letters, digits, '_' and '-'";

std::tuple<int, int> order(const base::SourceLocation& place) { return {place.line, place.column}; }

class NetReader {
 public:
  NetReader(std::string_view file, std::string_view text) : file_(file), source_(text), text_(file, text) {}

  Net run(const ModelSettings& settings) {
    const base::SourceLocation begin = base::locate(std::string(file_), source_, 0);
    NetTable keys(text_, text_.layer.root(), "a net", begin);
    net_.place = begin;
    read_model(keys.table("model"), settings);
    net_.name = keys.word("name", "net");
    if (!is_name(net_.name)) text_.error(fmt::format("'{}' is no name", net_.name), keys.place("name"), name_form);
    constexpr std::int64_t max_samples = 1 << 20;
    net_.batch_per_core = keys.whole("batch_per_core", std::nullopt, 1, max_samples);
    net_.of_machine = keys.choice<bool>("program", {{"core", false}, {"machine", true}}, false);
    read_precision(keys.table("precision"));
    read_optimizer(keys.table("optimizer"));
    read_inputs(keys.table("inputs"));
    const std::vector<const toml::table*> layers = keys.tables("layer");
    if (layers.empty()) text_.error("a net needs layers", keys.place("layer"), "[[layer]] begins each");
    net_.layers = read_layers(text_, layers);
    const bool cuts = keys.table("sharding") != nullptr, has_mesh = keys.table("mesh") != nullptr;
    keys.finish();
    if (cuts || has_mesh) read_sharding(keys.place(cuts ? "sharding" : "mesh"));
    if (!text_.errors.empty()) {
      std::ranges::stable_sort(text_.errors, {}, [](const base::Diagnostic& d) { return order(d.location); });
      throw base::InputError(std::move(text_.errors));
    }
    return std::move(net_);
  }

 private:
  void read_model(const toml::table* table, const ModelSettings& settings) {
    constexpr std::int64_t most = 1 << 30;
    std::map<std::string, std::int64_t, std::less<>>& values = text_.model;
    if (table != nullptr) {
      for (auto&& [key, node] : *table) {
        const auto* number = node.as_integer();
        const bool fits = number != nullptr && number->get() >= 0 && number->get() <= most;
        if (!fits) text_.error(fmt::format("a key of [model] is a whole number up to {}", most), text_.place(node));
        values.emplace(key.str(), fits ? number->get() : 1);
      }
    }
    ModelKeys model;
    for (auto& [name, value] : values) model.add("model." + name, value, 0, most, "a key of [model]");
    // Keys of decoding are of all nets (net_workload.h).
    ModelSettings of_page;
    for (const auto& [key, value] : settings) {
      if (!key.starts_with("decode.")) of_page.emplace(key, value);
    }
    if (!of_page.empty() && values.empty()) {
      const std::string& key = of_page.begin()->first;
      throw base::InputError(fmt::format("'{}' is not a key of {}, which has no [model]", key, file_));
    }
    model.apply(file_, of_page);
  }

  void read_precision(const toml::table* table) {
    if (table == nullptr) return;
    NetTable keys(text_, *table, "[precision]", text_.place(*table));
    const std::vector<std::pair<std::string, ElementType>> types{{"f32", ElementType::f32},
                                                                 {"bf16", ElementType::bf16}};
    net_.precision.activation = keys.choice<ElementType>("activations", types, net_.precision.activation);
    net_.precision.parameter = keys.choice<ElementType>("parameters", types, net_.precision.parameter);
    net_.gradients = keys.choice<ElementType>("gradients", types, net_.gradients);
    keys.finish();
  }

  void read_optimizer(const toml::table* table) {
    if (table == nullptr) return;
    constexpr double most = 1e3;
    Optimizer& o = net_.optimizer;
    NetTable keys(text_, *table, "[optimizer]", text_.place(*table));
    o.kind = keys.choice<OptimizerKind>("kind", optimizer_kinds(), std::nullopt);
    o.momentum = keys.real("momentum", o.momentum, 0, 1);
    o.decay = keys.real("decay", o.decay, 0, 1);
    o.epsilon = keys.real("epsilon", o.epsilon, 0, 1);
    o.weight_decay = keys.real("weight_decay", o.weight_decay, 0, most);
    o.trust = keys.real("trust", o.trust, 0, most);
    o.clip_norm = keys.real("clip_norm", o.clip_norm, 0, most);
    o.average_decay = keys.real("average_decay", o.average_decay, 0, 1);
    keys.finish();
  }

  void read_inputs(const toml::table* table) {
    if (table == nullptr || table->empty()) {
      return text_.error("a net needs inputs", net_.place, "[inputs] with their names and sizes");
    }
    for (auto&& [name, node] : *table) {
      const base::SourceLocation place = text_.layer.locate(name.source());
      const toml::table* input = node.as_table();
      if (input == nullptr) {
        text_.error("an input is a table", text_.place(node), "such as { sizes = [224, 224, 3] }");
        continue;
      }
      NetTable keys(text_, *input, "an input", place);
      Input& read = net_.inputs.emplace_back();
      read.name = name.str();
      read.place = place;
      if (!is_name(read.name)) text_.error(fmt::format("'{}' is no name of an input", read.name), place, name_form);
      read.sizes = keys.wholes("sizes");
      read.type = keys.choice<std::optional<ElementType>>(
          "type",
          {{"activations", std::nullopt},
           {"s32", ElementType::s32},
           {"f32", ElementType::f32},
           {"bf16", ElementType::bf16}},
          std::optional<std::optional<ElementType>>(std::in_place, std::nullopt));
      if (read.sizes.size() > 5) text_.error("an input has at most five sizes", place);
      keys.finish();
    }
    // A TOML table is sorted by name.
    std::ranges::sort(net_.inputs, {}, [](const Input& input) { return order(input.place); });
  }

  void read_sharding(const base::SourceLocation& place) {
    if (!net_.of_machine) {
      text_.error("a sharding cuts the program of the whole machine, and this is that of one core", place,
                  "program = \"machine\"");
      return;
    }
    try {
      net_.sharding = hlo::spmd::mesh::read_sharding_file(file_, source_, hlo::spmd::mesh::OtherParts::ignored);
    } catch (const base::InputError& error) {
      text_.errors.insert(text_.errors.end(), error.diagnostics().begin(), error.diagnostics().end());
    }
  }

  std::string_view file_, source_;
  NetText text_;
  Net net_;
};

}  // namespace

Net read_net(std::string_view file, std::string_view text, const ModelSettings& settings) {
  return NetReader(file, text).run(settings);
}

}  // namespace podsim::workloads::nets
