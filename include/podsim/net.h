// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// A network in C++ that podsim runs. A shared library that holds
///
///   podsim::net::Net mynet() { ... }
///   PODSIM_NET(mynet)
///
/// is a workload: `podsim run ./libmynet.so`. The function writes the same page of layers that `podsim run net.toml`
/// reads, key by key: a field here is a key there, and what is not set has the default that docs/your_model.md states.
/// podsim finds errors when it reads the page, and points at the line of Net::text(). This header needs C++20 and
/// nothing but the standard library.
namespace podsim::net {

/// A whole number, or a product or quotient of whole numbers and keys of Net::model(), such as 4 * width.
class Size {
 public:
  Size() = default;  ///< not set
  template <typename Whole, typename = std::enable_if_t<std::is_integral_v<Whole>>>
  Size(Whole value) : text_(std::to_string(value)) {}  // NOLINT: implicit, so that a field takes a number

  /// The key of a model.
  static Size of_key(const std::string& key) {
    Size size;
    size.text_ = key;
    size.is_number_ = false;
    return size;
  }

  friend Size operator*(const Size& a, const Size& b) { return joined(a, '*', b); }
  friend Size operator/(const Size& a, const Size& b) { return joined(a, '/', b); }

  bool is_set() const { return !text_.empty(); }
  /// As a value of TOML.
  std::string toml() const { return is_number_ ? text_ : '"' + text_ + '"'; }

 private:
  /// Products and quotients are taken from the left, so that a divisor that is a product becomes two.
  static Size joined(const Size& a, char sign, const Size& b) {
    Size size = of_key(a.text_ + sign);
    for (const char c : b.text_) {
      const bool turned = sign == '/' && (c == '*' || c == '/');
      size.text_ += turned ? (c == '*' ? '/' : '*') : c;
    }
    return size;
  }

  std::string text_;
  bool is_number_ = true;
};

namespace detail {

inline std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + '"';
}

/// The keys of a table; those that are not set are left out.
class Keys {
 public:
  void operator()(const char* key, const Size& value) {
    if (value.is_set()) line(key, value.toml());
  }
  void operator()(const char* key, const std::string& value) {
    if (!value.empty()) line(key, quoted(value));
  }
  void operator()(const char* key, const std::optional<bool>& value) {
    if (value) line(key, *value ? "true" : "false");
  }
  void operator()(const char* key, const std::optional<double>& value) {
    if (!value) return;
    char text[64];
    line(key, std::string(text, std::to_chars(text, text + sizeof text, *value).ptr));
  }
  void operator()(const char* key, const std::vector<std::string>& values) {
    if (values.empty()) return;
    std::string list = "[";
    for (const std::string& value : values) list += (list.size() > 1 ? ", " : "") + quoted(value);
    line(key, list + "]");
  }
  void operator()(const char* key, const std::vector<Size>& values) {
    if (values.empty()) return;
    std::string list = "[";
    for (const Size& value : values) list += (list.size() > 1 ? ", " : "") + value.toml();
    line(key, list + "]");
  }
  const std::string& text() const { return text_; }

 private:
  void line(const std::string& key, const std::string& value) { text_ += key + " = " + value + "\n"; }

  std::string text_;
};

}  // namespace detail

// Kinds of layers. A layer is given the result of the layer before it, unless `from` names another or an input.

/// Images [batch, height, width, channels]. activation: none, relu, gelu, tanh; norm: none, batch, group.
struct Convolution {
  std::string name = {}, from = {};
  Size filters = {}, size = {}, stride = {};
  std::optional<bool> padded = {};
  std::string norm = {};
  Size groups = {};
  std::optional<bool> bias = {};
  std::string activation = {};

  static constexpr const char* kind = "convolution";
  template <typename Keys>
  void write(Keys& k) const {
    k("filters", filters), k("size", size), k("stride", stride), k("padded", padded), k("norm", norm);
    k("groups", groups), k("bias", bias), k("activation", activation);
  }
};

/// Blocks of a ResNet v1.5.
struct Bottleneck {
  std::string name = {}, from = {};
  Size width = {}, blocks = {}, stride = {};

  static constexpr const char* kind = "bottleneck";
  template <typename Keys>
  void write(Keys& k) const {
    k("width", width), k("blocks", blocks), k("stride", stride);
  }
};

struct MaxPool {
  std::string name = {}, from = {};
  Size size = {}, stride = {};

  static constexpr const char* kind = "max_pool";
  template <typename Keys>
  void write(Keys& k) const {
    k("size", size), k("stride", stride);
  }
};

/// The mean of an image's pixels or of a sequence's rows.
struct AveragePool {
  std::string name = {}, from = {};

  static constexpr const char* kind = "average_pool";
  template <typename Keys>
  void write(Keys&) const {}
};

struct Dense {
  std::string name = {}, from = {};
  Size units = {};
  std::optional<bool> bias = {}, wide = {};
  std::string activation = {};

  static constexpr const char* kind = "dense";
  template <typename Keys>
  void write(Keys& k) const {
    k("units", units), k("bias", bias), k("wide", wide), k("activation", activation);
  }
};

/// Tokens [batch, length] become rows [batch, length, width]. lookup: gather, one_hot; segments: an input.
struct Embedding {
  std::string name = {}, from = {};
  Size vocabulary = {}, width = {};
  std::string lookup = {};
  std::optional<bool> positions = {};
  std::string segments = {};
  Size segment_kinds = {};

  static constexpr const char* kind = "embedding";
  template <typename Keys>
  void write(Keys& k) const {
    k("vocabulary", vocabulary), k("width", width), k("lookup", lookup), k("positions", positions);
    k("segments", segments), k("segment_kinds", segment_kinds);
  }
};

struct Patches {
  std::string name = {}, from = {};
  Size size = {}, width = {};
  std::optional<bool> class_token = {}, positions = {};

  static constexpr const char* kind = "patches";
  template <typename Keys>
  void write(Keys& k) const {
    k("size", size), k("width", width), k("class_token", class_token), k("positions", positions);
  }
};

/// Rows [batch, length, features]. norm: before, after, none; norm_kind: layer_norm, rms_norm; present: an input;
/// memory: a layer or an input.
struct Attention {
  std::string name = {}, from = {};
  Size heads = {}, head_size = {}, key_heads = {};
  std::optional<bool> biases = {}, narrow_scores = {}, late_division = {};
  std::optional<double> probability_dropout = {};
  std::optional<bool> causal = {};
  std::string present = {}, memory = {}, norm = {}, norm_kind = {};
  std::optional<bool> residual = {};
  std::optional<double> dropout = {};

  static constexpr const char* kind = "attention";
  template <typename Keys>
  void write(Keys& k) const {
    k("heads", heads), k("head_size", head_size), k("key_heads", key_heads), k("biases", biases);
    k("narrow_scores", narrow_scores), k("late_division", late_division);
    k("probability_dropout", probability_dropout), k("causal", causal), k("present", present), k("memory", memory);
    k("norm", norm), k("norm_kind", norm_kind), k("residual", residual), k("dropout", dropout);
  }
};

/// activation: relu, gelu, geglu, swiglu; the rest as of Attention.
struct FeedForward {
  std::string name = {}, from = {};
  Size hidden = {};
  std::string activation = {};
  std::optional<bool> biases = {};
  std::optional<double> hidden_dropout = {};
  std::string norm = {}, norm_kind = {};
  std::optional<bool> residual = {};
  std::optional<double> dropout = {};

  static constexpr const char* kind = "feed_forward";
  template <typename Keys>
  void write(Keys& k) const {
    k("hidden", hidden), k("activation", activation), k("biases", biases), k("hidden_dropout", hidden_dropout);
    k("norm", norm), k("norm_kind", norm_kind), k("residual", residual), k("dropout", dropout);
  }
};

/// A mixture of experts, each a feed-forward block.
struct Mixture {
  std::string name = {}, from = {};
  Size experts = {}, hidden = {};
  std::string activation = {};
  Size group = {};
  std::optional<double> capacity_factor = {}, auxiliary_weight = {};
  std::string norm = {}, norm_kind = {};
  std::optional<bool> residual = {};
  std::optional<double> dropout = {};

  static constexpr const char* kind = "mixture";
  template <typename Keys>
  void write(Keys& k) const {
    k("experts", experts), k("hidden", hidden), k("activation", activation), k("group", group);
    k("capacity_factor", capacity_factor), k("auxiliary_weight", auxiliary_weight), k("norm", norm);
    k("norm_kind", norm_kind), k("residual", residual), k("dropout", dropout);
  }
};

struct Norm {
  std::string name = {}, from = {}, norm_kind = {};

  static constexpr const char* kind = "norm";
  template <typename Keys>
  void write(Keys& k) const {
    k("norm_kind", norm_kind);
  }
};

/// Products with the rows of an embedding that `table` names, or of a table of its own.
struct Logits {
  std::string name = {}, from = {}, table = {};
  Size vocabulary = {};
  std::optional<bool> bias = {};

  static constexpr const char* kind = "logits";
  template <typename Keys>
  void write(Keys& k) const {
    k("table", table), k("vocabulary", vocabulary), k("bias", bias);
  }
};

/// The rows at the positions in an input [batch, count].
struct Rows {
  std::string name = {}, from = {}, places = {};

  static constexpr const char* kind = "rows";
  template <typename Keys>
  void write(Keys& k) const {
    k("places", places);
  }
};

/// The first row of every sequence.
struct First {
  std::string name = {}, from = {};

  static constexpr const char* kind = "first";
  template <typename Keys>
  void write(Keys&) const {}
};

struct Add {
  std::string name = {};
  std::vector<std::string> from = {};

  static constexpr const char* kind = "add";
  template <typename Keys>
  void write(Keys&) const {}
};

struct Activation {
  std::string name = {}, from = {}, function = {};

  static constexpr const char* kind = "activation";
  template <typename Keys>
  void write(Keys& k) const {
    k("function", function);
  }
};

struct Dropout {
  std::string name = {}, from = {};
  std::optional<double> rate = {};

  static constexpr const char* kind = "dropout";
  template <typename Keys>
  void write(Keys& k) const {
    k("rate", rate);
  }
};

/// A part of the loss; labels: an input.
struct CrossEntropy {
  std::string name = {}, from = {}, labels = {};
  std::optional<double> smoothing = {}, weight = {};
  std::optional<bool> recompute = {};

  static constexpr const char* kind = "cross_entropy";
  template <typename Keys>
  void write(Keys& k) const {
    k("labels", labels), k("smoothing", smoothing), k("weight", weight), k("recompute", recompute);
  }
};

/// A layer of any kind.
class Layer {
 public:
  template <typename Kind, typename = decltype(std::declval<const Kind&>().kind)>
  Layer(const Kind& layer) {  // NOLINT: implicit, so that a list takes layers of all kinds
    detail::Keys keys;
    keys("kind", std::string(layer.kind)), keys("name", layer.name), keys("from", layer.from);
    layer.write(keys);
    text_ = keys.text();
    if constexpr (requires { layer.layers; }) layers_ = layer.layers;
  }

  /// As tables of TOML, [[path]].
  std::string toml(const std::string& path) const {
    std::string text = "\n[[" + path + "]]\n" + text_;
    for (const Layer& layer : layers_) text += layer.toml(path + ".layer");
    return text;
  }

 private:
  std::string text_;
  std::vector<Layer> layers_;
};

/// Layers that are written several times. Within them, "input" is what the first is given.
struct Repeat {
  std::string name = {}, from = {};
  Size times = {};
  std::vector<Layer> layers = {};

  static constexpr const char* kind = "repeat";
  template <typename Keys>
  void write(Keys& k) const {
    k("times", times);
  }
};

/// kind: sgd_momentum, lars, adam, lamb, adafactor, rmsprop.
struct Optimizer {
  std::string kind = {};
  std::optional<double> momentum = {}, decay = {}, epsilon = {}, weight_decay = {}, trust = {}, clip_norm = {},
                        average_decay = {};
};

/// Types: f32, bf16.
struct Precision {
  std::string activations = {}, parameters = {}, gradients = {};
};

/// A page of layers.
class Net {
 public:
  explicit Net(std::string name) : name_(std::move(name)) {}

  Size batch_per_core = {};
  std::string program = {};  ///< core, machine
  Optimizer optimizer = {};
  Precision precision = {};
  std::string mesh = {};  ///< "x=4,y=8"

  /// A key that `--set model.KEY=N` and studies replace.
  Size model(const std::string& key, long long value) {
    model_ += key + " = " + std::to_string(value) + "\n";
    return Size::of_key(key);
  }
  /// Sizes are those of one sample. type: activations, s32, f32, bf16.
  void input(const std::string& name, const std::vector<Size>& sizes = {}, const std::string& type = {}) {
    detail::Keys keys;
    keys("sizes", sizes), keys("type", type);
    inputs_ += "\n[inputs." + detail::quoted(name) + "]\n" + keys.text();
  }
  void add(const Layer& layer) { layers_.push_back(layer); }
  /// The axes of the mesh over which each dimension of the values that a pattern names is split.
  void shard(const std::string& pattern, const std::vector<std::string>& axes) {
    detail::Keys keys;
    keys(detail::quoted(pattern).c_str(), axes);
    sharding_ += keys.text();
  }
  /// how: replicated, manual
  void shard_as(const std::string& pattern, const std::string& how) {
    detail::Keys keys;
    keys(detail::quoted(pattern).c_str(), how);
    sharding_ += keys.text();
  }

  /// The page, as TOML.
  std::string text() const {
    detail::Keys top, types, update, axes;
    top("name", name_), top("batch_per_core", batch_per_core), top("program", program);
    types("activations", precision.activations), types("parameters", precision.parameters);
    types("gradients", precision.gradients);
    update("kind", optimizer.kind), update("momentum", optimizer.momentum), update("decay", optimizer.decay);
    update("epsilon", optimizer.epsilon), update("weight_decay", optimizer.weight_decay);
    update("trust", optimizer.trust), update("clip_norm", optimizer.clip_norm);
    update("average_decay", optimizer.average_decay);
    axes("axes", mesh);
    std::string page = top.text() + table("model", model_) + table("precision", types.text()) +
                       table("optimizer", update.text()) + table("mesh", axes.text()) + table("sharding", sharding_) +
                       inputs_;
    for (const Layer& layer : layers_) page += layer.toml("layer");
    return page;
  }

 private:
  static std::string table(const std::string& name, const std::string& keys) {
    return keys.empty() ? std::string() : "\n[" + name + "]\n" + keys;
  }

  std::string name_, model_, inputs_, sharding_;
  std::vector<Layer> layers_;
};

namespace detail {

/// Of the page and of podsim_net(); podsim asks for the form that it reads.
constexpr int form = 1;

/// The text of a page, which stays until the next call; nullptr with the problem if there is none.
inline const char* page(Net (*function)(), int wanted, const char** problem) {
  static std::string text;
  try {
    if (wanted != form) {
      text = "it was built with a podsim/net.h of form " + std::to_string(form) + ", form " + std::to_string(wanted) +
             " is needed";
      *problem = text.c_str();
      return nullptr;
    }
    text = function().text();
    return text.c_str();
  } catch (const std::exception& error) {
    text = error.what();
  } catch (...) {
    text = "an exception that is no std::exception";
  }
  *problem = text.c_str();
  return nullptr;
}

}  // namespace detail

}  // namespace podsim::net

/// Makes a function `podsim::net::Net function()` the workload of a shared library.
#define PODSIM_NET(function)                                                                                 \
  extern "C" __attribute__((visibility("default"))) const char* podsim_net(int form, const char** problem) { \
    return podsim::net::detail::page(function, form, problem);                                               \
  }
