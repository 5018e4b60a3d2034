// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/dlrm.h"

#include <utility>

#include <fmt/format.h>

#include "sw/ir/transform/gradient.h"

namespace podsim::workloads::models {

using sw::ir::ComparisonDirection;
using sw::ir::InstructionId;
using sw::ir::build::GraphBuilder;
using Sizes = std::vector<std::int64_t>;

namespace {

/// Dimensions of a gather of rows [n, width] from a table, with indices s32[n, 1].
const sw::ir::GatherDimensions row_dimensions{{1}, {0}, {0}, {}, {}, 1};

const std::vector<std::int64_t>& rows_of(const DlrmOptions& options) {
  return options.rows.empty() ? criteo_rows() : options.rows;
}

class Dlrm {
 public:
  Dlrm(sw::ir::build::GraphBuilder& builder, const DlrmOptions& options)
      : b(builder), options_(options), layers_(builder, {options.type, options.type}) {}

  InstructionId loss() {
    const std::int64_t batch = options_.batch, count = std::int64_t(rows_of(options_).size());
    const InstructionId dense =
        b.parameter(sw::ir::make_shape(options_.type, {batch, options_.dense_features}), "dense");
    const InstructionId places =
        b.parameter(sw::ir::make_shape(sw::ir::ElementType::s32, {batch, count}), "categorical");
    const InstructionId labels = b.parameter(sw::ir::make_shape(options_.type, {batch}), "labels");
    for (std::int64_t i = 0; i < count; ++i) add_table(i, places);
    const InstructionId x = perceptron("bottom", dense, options_.bottom, true);
    const InstructionId z = perceptron("top", with_interactions(x), options_.top, false);
    const sw::ir::build::GraphBuilder::Scope scope(b, "loss");
    return cross_entropy(b.reshape(z, {batch}), labels);
  }

  TrainingStep step(InstructionId loss) {
    const InstructionId rate = b.parameter(sw::ir::make_shape(options_.type, {}), "learning_rate");
    std::vector<InstructionId> of = rows_;
    for (const TrainedTensor& tensor : layers_.trained()) of.push_back(tensor.value);
    const std::vector<InstructionId> slopes = sw::ir::transform::gradients(b, loss, of);
    std::vector<InstructionId> outputs, replaced = tables_;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      const sw::ir::build::GraphBuilder::Scope scope(b, fmt::format("optimizer/table{}", i));
      const InstructionId change = b.negate(scaled(slopes[i], rate));
      outputs.push_back(
          b.scatter(tables_[i], indices_[i], change, row_dimensions, b.combiner(sw::ir::Opcode::add, options_.type)));
    }
    for (std::size_t i = 0; i < layers_.trained().size(); ++i) {
      const TrainedTensor& tensor = layers_.trained()[i];
      const sw::ir::build::GraphBuilder::Scope scope(b, "optimizer/" + tensor.name);
      outputs.push_back(b.subtract(tensor.value, scaled(slopes[tables_.size() + i], rate)));
      replaced.push_back(tensor.value);
    }
    TrainingStep result;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      result.donations.push_back({std::int64_t(i), b[replaced[i]].index});
    }
    outputs.push_back(loss);
    const InstructionId root = b.tuple(std::move(outputs));
    result.module = std::move(b).build(root);
    return result;
  }

 private:
  InstructionId scaled(InstructionId x, InstructionId factor) {
    return b.multiply(x, b.broadcast(factor, b.shape(x).dimensions));
  }

  void add_table(std::int64_t number, InstructionId places) {
    const std::int64_t width = options_.bottom.back();
    const sw::ir::build::GraphBuilder::Scope scope(b, fmt::format("table{}", number));
    tables_.push_back(b.parameter(sw::ir::make_shape(options_.type, {rows_of(options_)[number], width}),
                                  fmt::format("table{}", number)));
    const sw::ir::build::GraphBuilder::Scope of_rows(b, "rows");
    indices_.push_back(b.slice(places, {{0, options_.batch}, {number, number + 1}}));
    rows_.push_back(b.gather(tables_.back(), indices_.back(), row_dimensions, {1, width}));
  }

  InstructionId perceptron(std::string_view name, InstructionId x, const Sizes& units, bool bends_last) {
    for (std::size_t i = 0; i < units.size(); ++i) {
      const sw::ir::build::GraphBuilder::Scope scope(b, fmt::format("{}{}", name, i));
      x = layers_.dense(x, units[i]);
      if (bends_last || i + 1 < units.size()) x = layers_.relu(x);
    }
    return x;
  }

  /// x [batch, width], followed by the products of x and all rows with each other.
  InstructionId with_interactions(InstructionId x) {
    const Sizes sizes = b.shape(x).dimensions;
    std::vector<InstructionId> parts{b.reshape(x, {sizes[0], 1, sizes[1]})};
    for (InstructionId rows : rows_) parts.push_back(b.reshape(rows, {sizes[0], 1, sizes[1]}));
    const std::int64_t count = std::int64_t(parts.size());
    const InstructionId all = b.concatenate(parts, 1);
    const InstructionId products = [&] {
      const sw::ir::build::GraphBuilder::Scope scope(b, "interaction");
      return b.dot(all, all, {{0}, {0}, {2}, {2}});
    }();
    const sw::ir::Shape square = sw::ir::make_shape(sw::ir::ElementType::s32, {count, count});
    const InstructionId below = b.compare(b.iota(square, 0), b.iota(square, 1), sw::ir::ComparisonDirection::gt);
    const InstructionId kept =
        b.select(b.broadcast(below, {sizes[0], count, count}, {1, 2}), products, b.full_like(products, 0));
    return b.concatenate({x, b.reshape(kept, {sizes[0], count * count})}, 1);
  }

  /// Mean of max(z, 0) - z y + log(1 + exp(-|z|)).
  InstructionId cross_entropy(InstructionId z, InstructionId y) {
    const InstructionId tail = b.unary(sw::ir::Opcode::log_plus_one, b.exponential(b.negate(b.abs(z))));
    const InstructionId of_sample = b.add(b.subtract(b.maximum(z, b.full_like(z, 0)), b.multiply(z, y)), tail);
    const InstructionId sum = b.reduce_add(of_sample, {0});
    return b.multiply(sum, b.full_like(sum, 1.0 / double(options_.batch)));
  }

  sw::ir::build::GraphBuilder& b;
  const DlrmOptions& options_;
  Layers layers_;
  std::vector<InstructionId> tables_, indices_, rows_;
};

}  // namespace

const std::vector<std::int64_t>& criteo_rows() {
  static const std::vector<std::int64_t> rows = {39884406, 39043,    17289,    7420,     20263,  3,     7120, 1543, 63,
                                                 38532951, 2953546,  403346,   10,       2208,   11938, 155,  4,    976,
                                                 14,       39979771, 25641295, 39664984, 585935, 12972, 108,  36};
  return rows;
}

TrainingStep dlrm_training_step(const DlrmOptions& options) {
  sw::ir::build::GraphBuilder b("dlrm_training_step");
  Dlrm network(b, options);
  return network.step(network.loss());
}

sw::ir::Module dlrm_forward(const DlrmOptions& options) {
  sw::ir::build::GraphBuilder b("dlrm_forward");
  const InstructionId loss = Dlrm(b, options).loss();
  return std::move(b).build(loss);
}

double dlrm_flops(const DlrmOptions& options) {
  const double vectors = double(rows_of(options).size()) + 1, width = double(options.bottom.back());
  double weights = 0, features = double(options.dense_features);
  for (std::int64_t units : options.bottom) weights += std::exchange(features, double(units)) * double(units);
  features = width + vectors * vectors;
  for (std::int64_t units : options.top) weights += std::exchange(features, double(units)) * double(units);
  return 6 * double(options.batch) * (weights + vectors * vectors * width);
}

std::string dlrm_sharding(const DlrmOptions& options, std::int64_t cores, std::int64_t least_rows) {
  std::string text = fmt::format("[mesh]\naxes = \"x={}\"\n\n[sharding]\n", cores);
  for (const char* name : {"dense", "categorical", "labels"}) text += fmt::format("\"{}\" = [\"x\"]\n", name);
  for (std::size_t i = 0; i < rows_of(options).size(); ++i) {
    const char* sharding = rows_of(options)[i] > least_rows ? "[\"x\"]" : "\"replicated\"";
    text += fmt::format("\"table{}\" = {}\n", i, sharding);
  }
  return text;
}

}  // namespace podsim::workloads::models
