// SPDX-License-Identifier: Apache-2.0
#include "workloads/nets/layer_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "workloads/layers/cross_entropy.h"
#include "workloads/layers/decode_step.h"
#include "workloads/layers/dropout.h"

namespace podsim::workloads::nets {

using hlo::InstructionId;
using Scope = hlo::build::GraphBuilder::Scope;

namespace {

constexpr std::size_t max_layers = 20'000;

/// Larger arrays than any machine holds; products of sizes up to here do not overflow.
constexpr double max_values = 1e15;

std::size_t layers_in(const std::vector<Layer>& list) {
  std::size_t count = 0;
  for (const Layer& layer : list) {
    const Repeat* repeat = std::get_if<Repeat>(&layer.kind);
    count += repeat == nullptr ? 1 : std::size_t(repeat->times) * layers_in(repeat->layers);
    if (count > max_layers) break;
  }
  return count;
}

[[noreturn]] void reject_at(const base::SourceLocation& place, std::string message, std::string hint = "") {
  throw base::InputError(
      base::Diagnostic{base::Diagnostic::Severity::error, std::move(message), place, std::move(hint)});
}

}  // namespace

LayerWriter::LayerWriter(hlo::build::GraphBuilder& builder, const Net& net, const NetOptions& options)
    : b_(builder),
      net_(net),
      options_(options),
      layers_(builder, net.precision),
      tensors_(builder, net.precision),
      scopes_(1) {
  find_tables(net.layers);
}

void LayerWriter::reject(std::string message, std::string hint) const {
  reject_at(current_->place, std::move(message), std::move(hint));
}

void LayerWriter::require_rank(InstructionId x, std::size_t rank, std::string_view form) const {
  if (sizes(x).size() == rank) return;
  reject(fmt::format("'{}' takes {}, it is given {}", current_->name, form, hlo::to_string(b_.shape(x))));
}

void LayerWriter::require_activations(InstructionId x) const {
  if (b_.type(x) == net_.precision.activation || b_.type(x) == net_.precision.parameter) return;
  reject(fmt::format("'{}' takes numbers in the type of the activations, it is given {}", current_->name,
                     hlo::to_string(b_.shape(x))));
}

void LayerWriter::require_whole_numbers(InstructionId x, const std::string& name, const Sizes& wanted) const {
  if (b_.type(x) == hlo::ElementType::s32 && sizes(x) == wanted) return;
  reject(fmt::format("'{}' needs s32[{}], '{}' is {}", current_->name, fmt::join(wanted, ","), name,
                     hlo::to_string(b_.shape(x))));
}

void LayerWriter::find_tables(const std::vector<Layer>& list) {
  for (const Layer& layer : list) {
    if (const Logits* logits = std::get_if<Logits>(&layer.kind)) tied_.insert(logits->table);
    if (const Repeat* repeat = std::get_if<Repeat>(&layer.kind)) find_tables(repeat->layers);
  }
}

void LayerWriter::require_size(const Sizes& array) const {
  double values = 1;
  for (const std::int64_t size : array) values *= double(size);
  if (values > max_values) reject(fmt::format("'{}' has an array of {:.3g} values", current_->name, values));
}

void LayerWriter::add_input(const Input& input, InstructionId id) {
  if (scopes_.front().empty()) first_input_ = input.name;
  scopes_.front().emplace(input.name, NamedValue{id, input.place});
}

InstructionId LayerWriter::named(const std::string& name) {
  std::vector<std::string> names;
  for (auto& scope : std::ranges::reverse_view(scopes_)) {
    if (const auto found = scope.find(name); found != scope.end()) {
      found->second.read = true;
      return found->second.id;
    }
    for (const auto& [other, value] : scope) names.push_back(other);
  }
  reject(fmt::format("no input or layer before '{}' is named '{}'", current_->name, name),
         base::did_you_mean(name, names));
}

void LayerWriter::collect_trained() {
  const auto take = [&](const std::vector<TrainedTensor>& from, std::size_t& taken) {
    trained_.insert(trained_.end(), from.begin() + std::ptrdiff_t(taken), from.end());
    taken = from.size();
  };
  take(layers_.trained(), of_layers_);
  take(tensors_.all(), of_tensors_);
}

void LayerWriter::add_loss(const Loss& loss, double weight) {
  const InstructionId part = weight == 1 ? loss.value : b_.multiply(loss.value, b_.full_like(loss.value, weight));
  loss_.value = loss_.value < 0 ? part : b_.add(loss_.value, part);
  loss_.held.insert(loss_.held.end(), loss.held.begin(), loss.held.end());
  loss_.given.insert(loss_.given.end(), loss.given.begin(), loss.given.end());
  for (const InstructionId prediction : loss.predictions) {
    if (std::ranges::find(loss_.predictions, prediction) == loss_.predictions.end()) {
      loss_.predictions.push_back(prediction);
    }
  }
}

void LayerWriter::require_all_read(const Names& names) const {
  for (const auto& [name, value] : names) {
    if (!value.read) reject_at(value.place, fmt::format("nothing reads '{}'", name));
  }
}

InstructionId LayerWriter::write_list(const std::vector<Layer>& list, std::string first) {
  std::string before = std::move(first);
  for (const Layer& layer : list) {
    current_ = &layer;
    if (scopes_.front().contains(layer.name)) reject(fmt::format("an input is named '{}'", layer.name));
    InstructionId x = -1;
    for (const std::string& name : layer.from) x = named(name);
    if (layer.from.empty()) x = named(before);
    const bool is_repeat = std::holds_alternative<Repeat>(layer.kind);
    const InstructionId result = [&] {
      if (is_repeat) return std::visit([&](const auto& kind) { return write(kind, x); }, layer.kind);
      const Scope scope(b_, layer.name);
      return std::visit([&](const auto& kind) { return write(kind, x); }, layer.kind);
    }();
    current_ = &layer;
    collect_trained();
    if (std::holds_alternative<CrossEntropy>(layer.kind)) continue;
    require_size(sizes(result));
    scopes_.back().emplace(layer.name, NamedValue{result, layer.place});
    before = layer.name;
  }
  return named(before);
}

Loss LayerWriter::loss() {
  if (layers_in(net_.layers) > max_layers) {
    reject_at(net_.place, fmt::format("the net has more than {} layers", max_layers));
  }
  scopes_.emplace_back();
  write_list(net_.layers, first_input_);
  if (loss_.value < 0) {
    reject_at(net_.place, "the net has no loss", "a layer of kind = \"cross_entropy\" at its end");
  }
  for (const Names& names : scopes_) require_all_read(names);
  return loss_;
}

TrainingStep LayerWriter::decode_step(const DecodeOptions& decode) {
  const Input& tokens = net_.inputs.front();
  if (tokens.type != hlo::ElementType::s32 || tokens.sizes.size() != 1) {
    reject_at(tokens.place, fmt::format("a step of decoding has tokens as first input, '{}' is none", tokens.name));
  }
  {
    const Scope scope(b_, tokens.name);
    const hlo::Shape shape = hlo::make_shape(hlo::ElementType::s32, {options_.batch, decode.new_tokens});
    add_input(tokens, b_.parameter(shape, tokens.name));
  }
  cache_.emplace(b_, layers::CacheOptions{.sequences = options_.batch,
                                          .new_tokens = decode.new_tokens,
                                          .capacity = decode.capacity,
                                          .starts = decode.cached == 0,
                                          .ragged = decode.ragged,
                                          .page = decode.page,
                                          .narrow = decode.cache_type == CacheType::int8,
                                          .type = decode.cache_type == CacheType::bf16 ? hlo::ElementType::bf16
                                                                                       : net_.precision.activation});
  last_only_ = !decode.all_next;
  scopes_.emplace_back();
  const InstructionId result = write_list(net_.layers, first_input_);
  const InstructionId logits = last_tokens(logits_ < 0 ? result : logits_);
  if (sizes(logits).size() != 3) {
    reject_at(net_.place, fmt::format("a step of decoding ends in logits [batch, tokens, words], this one in {}",
                                      hlo::to_string(b_.shape(logits))));
  }
  return layers::decode_step(tensors_, logits, cache_->replaced(), decode);
}

InstructionId LayerWriter::last_tokens(InstructionId x) {
  const Sizes all = sizes(x);
  if (!last_only_ || all.size() != 3 || all[1] == 1) return x;
  return b_.slice(x, {{0, all[0]}, {all[1] - 1, all[1]}, {0, all[2]}});
}

void LayerWriter::reject_in_decoding(std::string_view what) const {
  if (cache_) reject(fmt::format("{} of '{}' has no step of decoding", what, current_->name));
}

// --- images

InstructionId LayerWriter::convolved(const Convolution& layer, InstructionId x) {
  require_rank(x, 4, "images [batch, height, width, channels]");
  require_activations(x);
  require_size({layer.size, layer.size, sizes(x)[3], layer.filters});
  if (layer.padded) return layers_.convolution(x, layer.filters, layer.size, layer.stride);
  if (layer.stride != 1) reject(fmt::format("'{}' has a stride of {} without padding", current_->name, layer.stride));
  if (layer.size > std::min(sizes(x)[1], sizes(x)[2])) {
    reject(fmt::format("'{}' is larger than its image, {}", current_->name, hlo::to_string(b_.shape(x))));
  }
  return layers_.valid_convolution(x, layer.filters, layer.size);
}

InstructionId LayerWriter::write(const Convolution& layer, InstructionId x) {
  InstructionId y = convolved(layer, x);
  if (layer.norm == ImageNorm::batch) y = options_.inference ? layers_.bias(y) : layers_.batch_norm(y);
  if (layer.norm == ImageNorm::group) {
    if (layer.filters % layer.groups != 0) {
      reject(fmt::format("{} filters of '{}' are not a multiple of {} groups", layer.filters, current_->name,
                         layer.groups));
    }
    y = layers_.group_norm(y, layer.groups);
  }
  if (layer.bias) y = layers_.bias(y);
  return activated(layer.activation, y);
}

InstructionId LayerWriter::normed_convolution(std::string_view name, InstructionId x, const Convolution& layer) {
  const Scope scope(b_, name);
  return write(layer, x);
}

InstructionId LayerWriter::write(const Bottleneck& layer, InstructionId x) {
  const std::int64_t width = layer.width;
  const auto convolution = [&](std::string_view name, InstructionId y, std::int64_t filters, std::int64_t size,
                               std::int64_t stride, Function function = Function::relu) {
    return normed_convolution(
        name, y,
        {.filters = filters, .size = size, .stride = stride, .norm = ImageNorm::batch, .activation = function});
  };
  for (std::int64_t block = 0; block < layer.blocks; ++block) {
    const Scope scope(b_, fmt::format("block{}", block));
    const std::int64_t stride = block == 0 ? layer.stride : 1;
    const InstructionId other = block == 0 ? convolution("projection", x, 4 * width, 1, stride, Function::none) : x;
    InstructionId y = convolution("conv1", x, width, 1, 1);
    y = convolution("conv2", y, width, 3, stride);
    y = convolution("conv3", y, 4 * width, 1, 1, Function::none);
    x = layers_.relu(b_.add(y, other));
  }
  return x;
}

InstructionId LayerWriter::write(const MaxPool& layer, InstructionId x) {
  require_rank(x, 4, "images [batch, height, width, channels]");
  return layers_.max_pool(x, layer.size, layer.stride);
}

InstructionId LayerWriter::write(const AveragePool&, InstructionId x) {
  reject_in_decoding("a mean over tokens");
  if (sizes(x).size() == 4) return layers_.global_average_pool(x);
  require_rank(x, 3, "images or rows [batch, length, features]");
  const InstructionId sum = b_.reduce_add(b_.convert(x, net_.precision.parameter), {1});
  const InstructionId mean = b_.multiply(sum, b_.full_like(sum, 1 / double(sizes(x)[1])));
  return b_.convert(mean, net_.precision.activation);
}

InstructionId LayerWriter::write(const Patches& layer, InstructionId x) {
  require_rank(x, 4, "images [batch, height, width, channels]");
  require_activations(x);
  const std::int64_t batch = sizes(x)[0], rows = sizes(x)[1] / layer.size, columns = sizes(x)[2] / layer.size;
  if (rows * layer.size != sizes(x)[1] || columns * layer.size != sizes(x)[2]) {
    reject(fmt::format("the image of '{}', {}, is not a multiple of its patches of {}", current_->name,
                       hlo::to_string(b_.shape(x)), layer.size));
  }
  const hlo::WindowDimension window{.size = layer.size, .stride = layer.size};
  const InstructionId w = tensors_.weight("w", {layer.size, layer.size, sizes(x)[3], layer.width});
  const InstructionId product =
      b_.convolution(x, w, {window, window}, hlo::build::convolution_dimensions("b01f_01io->b01f"));
  InstructionId y = b_.reshape(plus_vector("b", product), {batch, rows * columns, layer.width});
  if (layer.class_token) {
    const InstructionId token = tensors_.weight("class_token", {1, layer.width});
    y = b_.concatenate({b_.broadcast(token, {batch, 1, layer.width}, {1, 2}), y}, 1);
  }
  if (!layer.positions) return y;
  const InstructionId places = tensors_.weight("position_embedding", {sizes(y)[1], layer.width});
  return b_.add(y, b_.broadcast(places, sizes(y), {1, 2}));
}

// --- language

InstructionId LayerWriter::write(const Embedding& layer, InstructionId x) {
  require_rank(x, 2, "tokens s32[batch, length]");
  require_whole_numbers(x, current_->name, sizes(x));
  const std::int64_t batch = sizes(x)[0], length = sizes(x)[1];
  const bool one_hot = layer.lookup == layers::EmbeddingLookup::one_hot;
  require_size({batch, length, one_hot ? layer.vocabulary : layer.width});
  const InstructionId table = tensors_.table("embedding", {layer.vocabulary, layer.width});
  InstructionId narrow = -1;
  if (one_hot || tied_.contains(current_->name)) {
    const Scope scope(b_, "embedding");
    narrow = b_.convert(table, net_.precision.activation);
    tables_[current_->name] = {narrow, layer.width};
  }
  if (!layer.segments.empty()) reject_in_decoding("an embedding of segments");
  const std::int64_t all_places = cache_ ? net_.inputs.front().sizes.front() : length;
  const Sizes rows_of_places{all_places, layer.width};
  InstructionId places = -1;  // a decoder looks up rows and converts those alone
  if (layer.positions) {
    places = cache_ ? tensors_.table("position_embedding", rows_of_places)
                    : tensors_.weight("position_embedding", rows_of_places);
  }
  const InstructionId kinds =
      layer.segments.empty() ? -1 : tensors_.weight("segment_embedding", {layer.segment_kinds, layer.width});
  InstructionId y = layers::embedded(tensors_, narrow >= 0 ? narrow : table, x, layer.lookup);
  if (places >= 0) {
    y = b_.add(y, cache_ ? cache_->rows_at_positions(tensors_, places) : b_.broadcast(places, sizes(y), {1, 2}));
  }
  if (kinds >= 0) {
    const InstructionId segments = named(layer.segments);
    require_whole_numbers(segments, layer.segments, sizes(x));
    const InstructionId chosen = layers::one_hot(b_, segments, layer.segment_kinds, b_.type(y));
    y = b_.add(y, b_.dot(chosen, kinds, {{}, {}, {2}, {0}}));
  }
  return y;
}

template <typename Body>
InstructionId LayerWriter::surrounded(const Surroundings& around, InstructionId x, const Body& body) {
  const InstructionId read = around.norm == NormPlace::before ? normalized(around.norm_kind, x) : x;
  InstructionId y = layers::dropped(b_, body(read), rate(around.dropout));
  if (around.residual) {
    const Scope scope(b_, "residual");
    y = b_.add(x, y);
  }
  return around.norm == NormPlace::after ? normalized(around.norm_kind, y) : y;
}

InstructionId LayerWriter::normalized(layers::NormKind kind, InstructionId x) {
  const Scope scope(b_, "norm");
  return layers::normalized(tensors_, x, kind);
}

layers::AttentionMask LayerWriter::mask(const Attention& layer, InstructionId x, InstructionId memory) {
  const Scope scope(b_, "mask");
  const std::int64_t batch = sizes(x)[0], queries = sizes(x)[1], keys = sizes(memory)[1];
  layers::AttentionMask mask;
  if (layer.causal) mask = layers::causal_mask(b_, batch, layer.options.heads, queries);
  if (layer.present.empty()) return mask;
  const InstructionId present = named(layer.present);
  require_whole_numbers(present, layer.present, {batch, keys});
  const layers::AttentionMask padding = layers::padding_mask(b_, present, layer.options.heads, queries);
  mask.allowed = layer.causal ? b_.logical_and(mask.allowed, padding.allowed) : padding.allowed;
  return mask;
}

InstructionId LayerWriter::attended(const Attention& layer, InstructionId x) {
  const bool causal = layer.causal && layer.present.empty() && layer.memory.empty();
  if (!causal) reject_in_decoding("attention that is not causal");
  const std::int64_t heads = layer.options.heads, of_keys = layer.options.heads_of_keys();
  if (heads % of_keys != 0) {
    reject(fmt::format("{} heads of '{}' are not a multiple of {} heads of keys", heads, current_->name, of_keys));
  }
  return surrounded(layer.around, x, [&](InstructionId y) {
    return layers::cached_attention(tensors_, y, {&*cache_, 1}, layer.options);
  });
}

InstructionId LayerWriter::write(const Attention& layer, InstructionId x) {
  require_rank(x, 3, "rows [batch, length, features]");
  require_activations(x);
  if (cache_) return attended(layer, x);
  const InstructionId memory = layer.memory.empty() ? x : named(layer.memory);
  if (sizes(memory).size() != 3 || sizes(memory)[0] != sizes(x)[0] || sizes(memory)[2] != sizes(x)[2]) {
    reject(fmt::format("'{}' attends from {} to {}, which differ in more than their length", current_->name,
                       hlo::to_string(b_.shape(x)), hlo::to_string(b_.shape(memory))));
  }
  if (layer.causal && memory != x) reject(fmt::format("'{}' is causal and attends to a memory", current_->name));
  const std::int64_t heads = layer.options.heads, of_keys = layer.options.heads_of_keys();
  if (heads % of_keys != 0) {
    reject(fmt::format("{} heads of '{}' are not a multiple of {} heads of keys", heads, current_->name, of_keys));
  }
  require_size({sizes(x)[0], heads, sizes(x)[1], sizes(memory)[1]});
  require_size({sizes(x)[0], std::max(sizes(x)[1], sizes(memory)[1]), heads, layer.options.head_size});
  require_size({sizes(x)[2], heads, layer.options.head_size});
  layers::AttentionOptions options = layer.options;
  options.dropout = rate(options.dropout);
  const layers::AttentionMask allowed = mask(layer, x, memory);
  return surrounded(layer.around, x, [&](InstructionId y) {
    const layers::AttentionResult found =
        layers::attention(tensors_, y, layer.memory.empty() ? y : memory, allowed, options);
    loss_.given.push_back(found.softmax);
    return found.value;
  });
}

InstructionId LayerWriter::write(const FeedForward& layer, InstructionId x) {
  require_rank(x, 3, "rows [batch, length, features]");
  require_activations(x);
  require_size({sizes(x)[0], sizes(x)[1], layer.options.hidden});
  layers::FeedForwardOptions options = layer.options;
  options.dropout = rate(options.dropout);
  return surrounded(layer.around, x, [&](InstructionId y) { return layers::feed_forward(tensors_, y, options); });
}

InstructionId LayerWriter::write(const Mixture& layer, InstructionId x) {
  require_rank(x, 3, "rows [batch, length, features]");
  require_activations(x);
  layers::MixtureOptions options = layer.options;
  if (cache_) options.group = sizes(x)[0] * sizes(x)[1];
  const std::int64_t tokens = sizes(x)[0] * sizes(x)[1], group = options.group > 0 ? options.group : sizes(x)[1];
  if (tokens % group != 0) {
    reject(fmt::format("{} tokens of '{}' are not a multiple of its groups of {}", tokens, current_->name, group));
  }
  require_size({options.experts, sizes(x)[2], layer.expert.hidden});
  require_size({tokens / group, options.experts, layers::expert_capacity(options, group),
                std::max({group, sizes(x)[2], layer.expert.hidden})});
  return surrounded(layer.around, x, [&](InstructionId y) {
    const layers::MixtureResult found = layers::mixture_of_experts(tensors_, y, layer.expert, options);
    add_loss({found.auxiliary, {found.held}, {}}, options.auxiliary_weight);
    return found.value;
  });
}

InstructionId LayerWriter::write(const Logits& layer, InstructionId x) {
  if (cache_) x = last_tokens(x);
  require_activations(x);
  const std::int64_t width = sizes(x).back();
  const int last = int(b_.shape(x).rank()) - 1;
  if (last < 1) require_rank(x, 3, "rows [batch, length, features]");
  InstructionId table = -1;
  if (layer.table.empty()) {
    table = tensors_.weight("unembedding", {layer.vocabulary, width});
  } else {
    const auto found = tables_.find(layer.table);
    if (found == tables_.end())
      reject(fmt::format("no embedding before '{}' is named '{}'", current_->name, layer.table));
    if (found->second.width != width) {
      reject(fmt::format("'{}' is given {}, rows of '{}' have {} features", current_->name, hlo::to_string(b_.shape(x)),
                         layer.table, found->second.width));
    }
    table = found->second.narrow;
  }
  Sizes result = sizes(x);
  result.back() = sizes(table)[0];
  require_size(result);
  const InstructionId product = b_.dot(x, table, {{}, {}, {last}, {1}});
  return layer.bias ? plus_vector("bias", b_.convert(product, net_.precision.parameter)) : product;
}

InstructionId LayerWriter::write(const Rows& layer, InstructionId x) {
  reject_in_decoding("a choice of rows");
  require_rank(x, 3, "rows [batch, length, features]");
  const InstructionId places = named(layer.places);
  if (sizes(places).size() != 2) {
    reject(fmt::format("'{}' needs places s32[batch, count], '{}' is {}", current_->name, layer.places,
                       hlo::to_string(b_.shape(places))));
  }
  require_whole_numbers(places, layer.places, {sizes(x)[0], sizes(places)[1]});
  require_size({sizes(x)[0], sizes(places)[1], sizes(x)[1]});
  const InstructionId chosen = layers::one_hot(b_, places, sizes(x)[1], b_.type(x));
  return b_.dot(chosen, x, {{0}, {0}, {2}, {1}});
}

InstructionId LayerWriter::write(const First&, InstructionId x) {
  reject_in_decoding("a choice of rows");
  require_rank(x, 3, "rows [batch, length, features]");
  const Sizes all = sizes(x);
  return b_.reshape(b_.slice(x, {{0, all[0]}, {0, 1}, {0, all[2]}}), {all[0], all[2]});
}

// --- both

InstructionId LayerWriter::plus_vector(std::string_view name, InstructionId x) {
  const InstructionId vector = b_.convert(tensors_.vector(name, {sizes(x).back()}), b_.type(x));
  return b_.add(x, b_.broadcast(vector, sizes(x), {b_.shape(x).rank() - 1}));
}

InstructionId LayerWriter::activated(Function function, InstructionId x) {
  switch (function) {
    case Function::none:
      break;
    case Function::relu:
      return layers_.relu(x);
    case Function::gelu:
      return layers::activated(b_, layers::Activation::gelu, x);
    case Function::tanh:
      return b_.tanh(x);
  }
  return x;
}

InstructionId LayerWriter::write(const Dense& layer, InstructionId x) {
  require_activations(x);
  const int last = int(b_.shape(x).rank()) - 1;
  if (last < 1) require_rank(x, 2, "[batch, features]");
  Sizes result = sizes(x);
  result.back() = layer.units;
  require_size(result);
  const InstructionId w = tensors_.weight("w", {sizes(x).back(), layer.units});
  InstructionId y = b_.dot(b_.convert(x, net_.precision.activation), w, {{}, {}, {last}, {0}});
  if (layer.wide) y = b_.convert(y, net_.precision.parameter);
  if (layer.bias) y = plus_vector("b", y);
  return activated(layer.activation, y);
}

InstructionId LayerWriter::write(const Norm& layer, InstructionId x) {
  require_activations(x);
  if (sizes(x).size() < 2) require_rank(x, 3, "rows [batch, length, features]");
  return layers::normalized(tensors_, x, layer.kind);
}

InstructionId LayerWriter::write(const Add&, InstructionId x) {
  InstructionId sum = -1;
  for (const std::string& name : current_->from) {
    const InstructionId term = named(name);
    if (!(b_.shape(term) == b_.shape(x))) {
      reject(fmt::format("'{}' adds {} and {}", current_->name, hlo::to_string(b_.shape(term)),
                         hlo::to_string(b_.shape(x))));
    }
    sum = sum < 0 ? term : b_.add(sum, term);
  }
  return sum;
}

InstructionId LayerWriter::write(const Activation& layer, InstructionId x) {
  require_activations(x);
  return activated(layer.function, x);
}

InstructionId LayerWriter::write(const Dropout& layer, InstructionId x) {
  require_activations(x);
  return layers::dropped(b_, x, rate(layer.rate));
}

InstructionId LayerWriter::write(const CrossEntropy& layer, InstructionId x) {
  require_activations(x);
  if (cache_) return logits_ = x;
  const InstructionId labels = named(layer.labels);
  Sizes rows = sizes(x);
  if (rows.size() < 2) require_rank(x, 2, "[..., classes]");
  rows.pop_back();
  require_whole_numbers(labels, layer.labels, rows);
  const hlo::ElementType type = net_.precision.parameter;
  add_loss(layer.recompute ? layers::cross_entropy(b_, x, labels, type, layer.smoothing)
                           : softmax_cross_entropy(b_, b_.convert(x, type), labels, layer.smoothing),
           layer.weight);
  return x;
}

InstructionId LayerWriter::write(const Repeat& layer, InstructionId x) {
  const Layer& repeat = *current_;
  for (std::int64_t i = 0; i < layer.times; ++i) {
    const Scope scope(b_, fmt::format("{}{}", repeat.name, i));
    scopes_.emplace_back();
    scopes_.back().emplace("input", NamedValue{x, repeat.place});
    x = write_list(layer.layers, "input");
    require_all_read(scopes_.back());
    scopes_.pop_back();
  }
  return x;
}

}  // namespace podsim::workloads::nets
