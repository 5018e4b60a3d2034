// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/recommenders/dlrm_core.h"

#include <fmt/format.h>

#include <numeric>

#include "hlo/transform/gradient.h"
#include "workloads/models/recommenders/dlrm_network.h"

namespace podsim::workloads::models::recommenders {

using hlo::ElementType;
using hlo::InstructionId;
using hlo::Shape;
using Sizes = std::vector<std::int64_t>;

namespace {

const std::vector<std::int64_t>& table_rows(const DlrmCoreOptions& options) {
  return options.network.rows.empty() ? criteo_rows() : options.network.rows;
}

std::vector<std::size_t> tables_where(const DlrmCoreOptions& options, bool small) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < table_rows(options).size(); ++i) {
    if ((table_rows(options)[i] <= options.kept_rows) == small) numbers.push_back(i);
  }
  return numbers;
}

class DlrmCore {
 public:
  DlrmCore(hlo::build::GraphBuilder& builder, const DlrmCoreOptions& options)
      : b_(builder),
        options_(options),
        small_(small_tables(options)),
        large_(large_tables(options)),
        network_(builder, options.network) {}

  TrainingStep step() {
    receive();
    const InstructionId x = network_.bottom(dense_);
    std::vector<InstructionId> parts{b_.reshape(x, {batch(), 1, width()})};
    if (exchanges()) parts.push_back(b_.reshape(exchanged(), {batch(), std::int64_t(large_.size()), width()}));
    for (std::size_t i = 0; i < large_.size() && !exchanges(); ++i)
      parts.push_back(b_.reshape(received_row(i), {batch(), 1, width()}));
    InstructionId all = b_.concatenate(parts, 1);
    if (!small_.empty()) all = b_.concatenate({looked_up(), all}, 1);
    const InstructionId z = network_.top(x, all);
    if (options_.forward) return forward_step(z);
    const InstructionId loss = network_.cross_entropy(z, labels_, batch() * options_.replicas);
    return updated(loss);
  }

 private:
  std::int64_t batch() const { return options_.network.batch; }
  std::int64_t width() const { return options_.network.bottom.back(); }
  std::int64_t places() const { return batch() + options_.repeated_rows; }
  ElementType type() const { return options_.network.type; }
  bool exchanges() const { return options_.exchanged_rows > 0 && !large_.empty(); }
  /// Rows that a core sends to all cores, and that it receives.
  std::int64_t sent() const { return options_.replicas * options_.exchanged_rows; }

  /// Elements of an infeed, or parameters.
  std::vector<InstructionId> fed(std::string_view name, const std::vector<std::pair<std::string, Shape>>& values) {
    std::vector<InstructionId> elements;
    if (!options_.feed_in) {
      for (const auto& [parameter, shape] : values) elements.push_back(b_.parameter(shape, parameter));
      return elements;
    }
    const hlo::build::GraphBuilder::Scope scope(b_, name);
    std::vector<Shape> shapes;
    for (const auto& [parameter, shape] : values) shapes.push_back(shape);
    const InstructionId tuple = b_.infeed(hlo::make_tuple_shape(shapes));
    for (std::size_t i = 0; i < values.size(); ++i) elements.push_back(b_.get_tuple_element(tuple, std::int64_t(i)));
    return elements;
  }

  void receive() {
    const std::int64_t features = options_.network.dense_features;
    std::vector<std::pair<std::string, Shape>> values{
        {"labels", hlo::make_shape(type(), {batch()})},
        {"dense", hlo::make_shape(type(), {batch(), features})},
        {"categorical", hlo::make_shape(ElementType::s32, {batch(), std::int64_t(small_.size())})}};
    if (options_.forward) values.erase(values.begin());
    const std::vector<InstructionId> samples = fed("infeed", values);
    if (!options_.forward) labels_ = samples[0];
    dense_ = samples[samples.size() - 2];
    categorical_ = samples[samples.size() - 1];
    if (large_.empty()) return;
    if (exchanges()) {
      const std::vector<InstructionId> lists =
          fed("exchange/places",
              {{"requests", hlo::make_shape(ElementType::s32, {options_.replicas, options_.exchanged_rows})},
               {"copies", hlo::make_shape(ElementType::s32, {batch(), std::int64_t(large_.size())})}});
      requests_ = lists[0];
      copies_ = b_.reshape(lists[1], {batch() * std::int64_t(large_.size()), 1});
      return;
    }
    std::vector<std::pair<std::string, Shape>> repeated;
    const Shape whole = hlo::make_shape(ElementType::u32, {batch()}), real = hlo::make_shape(type(), {batch()});
    for (std::size_t i = 0; i < large_.size(); ++i) {
      repeated.insert(
          repeated.end(),
          {{fmt::format("slot{}", i), whole}, {fmt::format("weight{}", i), real}, {fmt::format("sample{}", i), whole}});
    }
    repeated_ = fed("embedding_engine/repeated", repeated);
    std::vector<std::pair<std::string, Shape>> rows;
    for (int half = 0; half < 2; ++half) {
      const std::int64_t count = std::int64_t(tables_of(half));
      rows.emplace_back(fmt::format("rows{}", half), hlo::make_shape(type(), {places() * count, width()}));
    }
    rows_ = fed("embedding_engine/rows", rows);
    for (int half = 0; half < 2; ++half) {
      const hlo::build::GraphBuilder::Scope scope(b_, "embedding_engine/rows");
      beside_.push_back(b_.reshape(rows_[std::size_t(half)], {places(), std::int64_t(tables_of(half)) * width()}));
    }
  }

  /// Large tables whose rows come in an array: the first half of them, and the others.
  std::size_t tables_of(int half) const { return half == 0 ? large_.size() / 2 : large_.size() - large_.size() / 2; }

  /// [batch, count]: 1 where the number in `places` [batch] is that of the column.
  InstructionId marks(InstructionId places, std::int64_t count) {
    const Sizes sizes{batch(), count};
    const InstructionId columns = b_.iota(hlo::make_shape(ElementType::u32, sizes), 1);
    const InstructionId equal = b_.compare(b_.broadcast(places, sizes, {0}), columns, hlo::ComparisonDirection::eq);
    const Shape shape = hlo::make_shape(type(), sizes);
    return b_.select(equal, b_.full(shape, 1), b_.full(shape, 0));
  }

  /// The rows of the large table number `i` of this core's samples: [batch, width].
  InstructionId received_row(std::size_t i) {
    const hlo::build::GraphBuilder::Scope scope(b_, fmt::format("embedding_engine/table{}", large_[i]));
    const int half = i < tables_of(0) ? 0 : 1;
    const std::int64_t column = std::int64_t(half == 0 ? i : i - tables_of(0)) * width();
    const InstructionId mine = b_.slice(beside_[std::size_t(half)], {{0, places()}, {column, column + width()}});
    const InstructionId own = b_.slice(mine, {{0, batch()}, {0, width()}});
    if (options_.repeated_rows == 0) return own;
    const InstructionId shared = b_.slice(mine, {{batch(), places()}, {0, width()}});
    const InstructionId chosen = b_.dot(marks(repeated_[3 * i], options_.repeated_rows), shared, {{}, {}, {1}, {0}});
    const InstructionId weighted = b_.multiply(chosen, b_.broadcast(repeated_[3 * i + 1], {batch(), width()}, {0}));
    const InstructionId to_samples = b_.dot(marks(repeated_[3 * i + 2], batch()), weighted, {{}, {}, {0}, {0}});
    return b_.add(own, to_samples);
  }

  /// The rows of the small tables: [batch, tables, width].
  InstructionId looked_up() {
    const std::int64_t count = std::int64_t(small_.size());
    std::int64_t rows = 0;
    hlo::Literal first = hlo::make_zeros(hlo::make_shape(ElementType::s32, {count}));
    for (std::size_t i = 0; i < small_.size(); ++i) {
      first.values[i] = double(rows);
      rows += table_rows(options_)[small_[i]];
    }
    const hlo::build::GraphBuilder::Scope scope(b_, "tables");
    table_ = b_.parameter(hlo::make_shape(type(), {rows, width()}), "tables");
    const hlo::build::GraphBuilder::Scope of_rows(b_, "rows");
    const InstructionId offsets = b_.broadcast(b_.constant(first), {batch(), count}, {1});
    places_ = b_.reshape(b_.add(categorical_, offsets), {batch() * count, 1});
    gathered_ = b_.gather(table_, places_, row_dimensions_, {1, width()});
    return b_.reshape(gathered_, {batch(), count, width()});
  }

  /// Block i of the first dimension goes to core i, and block j of the result came from core j.
  InstructionId all_to_all(InstructionId blocks) {
    hlo::Instruction instruction;
    instruction.opcode = hlo::Opcode::all_to_all;
    instruction.operands = {blocks};
    instruction.dimensions = {0};
    return b_.add(std::move(instruction));
  }

  /// All-to-all of rows [cores x slots, width].
  InstructionId exchange(InstructionId rows) {
    const InstructionId blocks = b_.reshape(rows, {options_.replicas, options_.exchanged_rows, width()});
    return b_.reshape(all_to_all(blocks), {sent(), width()});
  }

  /// The rows of large tables that the samples read: [batch x tables, width].
  InstructionId exchanged() {
    const hlo::build::GraphBuilder::Scope scope(b_, "exchange");
    shard_ = b_.parameter(hlo::make_shape(type(), {shard_rows(options_), width()}), "shard");
    const hlo::build::GraphBuilder::Scope of_rows(b_, "rows");
    asked_ = b_.reshape(all_to_all(requests_), {sent(), 1});
    const InstructionId received = exchange(b_.gather(shard_, asked_, row_dimensions_, {1, width()}));
    copied_ = b_.gather(received, copies_, row_dimensions_, {1, width()});
    return copied_;
  }

  /// The shard after the step, from the gradients of the rows that samples read.
  InstructionId updated_shard(InstructionId slope, InstructionId rate) {
    const hlo::build::GraphBuilder::Scope scope(b_, "exchange/update");
    const InstructionId sums = b_.scatter(b_.full(hlo::make_shape(type(), {sent(), width()}), 0), copies_, slope,
                                          row_dimensions_, b_.combiner(hlo::Opcode::add, type()));
    const InstructionId change = b_.negate(scaled(exchange(sums), rate));
    return b_.scatter(shard_, asked_, change, row_dimensions_, b_.combiner(hlo::Opcode::add, type()));
  }

  InstructionId scaled(InstructionId x, InstructionId factor) {
    return b_.multiply(x, b_.broadcast(factor, b_.shape(x).dimensions));
  }

  /// The sum over all cores of the gradients of the small tables' rows, in an array of the tables' size.
  InstructionId table_gradient(InstructionId slope) {
    const hlo::build::GraphBuilder::Scope scope(b_, "gradients/tables");
    return b_.scatter(b_.full_like(table_, 0), places_, slope, row_dimensions_, b_.combiner(hlo::Opcode::add, type()));
  }

  TrainingStep forward_step(InstructionId z) {
    std::vector<InstructionId> tensors;
    if (!small_.empty()) tensors.push_back(table_);
    if (exchanges()) tensors.push_back(shard_);
    for (const TrainedTensor& tensor : network_.trained()) tensors.push_back(tensor.value);
    return forward_pass(std::move(b_), {z}, tensors);
  }

  TrainingStep updated(InstructionId loss) {
    const InstructionId rate = b_.parameter(hlo::make_shape(type(), {}), "learning_rate");
    std::vector<InstructionId> of = rows_, replaced, gradients, outputs;
    if (!small_.empty()) of.push_back(gathered_);
    if (exchanges()) of.push_back(copied_);
    for (const TrainedTensor& tensor : network_.trained()) of.push_back(tensor.value);
    const std::vector<InstructionId> slopes = hlo::transform::gradients(b_, loss, of);
    const std::vector<InstructionId> returned(slopes.begin(), slopes.begin() + std::ptrdiff_t(rows_.size()));
    std::size_t next = rows_.size();
    if (!small_.empty()) {
      replaced.push_back(table_);
      gradients.push_back(table_gradient(slopes[next++]));
    }
    const InstructionId of_copies = exchanges() ? slopes[next++] : -1;
    for (const TrainedTensor& tensor : network_.trained()) {
      replaced.push_back(tensor.value);
      gradients.push_back(slopes[next++]);
    }
    for (std::size_t i = 0; i < replaced.size(); ++i) {
      const hlo::build::GraphBuilder::Scope scope(b_, "optimizer/" + b_[replaced[i]].name);
      outputs.push_back(b_.subtract(replaced[i], scaled(b_.all_reduce(gradients[i]), rate)));
    }
    if (exchanges()) {
      replaced.push_back(shard_);
      outputs.push_back(updated_shard(of_copies, rate));
    }
    outputs.push_back(loss);
    if (options_.feed_in && !returned.empty()) {
      const hlo::build::GraphBuilder::Scope scope(b_, "embedding_engine/gradients");
      b_.outfeed(b_.tuple({returned[0], returned[1], loss}));
    } else {
      outputs.insert(outputs.end(), returned.begin(), returned.end());
    }
    TrainingStep result;
    for (std::size_t i = 0; i < replaced.size(); ++i)
      result.donations.push_back({std::int64_t(i), b_[replaced[i]].index});
    const InstructionId root = b_.tuple(std::move(outputs));
    result.module = std::move(b_).build(root);
    return result;
  }

  /// Dimensions of a gather of rows [n, width] from a table, with indices s32[n, 1].
  const hlo::GatherDimensions row_dimensions_{{1}, {0}, {0}, {}, {}, 1};

  hlo::build::GraphBuilder& b_;
  const DlrmCoreOptions& options_;
  std::vector<std::size_t> small_, large_;
  DlrmNetwork network_;
  InstructionId labels_ = -1, dense_ = -1, categorical_ = -1;
  std::vector<InstructionId> repeated_;       ///< slot, weight and sample of every large table
  std::vector<InstructionId> rows_, beside_;  ///< as received; with a table's rows next to another's
  InstructionId table_ = -1, places_ = -1, gathered_ = -1;
  InstructionId requests_ = -1, copies_ = -1;            ///< lists of an exchange
  InstructionId shard_ = -1, asked_ = -1, copied_ = -1;  ///< its table, the rows others ask for, those of samples
};

}  // namespace

std::vector<std::size_t> small_tables(const DlrmCoreOptions& options) { return tables_where(options, true); }
std::vector<std::size_t> large_tables(const DlrmCoreOptions& options) { return tables_where(options, false); }

std::int64_t shard_rows(const DlrmCoreOptions& options) {
  std::int64_t rows = 0;
  for (std::size_t table : large_tables(options)) {
    rows += base::divide_round_up(table_rows(options)[table], options.replicas);
  }
  return rows;
}

TrainingStep dlrm_core_step(const DlrmCoreOptions& options) {
  hlo::build::GraphBuilder b("dlrm_core_step");
  return DlrmCore(b, options).step();
}

}  // namespace podsim::workloads::models::recommenders
