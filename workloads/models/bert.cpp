// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/bert.h"

#include <fmt/format.h>

#include "workloads/layers/cross_entropy.h"
#include "workloads/layers/dropout.h"

namespace podsim::workloads::models {

using hlo::InstructionId;

namespace {

class Bert {
 public:
  Bert(hlo::build::GraphBuilder& builder, const BertOptions& options)
      : b_(builder), options_(options), attention_(options.attention), tensors_(builder, options.precision) {
    attention_.dropout = options.dropout;
  }

  Loss loss() {
    const std::int64_t batch = options_.batch;
    const InstructionId tokens = input("tokens", {batch, options_.sequence});
    const InstructionId segments = input("segments", {batch, options_.sequence});
    const InstructionId present = input("present", {batch, options_.sequence});
    const InstructionId places = input("masked_places", {batch, options_.predictions});
    const InstructionId masked = input("masked_tokens", {batch, options_.predictions});
    const InstructionId follows = input("follows", {batch});
    const InstructionId x = encoded(embed(tokens, segments), present);
    const Loss of_tokens = masked_loss(x, places, masked), of_sequences = follows_loss(x, follows);
    std::vector<hlo::transform::GivenGradient> given = given_;
    given.insert(given.end(), of_tokens.given.begin(), of_tokens.given.end());
    return {b_.add(of_tokens.value, of_sequences.value),
            of_sequences.held,
            given,
            {of_tokens.predictions.front(), of_sequences.predictions.front()}};
  }

  const std::vector<TrainedTensor>& trained() const { return tensors_.all(); }

 private:
  InstructionId input(std::string_view name, std::vector<std::int64_t> sizes) {
    const hlo::build::GraphBuilder::Scope scope(b_, name);
    return b_.parameter(hlo::make_shape(hlo::ElementType::s32, std::move(sizes)), std::string(name));
  }

  InstructionId embed(InstructionId tokens, InstructionId segments) {
    const InstructionId table = tensors_.table("embedding", {options_.vocabulary, options_.model});
    narrow_table_ = [&] {
      const hlo::build::GraphBuilder::Scope scope(b_, "embedding");
      return b_.convert(table, options_.precision.activation);
    }();
    const InstructionId places = tensors_.weight("position_embedding", {options_.sequence, options_.model});
    const InstructionId kinds = tensors_.weight("segment_embedding", {2, options_.model});
    const hlo::build::GraphBuilder::Scope scope(b_, "embed");
    InstructionId x = layers::embedded(tensors_, narrow_table_, tokens, options_.lookup);
    const std::vector<std::int64_t> sizes = b_.shape(x).dimensions;
    x = b_.add(x, b_.broadcast(places, sizes, {1, 2}));
    x = b_.add(x, b_.dot(layers::one_hot(b_, segments, 2, b_.type(x)), kinds, {{}, {}, {2}, {0}}));
    return layers::dropped(b_, norm(x), options_.dropout);
  }

  InstructionId encoded(InstructionId x, InstructionId present) {
    const layers::AttentionMask mask = [&] {
      const hlo::build::GraphBuilder::Scope scope(b_, "mask");
      return layers::padding_mask(b_, present, options_.attention.heads, options_.sequence);
    }();
    for (std::int64_t i = 0; i < options_.layers; ++i) {
      const hlo::build::GraphBuilder::Scope scope(b_, fmt::format("layer{}", i));
      x = layer(x, mask);
    }
    return x;
  }

  /// A layer; the norm follows each block.
  InstructionId layer(InstructionId x, const layers::AttentionMask& mask) {
    const InstructionId attended = [&] {
      const hlo::build::GraphBuilder::Scope scope(b_, "attention");
      const layers::AttentionResult found = layers::attention(tensors_, x, x, mask, attention_);
      given_.push_back(found.softmax);
      return norm(b_.add(x, layers::dropped(b_, found.value, options_.dropout)));
    }();
    const hlo::build::GraphBuilder::Scope scope(b_, "ffn");
    const InstructionId changed = layers::feed_forward(tensors_, attended, options_.feed_forward);
    return norm(b_.add(attended, layers::dropped(b_, changed, options_.dropout)));
  }

  InstructionId norm(InstructionId x) {
    const hlo::build::GraphBuilder::Scope scope(b_, "norm");
    return layers::normalized(tensors_, x, layers::NormKind::layer_norm);
  }

  /// x [..., features] w + b, in the type of x.
  InstructionId dense(InstructionId x, std::int64_t units) {
    const int last = b_.shape(x).rank() - 1;
    const InstructionId w = tensors_.weight("w", {b_.shape(x).dimensions.back(), units});
    const InstructionId product = b_.dot(x, w, {{}, {}, {last}, {0}});
    const InstructionId bias = b_.convert(tensors_.vector("b", {units}), b_.type(x));
    return b_.add(product, b_.broadcast(bias, b_.shape(product).dimensions, {last}));
  }

  Loss masked_loss(InstructionId x, InstructionId places, InstructionId tokens) {
    const hlo::build::GraphBuilder::Scope scope(b_, "masked");
    const InstructionId chosen =
        layers::one_hot(b_, places, options_.sequence, b_.type(x));  // [batch, predictions, sequence]
    const InstructionId rows = b_.dot(chosen, x, {{0}, {0}, {2}, {1}});
    const InstructionId changed = norm(layers::activated(b_, layers::Activation::gelu, dense(rows, options_.model)));
    const InstructionId logits = [&] {
      const hlo::build::GraphBuilder::Scope logits_scope(b_, "logits");
      return b_.dot(changed, narrow_table_, {{}, {}, {2}, {1}});
    }();
    const InstructionId wide = b_.convert(logits, options_.precision.parameter);
    const InstructionId bias = tensors_.vector("bias", {options_.vocabulary});
    const InstructionId biased = b_.add(wide, b_.broadcast(bias, b_.shape(wide).dimensions, {2}));
    return layers::cross_entropy(b_, biased, tokens, options_.precision.parameter);
  }

  /// The loss of sentence order, computed from the first token of every sequence.
  Loss follows_loss(InstructionId x, InstructionId follows) {
    const InstructionId first = b_.slice(x, {{0, options_.batch}, {0, 1}, {0, options_.model}});
    const InstructionId pooled = [&] {
      const hlo::build::GraphBuilder::Scope scope(b_, "pooler");
      return b_.tanh(dense(b_.reshape(first, {options_.batch, options_.model}), options_.model));
    }();
    const hlo::build::GraphBuilder::Scope scope(b_, "follows_head");
    return softmax_cross_entropy(b_, b_.convert(dense(pooled, 2), options_.precision.parameter), follows, 0);
  }

  hlo::build::GraphBuilder& b_;
  const BertOptions& options_;
  layers::AttentionOptions attention_;
  TrainedTensors tensors_;
  InstructionId narrow_table_ = -1;
  std::vector<hlo::transform::GivenGradient> given_;
};

}  // namespace

TrainingStep bert_training_step(const BertOptions& options) {
  hlo::build::GraphBuilder b("bert_training_step");
  Bert network(b, options);
  const Loss loss = network.loss();
  return global_training_step(std::move(b), loss, network.trained(), options.optimizer, options.precision.gradient);
}

hlo::Module bert_forward(const BertOptions& options) {
  hlo::build::GraphBuilder b("bert_forward");
  Bert network(b, options);
  const Loss loss = network.loss();
  return std::move(b).build(loss.value);
}

double bert_flops(const BertOptions& o) {
  const double heads = double(o.attention.heads * o.attention.head_size), model = double(o.model);
  const double layer = 4 * model * heads + 2 * model * double(o.feed_forward.hidden);
  const double tokens = double(o.batch * o.sequence);
  const double masked = double(o.batch * o.predictions) * (model * model + model * double(o.vocabulary));
  const double follows = double(o.batch) * (model * model + 2 * model);
  return double(o.layers) * (6 * tokens * layer + 12 * heads * tokens * double(o.sequence)) + 6 * (masked + follows);
}

}  // namespace podsim::workloads::models
