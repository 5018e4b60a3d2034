// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/recommenders/dlrm.h"

#include <utility>

#include <fmt/format.h>

#include "hlo/transform/gradient.h"
#include "workloads/models/recommenders/dlrm_network.h"

namespace podsim::workloads::models::recommenders {

using hlo::InstructionId;
using hlo::build::GraphBuilder;
using Sizes = std::vector<std::int64_t>;

namespace {

/// Dimensions of a gather of rows [n, width] from a table, with indices s32[n, 1].
const hlo::GatherDimensions row_dimensions{{1}, {0}, {0}, {}, {}, 1};

const std::vector<std::int64_t>& rows_of(const DlrmOptions& options) {
  return options.rows.empty() ? criteo_rows() : options.rows;
}

class Dlrm {
 public:
  Dlrm(GraphBuilder& builder, const DlrmOptions& options)
      : b_(builder), options_(options), network_(builder, options) {}

  InstructionId loss() {
    const std::int64_t batch = options_.batch, count = std::int64_t(rows_of(options_).size());
    const InstructionId dense = b_.parameter(hlo::make_shape(options_.type, {batch, options_.dense_features}), "dense");
    const InstructionId places = b_.parameter(hlo::make_shape(hlo::ElementType::s32, {batch, count}), "categorical");
    const InstructionId labels = b_.parameter(hlo::make_shape(options_.type, {batch}), "labels");
    for (std::int64_t i = 0; i < count; ++i) add_table(i, places);
    const InstructionId x = network_.bottom(dense);
    std::vector<InstructionId> parts{b_.reshape(x, {batch, 1, options_.bottom.back()})};
    for (InstructionId rows : rows_) parts.push_back(b_.reshape(rows, {batch, 1, options_.bottom.back()}));
    const InstructionId z = network_.top(x, b_.concatenate(parts, 1));
    logits_ = z;
    return network_.cross_entropy(z, labels, batch);
  }

  TrainingStep step(InstructionId loss) {
    const InstructionId rate = b_.parameter(hlo::make_shape(options_.type, {}), "learning_rate");
    std::vector<InstructionId> of = rows_;
    for (const TrainedTensor& tensor : network_.trained()) of.push_back(tensor.value);
    const std::vector<InstructionId> slopes = hlo::transform::gradients(b_, loss, of);
    std::vector<InstructionId> outputs, replaced = tables_;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      const GraphBuilder::Scope scope(b_, fmt::format("optimizer/table{}", i));
      const InstructionId change = b_.negate(scaled(slopes[i], rate));
      outputs.push_back(
          b_.scatter(tables_[i], indices_[i], change, row_dimensions, b_.combiner(hlo::Opcode::add, options_.type)));
    }
    for (std::size_t i = 0; i < network_.trained().size(); ++i) {
      const TrainedTensor& tensor = network_.trained()[i];
      const GraphBuilder::Scope scope(b_, "optimizer/" + tensor.name);
      outputs.push_back(b_.subtract(tensor.value, scaled(slopes[tables_.size() + i], rate)));
      replaced.push_back(tensor.value);
    }
    std::vector<hlo::Donation> donations;
    for (std::size_t i = 0; i < outputs.size(); ++i) donations.push_back({std::int64_t(i), b_[replaced[i]].index});
    outputs.push_back(loss);
    return step_of(std::move(b_), std::move(outputs), std::move(donations), {logits_});
  }

 private:
  InstructionId scaled(InstructionId x, InstructionId factor) {
    return b_.multiply(x, b_.broadcast(factor, b_.shape(x).dimensions));
  }

  void add_table(std::int64_t number, InstructionId places) {
    const std::int64_t width = options_.bottom.back();
    const GraphBuilder::Scope scope(b_, fmt::format("table{}", number));
    tables_.push_back(b_.parameter(hlo::make_shape(options_.type, {rows_of(options_)[number], width}),
                                   fmt::format("table{}", number)));
    const GraphBuilder::Scope of_rows(b_, "rows");
    indices_.push_back(b_.slice(places, {{0, options_.batch}, {number, number + 1}}));
    rows_.push_back(b_.gather(tables_.back(), indices_.back(), row_dimensions, {1, width}));
  }

  GraphBuilder& b_;
  const DlrmOptions& options_;
  DlrmNetwork network_;
  std::vector<InstructionId> tables_, indices_, rows_;
  InstructionId logits_ = -1;
};

}  // namespace

const std::vector<std::int64_t>& criteo_rows() {
  static const std::vector<std::int64_t> rows = {39884406, 39043,    17289,    7420,     20263,  3,     7120, 1543, 63,
                                                 38532951, 2953546,  403346,   10,       2208,   11938, 155,  4,    976,
                                                 14,       39979771, 25641295, 39664984, 585935, 12972, 108,  36};
  return rows;
}

TrainingStep dlrm_training_step(const DlrmOptions& options) {
  hlo::build::GraphBuilder b("dlrm_training_step");
  Dlrm network(b, options);
  return network.step(network.loss());
}

hlo::Module dlrm_forward(const DlrmOptions& options) {
  hlo::build::GraphBuilder b("dlrm_forward");
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

std::string dlrm_sharding(const DlrmOptions& options, std::int64_t cores, std::int64_t min_rows) {
  std::string text = fmt::format("[mesh]\naxes = \"x={}\"\n\n[sharding]\n", cores);
  for (const char* name : {"dense", "categorical", "labels"}) text += fmt::format("\"{}\" = [\"x\"]\n", name);
  for (std::size_t i = 0; i < rows_of(options).size(); ++i) {
    const char* sharding = rows_of(options)[i] > min_rows ? "[\"x\"]" : "\"replicated\"";
    text += fmt::format("\"table{}\" = {}\n", i, sharding);
  }
  return text;
}

}  // namespace podsim::workloads::models::recommenders
