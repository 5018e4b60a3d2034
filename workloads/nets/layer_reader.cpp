// SPDX-License-Identifier: Apache-2.0
#include "workloads/nets/layer_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace podsim::workloads::nets {

namespace {

constexpr int deepest = 8;
constexpr std::int64_t max_filters = 1 << 16, max_window = 1024, max_repeats = 1024;

Function function_of(NetTable& t, std::string_view key, std::optional<Function> fallback) {
  using enum Function;
  return t.choice<Function>(key, {{"none", none}, {"relu", relu}, {"gelu", gelu}, {"tanh", tanh}}, fallback);
}

layers::NormKind norm_kind_of(NetTable& t, std::string_view key) {
  using enum layers::NormKind;
  return t.choice<layers::NormKind>(key, {{"layer_norm", layer_norm}, {"rms_norm", rms_norm}}, layer_norm);
}

double rate_of(NetTable& t, std::string_view key) { return t.real(key, 0, 0, 0.99); }

Surroundings surroundings_of(NetTable& t) {
  using enum NormPlace;
  Surroundings around;
  around.norm = t.choice<NormPlace>("norm", {{"before", before}, {"after", after}, {"none", none}}, before);
  around.norm_kind = norm_kind_of(t, "norm_kind");
  around.residual = t.flag("residual", true);
  around.dropout = rate_of(t, "dropout");
  return around;
}

LayerKind read_convolution(NetTable& t) {
  using enum ImageNorm;
  Convolution c;
  c.filters = t.whole("filters", std::nullopt, 1, max_filters);
  c.size = t.whole("size", c.size, 1, max_window);
  c.stride = t.whole("stride", c.stride, 1, max_window);
  c.padded = t.flag("padded", c.padded);
  c.norm = t.choice<ImageNorm>("norm", {{"none", none}, {"batch", batch}, {"group", group}}, c.norm);
  c.groups = t.whole("groups", c.groups, 1, max_filters);
  c.bias = t.flag("bias", c.bias);
  c.activation = function_of(t, "activation", c.activation);
  return c;
}

LayerKind read_bottleneck(NetTable& t) {
  Bottleneck b;
  b.width = t.whole("width", std::nullopt, 1, max_filters / 4);
  b.blocks = t.whole("blocks", b.blocks, 1, max_repeats);
  b.stride = t.whole("stride", b.stride, 1, max_window);
  return b;
}

LayerKind read_max_pool(NetTable& t) {
  return MaxPool{t.whole("size", 2, 1, max_window), t.whole("stride", 2, 1, max_window)};
}

LayerKind read_dense(NetTable& t) {
  Dense d;
  d.units = t.whole("units", std::nullopt);
  d.bias = t.flag("bias", d.bias);
  d.wide = t.flag("wide", d.wide);
  d.activation = function_of(t, "activation", d.activation);
  return d;
}

LayerKind read_embedding(NetTable& t) {
  using enum layers::EmbeddingLookup;
  Embedding e;
  e.vocabulary = t.whole("vocabulary", std::nullopt);
  e.width = t.whole("width", std::nullopt);
  e.lookup = t.choice<layers::EmbeddingLookup>("lookup", {{"gather", gather}, {"one_hot", one_hot}}, e.lookup);
  e.positions = t.flag("positions", e.positions);
  e.segments = t.word("segments", "");
  e.segment_kinds = t.whole("segment_kinds", e.segment_kinds);
  return e;
}

LayerKind read_patches(NetTable& t) {
  Patches p;
  p.size = t.whole("size", p.size, 1, max_window);
  p.width = t.whole("width", std::nullopt, 1, max_filters);
  p.class_token = t.flag("class_token", p.class_token);
  p.positions = t.flag("positions", p.positions);
  return p;
}

LayerKind read_attention(NetTable& t) {
  Attention a;
  a.options.heads = t.whole("heads", std::nullopt);
  a.options.head_size = t.whole("head_size", std::nullopt);
  a.options.key_heads = t.whole("key_heads", 0, 0);
  a.options.biases = t.flag("biases", false);
  a.options.narrow_scores = t.flag("narrow_scores", false);
  a.options.late_division = t.flag("late_division", false);
  a.options.dropout = rate_of(t, "probability_dropout");
  a.causal = t.flag("causal", false);
  a.present = t.word("present", "");
  a.memory = t.word("memory", "");
  a.around = surroundings_of(t);
  return a;
}

layers::FeedForwardOptions feed_forward_of(NetTable& t) {
  using enum layers::Activation;
  layers::FeedForwardOptions options;
  options.hidden = t.whole("hidden", std::nullopt);
  options.activation = t.choice<layers::Activation>(
      "activation", {{"relu", relu}, {"gelu", gelu}, {"geglu", geglu}, {"swiglu", swiglu}}, gelu);
  return options;
}

LayerKind read_feed_forward(NetTable& t) {
  FeedForward f;
  f.options = feed_forward_of(t);
  f.options.biases = t.flag("biases", false);
  f.options.dropout = rate_of(t, "hidden_dropout");
  f.around = surroundings_of(t);
  return f;
}

LayerKind read_mixture(NetTable& t) {
  constexpr double max_factor = 1024;
  Mixture m;
  m.expert = feed_forward_of(t);
  m.options.experts = t.whole("experts", std::nullopt, 2);
  m.options.group = t.whole("group", 0, 0);
  m.options.capacity_factor = t.real("capacity_factor", m.options.capacity_factor, 1e-3, max_factor);
  m.options.auxiliary_weight = t.real("auxiliary_weight", m.options.auxiliary_weight, 0, max_factor);
  m.around = surroundings_of(t);
  return m;
}

LayerKind read_logits(NetTable& t) {
  Logits l;
  l.table = t.word("table", "");
  l.vocabulary = t.whole("vocabulary", l.table.empty() ? std::nullopt : std::optional<std::int64_t>(0),
                         l.table.empty() ? 1 : 0, l.table.empty() ? max_elements : 0);
  l.bias = t.flag("bias", l.bias);
  return l;
}

LayerKind read_cross_entropy(NetTable& t) {
  constexpr double max_weight = 1e6;
  CrossEntropy c;
  c.labels = t.word("labels", std::nullopt);
  c.smoothing = t.real("smoothing", c.smoothing, 0, 0.99);
  c.weight = t.real("weight", c.weight, 0, max_weight);
  c.recompute = t.flag("recompute", c.recompute);
  return c;
}

struct KindReader {
  std::string name;
  LayerKind (*read)(NetTable& table);
};

const std::vector<KindReader>& kinds() {
  static const std::vector<KindReader> all = {
      {"convolution", read_convolution},
      {"bottleneck", read_bottleneck},
      {"max_pool", read_max_pool},
      {"average_pool", [](NetTable&) -> LayerKind { return AveragePool{}; }},
      {"dense", read_dense},
      {"embedding", read_embedding},
      {"patches", read_patches},
      {"attention", read_attention},
      {"feed_forward", read_feed_forward},
      {"mixture", read_mixture},
      {"norm", [](NetTable& t) -> LayerKind { return Norm{norm_kind_of(t, "norm_kind")}; }},
      {"logits", read_logits},
      {"rows", [](NetTable& t) -> LayerKind { return Rows{t.word("places", std::nullopt)}; }},
      {"first", [](NetTable&) -> LayerKind { return First{}; }},
      {"add", [](NetTable&) -> LayerKind { return Add{}; }},
      {"activation", [](NetTable& t) -> LayerKind { return Activation{function_of(t, "function", std::nullopt)}; }},
      {"dropout", [](NetTable& t) -> LayerKind { return Dropout{t.real("rate", 0, 0, 0.99)}; }},
      {"cross_entropy", read_cross_entropy},
      {"repeat",
       [](NetTable& t) -> LayerKind {
         return Repeat{t.whole("times", 1, 1, max_repeats), {}};
       }},
  };
  return all;
}

const KindReader* kind_of(NetText& text, const toml::table& table) {
  std::vector<std::string> names;
  for (const KindReader& kind : kinds()) names.push_back(kind.name);
  const toml::node* node = table.get("kind");
  const auto* word = node == nullptr ? nullptr : node->as_string();
  const std::string written = word == nullptr ? "" : word->get();
  const auto found = std::ranges::find(names, written);
  if (found != names.end()) return &kinds()[std::size_t(found - names.begin())];
  const std::string nearest = base::did_you_mean(written, names);
  text.error(node == nullptr   ? "a layer needs a 'kind'"
             : word == nullptr ? "'kind' is a string"
                               : fmt::format("'{}' is no kind of layer", written),
             text.place(node == nullptr ? table : *node),
             nearest.empty() ? fmt::format("one of: {}", fmt::join(names, ", ")) : nearest);
  return nullptr;
}

std::string article(const std::string& kind) { return (std::string("aeiou").find(kind[0]) < 5 ? "an " : "a ") + kind; }

/// A name that no other layer of the list has.
std::string name_of(const std::string& kind, const std::vector<Layer>& before) {
  std::string name = kind;
  for (int number = 2; std::ranges::find(before, name, &Layer::name) != before.end(); ++number) {
    name = kind + std::to_string(number);
  }
  return name;
}

}  // namespace

std::vector<Layer> read_layers(NetText& text, const std::vector<const toml::table*>& tables, int deep) {
  std::vector<Layer> result;
  for (const toml::table* table : tables) {
    const KindReader* kind = kind_of(text, *table);
    if (kind == nullptr) continue;
    Layer layer;
    layer.place = text.place(*table->get("kind"));
    NetTable keys(text, *table, article(kind->name), layer.place);
    static_cast<void>(keys.word("kind", std::nullopt));
    layer.name = keys.word("name", name_of(kind->name, result));
    if (!is_name(layer.name)) {
      text.error(fmt::format("'{}' is no name of a layer", layer.name), keys.place("name"),
                 "a name has letters, digits, '_' and '-'");
    } else if (std::ranges::find(result, layer.name, &Layer::name) != result.end()) {
      text.error(fmt::format("another layer before this one is named '{}'", layer.name), keys.place("name"));
    } else if (layer.name == "input" && deep > 0) {
      text.error("'input' is what the layers of a repeat are given", keys.place("name"));
    }
    layer.from = keys.words("from");
    layer.kind = kind->read(keys);
    const bool is_sum = std::holds_alternative<Add>(layer.kind);
    if (is_sum && layer.from.size() < 2) {
      text.error("'from' of an add is a list of two names or more", keys.place("from"));
    } else if (!is_sum && layer.from.size() > 1) {
      text.error(fmt::format("'from' of {} is one name", article(kind->name)), keys.place("from"));
    }
    if (Repeat* repeat = std::get_if<Repeat>(&layer.kind)) {
      if (deep == deepest) {
        text.error(fmt::format("repeats are nested more than {} deep", deepest), layer.place);
        return result;
      }
      const std::vector<const toml::table*> within = keys.tables("layer");
      repeat->layers = read_layers(text, within, deep + 1);
      if (within.empty()) text.error("a repeat needs layers", layer.place, "[[layer.layer]] begins each");
    }
    keys.finish();
    result.push_back(std::move(layer));
  }
  return result;
}

}  // namespace podsim::workloads::nets
