// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/decode_options.h"
#include "workloads/layers.h"
#include "workloads/layers/key_value_cache.h"
#include "workloads/nets/net.h"
#include "workloads/nets/net_graph.h"
#include "workloads/trained_tensors.h"

namespace podsim::workloads::nets {

/// A value of a net and who may read it.
struct NamedValue {
  hlo::InstructionId id = -1;
  base::SourceLocation place;
  bool read = false;
};

/// Writes the layers of a net into a graph.
class LayerWriter {
 public:
  LayerWriter(hlo::build::GraphBuilder& builder, const Net& net, const NetOptions& options);

  /// Adds an input; the first one is what the first layer reads.
  void add_input(const Input& input, hlo::InstructionId id);
  /// Writes all layers and returns the sum of their losses.
  Loss loss();
  /// Writes all layers as a step of decoding, with its inputs, and completes it; nothing can be written any more.
  TrainingStep decode_step(const DecodeOptions& decode);
  /// Tensors in the order in which the layers trained them.
  const std::vector<TrainedTensor>& trained() const { return trained_; }

  hlo::InstructionId write(const Convolution& layer, hlo::InstructionId x);
  hlo::InstructionId write(const Bottleneck& layer, hlo::InstructionId x);
  hlo::InstructionId write(const MaxPool& layer, hlo::InstructionId x);
  hlo::InstructionId write(const AveragePool& layer, hlo::InstructionId x);
  hlo::InstructionId write(const Dense& layer, hlo::InstructionId x);
  hlo::InstructionId write(const Embedding& layer, hlo::InstructionId x);
  hlo::InstructionId write(const Patches& layer, hlo::InstructionId x);
  hlo::InstructionId write(const Attention& layer, hlo::InstructionId x);
  hlo::InstructionId write(const FeedForward& layer, hlo::InstructionId x);
  hlo::InstructionId write(const Mixture& layer, hlo::InstructionId x);
  hlo::InstructionId write(const Norm& layer, hlo::InstructionId x);
  hlo::InstructionId write(const Logits& layer, hlo::InstructionId x);
  hlo::InstructionId write(const Rows& layer, hlo::InstructionId x);
  hlo::InstructionId write(const First& layer, hlo::InstructionId x);
  hlo::InstructionId write(const Add& layer, hlo::InstructionId x);
  hlo::InstructionId write(const Activation& layer, hlo::InstructionId x);
  hlo::InstructionId write(const Dropout& layer, hlo::InstructionId x);
  hlo::InstructionId write(const CrossEntropy& layer, hlo::InstructionId x);
  hlo::InstructionId write(const Repeat& layer, hlo::InstructionId x);

 private:
  using Sizes = std::vector<std::int64_t>;

  /// A table of an embedding, in the type of the activations.
  struct Table {
    hlo::InstructionId narrow = -1;
    std::int64_t width = 0;
  };

  using Names = std::map<std::string, NamedValue, std::less<>>;

  /// Writes a list whose first layer reads what is named `first`. Returns the result of the last.
  hlo::InstructionId write_list(const std::vector<Layer>& list, std::string first);
  /// What a layer of the list being written may name; marks it as read.
  hlo::InstructionId named(const std::string& name);
  void require_all_read(const Names& names) const;
  void find_tables(const std::vector<Layer>& list);
  void collect_trained();
  void add_loss(const Loss& loss, double weight);

  /// The last tokens of [batch, tokens, features] if the step of decoding has no use for the others.
  hlo::InstructionId last_tokens(hlo::InstructionId x);
  /// Throws if a step of decoding is written, which `what` is not for.
  void reject_in_decoding(std::string_view what) const;
  /// Attention to cached tokens.
  hlo::InstructionId attended(const Attention& layer, hlo::InstructionId x);

  template <typename Body>
  hlo::InstructionId surrounded(const Surroundings& around, hlo::InstructionId x, const Body& body);
  hlo::InstructionId normalized(layers::NormKind kind, hlo::InstructionId x);
  hlo::InstructionId activated(Function function, hlo::InstructionId x);
  hlo::InstructionId normed_convolution(std::string_view name, hlo::InstructionId x, const Convolution& layer);
  hlo::InstructionId convolved(const Convolution& layer, hlo::InstructionId x);
  hlo::InstructionId plus_vector(std::string_view name, hlo::InstructionId x);
  layers::AttentionMask mask(const Attention& layer, hlo::InstructionId x, hlo::InstructionId memory);
  double rate(double dropout) const { return options_.inference ? 0 : dropout; }

  const Sizes& sizes(hlo::InstructionId id) const { return b_.shape(id).dimensions; }
  [[noreturn]] void reject(std::string message, std::string hint = "") const;
  /// Throws unless x has `rank` dimensions, which `form` names.
  void require_rank(hlo::InstructionId x, std::size_t rank, std::string_view form) const;
  void require_activations(hlo::InstructionId x) const;
  /// Throws if an array of these sizes is larger than any machine holds.
  void require_size(const Sizes& array) const;
  void require_whole_numbers(hlo::InstructionId x, const std::string& name, const Sizes& wanted) const;

  hlo::build::GraphBuilder& b_;
  const Net& net_;
  NetOptions options_;
  Layers layers_;
  TrainedTensors tensors_;
  std::vector<TrainedTensor> trained_;
  std::size_t of_layers_ = 0, of_tensors_ = 0;  ///< those of layers_ and tensors_ that are in trained_
  std::string first_input_;
  std::vector<Names> scopes_;                ///< inputs, then the layers of the lists being written
  std::set<std::string, std::less<>> tied_;  ///< embeddings that logits name
  std::map<std::string, Table, std::less<>> tables_;
  const Layer* current_ = nullptr;
  std::optional<layers::KeyValueCache> cache_;  ///< of a step of decoding
  bool last_only_ = false;                      ///< logits are those of the last token
  hlo::InstructionId logits_ = -1;              ///< that a loss reads, in a step of decoding
  Loss loss_;
};

}  // namespace podsim::workloads::nets
