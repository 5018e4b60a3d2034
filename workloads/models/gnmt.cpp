// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/gnmt.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "workloads/layers/cross_entropy.h"
#include "workloads/layers/decode_step.h"
#include "workloads/layers/dropout.h"
#include "workloads/layers/embedding.h"
#include "workloads/layers/lstm.h"

namespace podsim::workloads::models {

using hlo::InstructionId;

namespace {

constexpr std::int64_t first_residual_layer = 2;

class Gnmt {
 public:
  Gnmt(hlo::build::GraphBuilder& builder, const GnmtOptions& options)
      : b_(builder), options_(options), tensors_(builder, options.precision) {}

  Loss loss() {
    const InstructionId source = tokens("source"), inputs = tokens("target_inputs"), targets = tokens("targets");
    table_ = tensors_.table("embedding", {options_.vocabulary, options_.units});
    const InstructionId rows = embedded(source, inputs);
    const InstructionId memory = encoded(part(rows, {0, options_.length, 1}, options_.units));
    const InstructionId found = decoded(part(rows, {options_.length, 2 * options_.length, 1}, options_.units), memory);
    const InstructionId w = tensors_.weight("output", {options_.units, options_.vocabulary});
    const InstructionId logits = [&] {
      const hlo::build::GraphBuilder::Scope scope(b_, "logits");
      return b_.dot(found, w, {{}, {}, {2}, {0}});
    }();
    Loss result = layers::cross_entropy(b_, logits, targets, options_.precision.parameter, options_.label_smoothing);
    result.given.insert(result.given.end(), given_.begin(), given_.end());
    return result;
  }

  const std::vector<TrainedTensor>& trained() const { return tensors_.all(); }

  /// The program of a step of decoding; nothing can be added to it.
  TrainingStep decoded_step(const DecodeOptions& decode) {
    starts_ = decode.cached == 0;
    hypotheses_ = std::max<std::int64_t>(decode.beam, 1);
    const InstructionId inputs = [&] {
      const hlo::build::GraphBuilder::Scope scope(b_, "tokens");
      return b_.parameter(hlo::make_shape(hlo::ElementType::s32, {rows(), 1}), "tokens");
    }();
    const InstructionId source = starts_ ? tokens("source") : -1;
    table_ = tensors_.table("embedding", {options_.vocabulary, options_.units});
    const InstructionId memory = starts_ ? encoded(embedded(source)) : -1;
    const InstructionId x = b_.reshape(embedded(inputs), {rows(), options_.units});
    const InstructionId found = one_more(x, memory);
    const InstructionId w = tensors_.weight("output", {options_.units, options_.vocabulary});
    const InstructionId logits = [&] {
      const hlo::build::GraphBuilder::Scope scope(b_, "logits");
      return b_.dot(found, w, {{}, {}, {1}, {0}});
    }();
    return layers::decode_step(tensors_, b_.reshape(logits, {rows(), 1, options_.vocabulary}), states_, decode);
  }

 private:
  std::int64_t rows() const { return options_.batch * hypotheses_; }

  /// A state of the layer under whose scope it is; 0 before the first token.
  InstructionId state(const char* name) {
    const hlo::build::GraphBuilder::Scope scope(b_, name);
    const hlo::Shape shape = hlo::make_shape(options_.precision.activation, {rows(), options_.units});
    const InstructionId parameter = b_.parameter(shape, b_.scope());
    states_.push_back({parameter, -1});
    return starts_ ? b_.full(shape, 0) : parameter;
  }

  layers::RecurrentState state_of_layer(bool attends) {
    return {state("h"), state("c"), attends ? state("context") : -1};
  }

  void replace_states(const layers::RecurrentState& after) {
    const bool attends = after.context >= 0;
    std::size_t next = states_.size() - (attends ? 3 : 2);
    for (const InstructionId value : {after.h, after.c, after.context}) {
      if (value >= 0) states_[next++].value = value;
    }
  }

  /// An array [T, rows, H] that steps read; those that start sentences compute it for each sentence, and give it to all
  /// its hypotheses.
  InstructionId kept_over_time(const char* name, InstructionId computed) {
    const hlo::build::GraphBuilder::Scope scope(b_, name);
    const std::vector<std::int64_t> sizes{options_.length, rows(), options_.units};
    const InstructionId parameter = b_.parameter(hlo::make_shape(options_.precision.activation, sizes), b_.scope());
    if (computed < 0) return parameter;
    const InstructionId wide =
        b_.broadcast(computed, {options_.length, options_.batch, hypotheses_, options_.units}, {0, 1, 3});
    const InstructionId value = b_.reshape(wide, sizes);
    states_.push_back({parameter, value, false});
    return value;
  }

  /// x [rows, H] through the layers of the decoder.
  InstructionId one_more(InstructionId x, InstructionId memory) {
    const hlo::build::GraphBuilder::Scope scope(b_, "decoder");
    const layers::RecurrentState first = [&] {
      const hlo::build::GraphBuilder::Scope layer(b_, "layer0");
      const InstructionId keys = memory < 0 ? -1 : layers::attention_keys(tensors_, memory, options_.units);
      const InstructionId all_keys = kept_over_time("keys", keys), all = kept_over_time("memory", memory);
      const layers::RecurrentState before = state_of_layer(true);
      const layers::RecurrentState after = layers::attending_lstm_step(tensors_, x, before, all_keys, all);
      replace_states(after);
      return after;
    }();
    x = first.h;
    for (std::int64_t i = 1; i < options_.layers; ++i) {
      const hlo::build::GraphBuilder::Scope layer(b_, fmt::format("layer{}", i));
      const layers::RecurrentState before = state_of_layer(false);
      const layers::RecurrentState after = layers::lstm_step(tensors_, b_.concatenate({x, first.context}, 1), before);
      replace_states(after);
      x = i < first_residual_layer ? after.h : b_.add(after.h, x);
    }
    return x;
  }

  InstructionId embedded(InstructionId indices) {
    const hlo::build::GraphBuilder::Scope scope(b_, "embed");
    return layers::embedded(tensors_, table_, indices, layers::EmbeddingLookup::gather);
  }

  /// Time comes first inside the network.
  InstructionId tokens(const char* name) {
    const InstructionId samples = [&] {
      const hlo::build::GraphBuilder::Scope scope(b_, name);
      const std::vector<std::int64_t> sizes{options_.batch, options_.length};
      return b_.parameter(hlo::make_shape(hlo::ElementType::s32, sizes), name);
    }();
    const hlo::build::GraphBuilder::Scope scope(b_, "by_time");
    return b_.transpose(samples, {1, 0});
  }

  /// Rows for the tokens of both languages, looked up together: [2 T, batch, H].
  InstructionId embedded(InstructionId source, InstructionId inputs) {
    const hlo::build::GraphBuilder::Scope scope(b_, "embed");
    const InstructionId both = b_.concatenate({source, inputs}, 0);
    return layers::embedded(tensors_, table_, both, layers::EmbeddingLookup::gather);
  }

  InstructionId encoded(InstructionId x) {
    const hlo::build::GraphBuilder::Scope scope(b_, "encoder");
    const InstructionId onwards = layer("forward", x);
    x = b_.concatenate({onwards, b_.reverse(layer("backward", b_.reverse(x, {0})), {0})}, 2);
    for (std::int64_t i = 1; i < options_.layers; ++i) {
      const InstructionId result = layer(fmt::format("layer{}", i), x);
      x = i < first_residual_layer ? result : b_.add(result, x);
    }
    return x;
  }

  InstructionId decoded(InstructionId x, InstructionId memory) {
    const hlo::build::GraphBuilder::Scope scope(b_, "decoder");
    const InstructionId both = [&] {
      const hlo::build::GraphBuilder::Scope first(b_, "layer0");
      return kept(layers::attending_lstm(tensors_, dropped(x), memory, recurrent()));
    }();
    const std::int64_t units = options_.units;
    const hlo::SliceDimension all{0, options_.length, 1};
    x = part(both, all, units);
    const InstructionId context = part(both, all, 2 * units, units);
    for (std::int64_t i = 1; i < options_.layers; ++i) {
      const InstructionId result = layer(fmt::format("layer{}", i), b_.concatenate({x, context}, 2));
      x = i < first_residual_layer ? result : b_.add(result, x);
    }
    return x;
  }

  InstructionId layer(const std::string& name, InstructionId x) {
    const hlo::build::GraphBuilder::Scope scope(b_, name);
    return kept(layers::lstm(tensors_, dropped(x), recurrent()));
  }

  layers::RecurrentOptions recurrent() const { return {options_.units, options_.longest}; }
  InstructionId dropped(InstructionId x) { return layers::dropped(b_, x, options_.dropout); }
  InstructionId part(InstructionId x, hlo::SliceDimension times, std::int64_t end, std::int64_t begin = 0) {
    return b_.slice(x, {times, {0, options_.batch, 1}, {begin, end, 1}});
  }
  InstructionId kept(const layers::RecurrentResult& result) {
    given_.push_back(result.gradient);
    return result.value;
  }

  hlo::build::GraphBuilder& b_;
  const GnmtOptions& options_;
  TrainedTensors tensors_;
  InstructionId table_ = -1;
  std::int64_t hypotheses_ = 1;
  bool starts_ = false;                        ///< a step of decoding begins with the sources
  std::vector<layers::ReplacedState> states_;  ///< of a step of decoding
  std::vector<hlo::transform::GivenGradient> given_;
};

}  // namespace

TrainingStep gnmt_training_step(const GnmtOptions& options) {
  hlo::build::GraphBuilder b("gnmt_training_step");
  Gnmt network(b, options);
  const Loss loss = network.loss();
  return global_training_step(std::move(b), loss, network.trained(), options.optimizer, options.precision.gradient);
}

TrainingStep gnmt_decode_step(const GnmtOptions& options, const DecodeOptions& decode) {
  hlo::build::GraphBuilder b("gnmt_decode_step");
  return Gnmt(b, options).decoded_step(decode);
}

hlo::Module gnmt_forward(const GnmtOptions& options) {
  hlo::build::GraphBuilder b("gnmt_forward");
  Gnmt network(b, options);
  const Loss loss = network.loss();
  return std::move(b).build(loss.value);
}

double gnmt_flops(const GnmtOptions& o) {
  const double square = double(o.units * o.units), units = double(o.units);
  const double wide = 12 * square, narrow = 8 * square;  // weights of a layer that reads 2 H values, or H
  const double encoder = 2 * narrow + wide + double(o.layers - 2) * narrow;
  const double decoder = double(o.layers) * wide + square;  // with the queries
  const auto length = double(o.length), batch = double(o.batch);
  const double recurrent = 4 * square;
  // Products with inputs are made for all tokens, those of the loops up to the longest sentence.
  const double loops = double(2 * o.layers + 1) * recurrent + recurrent + square;
  const double all = encoder + decoder - loops + square + units * double(o.vocabulary);  // with the keys
  const double attention = 2 * length * units;
  return 6 * batch * (length * all + double(o.longest) * (loops + attention));
}

}  // namespace podsim::workloads::models
