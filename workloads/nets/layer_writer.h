// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/layers.h"
#include "workloads/nets/net.h"
#include "workloads/nets/net_graph.h"
#include "workloads/trained_tensors.h"

namespace podsim::workloads::nets {

/// A value of a net and who may read it.
struct NamedValue {
  sw::ir::InstructionId id = -1;
  base::SourceLocation place;
  bool read = false;
};

/// Writes the layers of a net into a graph.
class LayerWriter {
 public:
  LayerWriter(sw::ir::build::GraphBuilder& builder, const Net& net, const NetOptions& options);

  /// Adds an input; the first one is what the first layer reads.
  void add_input(const Input& input, sw::ir::InstructionId id);
  /// Writes all layers and returns the sum of their losses.
  Loss loss();
  /// Tensors in the order in which the layers trained them.
  const std::vector<TrainedTensor>& trained() const { return trained_; }

  sw::ir::InstructionId write(const Convolution& layer, sw::ir::InstructionId x);
  sw::ir::InstructionId write(const Bottleneck& layer, sw::ir::InstructionId x);
  sw::ir::InstructionId write(const MaxPool& layer, sw::ir::InstructionId x);
  sw::ir::InstructionId write(const AveragePool& layer, sw::ir::InstructionId x);
  sw::ir::InstructionId write(const Dense& layer, sw::ir::InstructionId x);
  sw::ir::InstructionId write(const Embedding& layer, sw::ir::InstructionId x);
  sw::ir::InstructionId write(const Patches& layer, sw::ir::InstructionId x);
  sw::ir::InstructionId write(const Attention& layer, sw::ir::InstructionId x);
  sw::ir::InstructionId write(const FeedForward& layer, sw::ir::InstructionId x);
  sw::ir::InstructionId write(const Mixture& layer, sw::ir::InstructionId x);
  sw::ir::InstructionId write(const Norm& layer, sw::ir::InstructionId x);
  sw::ir::InstructionId write(const Logits& layer, sw::ir::InstructionId x);
  sw::ir::InstructionId write(const Rows& layer, sw::ir::InstructionId x);
  sw::ir::InstructionId write(const First& layer, sw::ir::InstructionId x);
  sw::ir::InstructionId write(const Add& layer, sw::ir::InstructionId x);
  sw::ir::InstructionId write(const Activation& layer, sw::ir::InstructionId x);
  sw::ir::InstructionId write(const Dropout& layer, sw::ir::InstructionId x);
  sw::ir::InstructionId write(const CrossEntropy& layer, sw::ir::InstructionId x);
  sw::ir::InstructionId write(const Repeat& layer, sw::ir::InstructionId x);

 private:
  using Sizes = std::vector<std::int64_t>;

  /// A table of an embedding, in the type of the activations.
  struct Table {
    sw::ir::InstructionId narrow = -1;
    std::int64_t width = 0;
  };

  using Names = std::map<std::string, NamedValue, std::less<>>;

  /// Writes a list whose first layer reads what is named `first`. Returns the result of the last.
  sw::ir::InstructionId write_list(const std::vector<Layer>& list, std::string first);
  /// What a layer of the list being written may name; marks it as read.
  sw::ir::InstructionId named(const std::string& name);
  void require_all_read(const Names& names) const;
  void find_tables(const std::vector<Layer>& list);
  void collect_trained();
  void add_loss(const Loss& loss, double weight);

  template <typename Body>
  sw::ir::InstructionId surrounded(const Surroundings& around, sw::ir::InstructionId x, const Body& body);
  sw::ir::InstructionId normalized(layers::NormKind kind, sw::ir::InstructionId x);
  sw::ir::InstructionId activated(Function function, sw::ir::InstructionId x);
  sw::ir::InstructionId normed_convolution(std::string_view name, sw::ir::InstructionId x, const Convolution& layer);
  sw::ir::InstructionId convolved(const Convolution& layer, sw::ir::InstructionId x);
  sw::ir::InstructionId plus_vector(std::string_view name, sw::ir::InstructionId x);
  layers::AttentionMask mask(const Attention& layer, sw::ir::InstructionId x, sw::ir::InstructionId memory);
  double rate(double dropout) const { return options_.inference ? 0 : dropout; }

  const Sizes& sizes(sw::ir::InstructionId id) const { return b_.shape(id).dimensions; }
  [[noreturn]] void reject(std::string message, std::string hint = "") const;
  /// Throws unless x has so many dimensions, which `form` names.
  void require_rank(sw::ir::InstructionId x, std::size_t rank, std::string_view form) const;
  void require_activations(sw::ir::InstructionId x) const;
  /// Throws if an array of these sizes is larger than any machine holds.
  void require_size(const Sizes& array) const;
  void require_whole_numbers(sw::ir::InstructionId x, const std::string& name, const Sizes& wanted) const;

  sw::ir::build::GraphBuilder& b_;
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
  Loss loss_;
};

}  // namespace podsim::workloads::nets
