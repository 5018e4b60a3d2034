// SPDX-License-Identifier: Apache-2.0
#include "tests/sw/codegen/fusion/random_fusion.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "hlo/build/graph_builder.h"

namespace podsim::sw::codegen::fusion {

namespace {

using Id = hlo::InstructionId;

class RandomFusion {
 public:
  explicit RandomFusion(std::uint64_t seed) : random_(seed), graph_("fused") {}

  hlo::Module make() {
    choose_shape();
    values_.push_back(parameter());
    const int operations = 2 + below(9);
    for (int i = 0; i < operations; ++i) values_.push_back(operation());
    std::vector<Id> results{values_.back()};
    while (results.size() < 3 && chance(3)) results.push_back(chance(2) ? reduction() : result(any()));
    const Id root = results.size() == 1 ? results[0] : graph_.tuple(results);
    hlo::Module module = std::move(graph_).build(root);
    lay_out(module);
    return module;
  }

 private:
  int below(int count) { return int(random_() % std::uint64_t(count)); }
  bool chance(int of) { return below(of) == 0; }
  Id any() { return values_[std::size_t(below(int(values_.size())))]; }

  void choose_shape() {
    const int rank = 1 + below(4);
    const std::vector<std::int64_t> lengths{1, 2, 5, 8, 9, 24, 64};
    for (int d = 0; d < rank; ++d) sizes_.push_back(lengths[std::size_t(below(rank > 2 ? 5 : 7))]);
    order_.resize(std::size_t(rank));
    std::iota(order_.begin(), order_.end(), 0);
    std::ranges::shuffle(order_, random_);
    const std::vector<std::int64_t> rows{1, 64, 128, 130, 256, 300, 1200};
    sizes_[std::size_t(order_[0])] = rows[std::size_t(below(rank > 2 ? 6 : 7))];
  }

  /// Remembers that a value has these dimensions of the array, so that its layout follows.
  Id with(Id id, std::vector<int> dimensions) {
    dimensions_of_[id] = std::move(dimensions);
    return id;
  }
  std::vector<int> all() const {
    std::vector<int> every(sizes_.size());
    std::iota(every.begin(), every.end(), 0);
    return every;
  }
  std::vector<std::int64_t> sizes_of(const std::vector<int>& dimensions) const {
    std::vector<std::int64_t> sizes;
    for (const int d : dimensions) sizes.push_back(sizes_[std::size_t(d)]);
    return sizes;
  }
  static std::vector<std::int64_t> wide(const std::vector<int>& dimensions) {
    return {dimensions.begin(), dimensions.end()};
  }

  std::vector<int> some_dimensions() {
    std::vector<int> some;
    for (const int d : all()) {
      if (chance(2)) some.push_back(d);
    }
    return some;
  }

  hlo::ElementType type_of_parameter() { return chance(3) ? hlo::ElementType::bf16 : hlo::ElementType::f32; }

  Id parameter_of(const std::vector<int>& dimensions) {
    const std::string name = "p" + std::to_string(parameters_++);
    const hlo::ElementType type = type_of_parameter();
    const Id id = with(graph_.parameter(hlo::make_shape(type, sizes_of(dimensions)), name), dimensions);
    return type == hlo::ElementType::f32 ? id : with(graph_.convert(id, hlo::ElementType::f32), dimensions);
  }
  Id parameter() { return parameter_of(all()); }

  Id spread(Id value, const std::vector<int>& dimensions) { return graph_.broadcast(value, sizes_, wide(dimensions)); }

  /// Values of f32 with all dimensions.
  Id operation() {
    switch (below(18)) {
      case 0:
        return parameter();
      case 1:
        return broadcast_parameter();
      case 2:
        return broadcast_of_computed();
      case 3:
        return reduced_and_spread();
      case 4:
        return selected();
      case 5:
        return rounded();
      case 6:
        return counted();
      case 7:
        return sliced();
      case 8:
        return on_words();
      case 9:
        return chosen_by_predicates();
      case 10:
      case 11:
      case 12:
        return function(any());
      default:
        return arithmetic(any(), any());
    }
  }

  Id arithmetic(Id x, Id y) {
    switch (below(6)) {
      case 0:
        return graph_.subtract(x, y);
      case 1:
        return graph_.multiply(graph_.tanh(x), y);
      case 2:
        return graph_.maximum(x, y);
      case 3:
        return graph_.minimum(x, graph_.full_like(x, 0.75));
      case 4:
        return graph_.divide(x, graph_.add(graph_.abs(y), graph_.full_like(y, 1)));
      default:
        return graph_.add(x, y);
    }
  }

  Id function(Id x) {
    switch (below(14)) {
      case 0:
        return graph_.tanh(x);
      case 7:
        return graph_.sign(x);
      case 8:
        return graph_.unary(hlo::Opcode::logistic, scaled(graph_.tanh(x), 8));
      case 9:
        return graph_.unary(hlo::Opcode::exponential_minus_one, graph_.tanh(x));
      case 10:
        return graph_.unary(hlo::Opcode::log_plus_one, graph_.abs(x));
      case 11:
        return graph_.unary(hlo::Opcode::log_plus_one, scaled(graph_.tanh(x), 0.75));
      case 12:
        return graph_.power(graph_.full_like(x, 1.5), graph_.tanh(x));
      case 13:
        return graph_.convert(graph_.unary(hlo::Opcode::is_finite, x), hlo::ElementType::f32);
      case 1:
        return graph_.exponential(graph_.tanh(x));
      case 2:
        return graph_.log(graph_.add(graph_.abs(x), graph_.full_like(x, 0.5)));
      case 3:
        return graph_.rsqrt(graph_.add(graph_.abs(x), graph_.full_like(x, 0.5)));
      case 4:
        return graph_.sqrt(graph_.abs(x));
      case 5:
        return graph_.abs(x);
      default:
        return graph_.negate(x);
    }
  }

  Id scaled(Id x, double factor) { return graph_.multiply(x, graph_.full_like(x, factor)); }

  Id word() {
    if (chance(3)) return graph_.convert(predicate(), hlo::ElementType::s32);
    const hlo::Shape shape = hlo::make_shape(hlo::ElementType::s32, sizes_);
    if (chance(2)) return graph_.iota(shape, below(int(sizes_.size())));
    return graph_.parameter(shape, "p" + std::to_string(parameters_++));
  }

  /// An operation on small whole numbers, as a float of moderate size.
  Id on_words() {
    using enum hlo::Opcode;
    constexpr std::array opcodes{add, subtract, multiply, logical_and, logical_or, logical_xor, maximum, minimum};
    const Id x = word();
    const Id result = chance(8) ? graph_.unary(logical_not, x)
                                : graph_.binary(opcodes[std::size_t(below(int(opcodes.size())))], x, word());
    return scaled(graph_.convert(result, hlo::ElementType::f32), 0x1p-7);
  }

  Id predicate() {
    if (chance(4)) return graph_.unary(hlo::Opcode::is_finite, any());
    return graph_.compare(any(), any(), hlo::ComparisonDirection(below(6)));
  }

  Id chosen_by_predicates() {
    using enum hlo::Opcode;
    constexpr std::array opcodes{logical_and, logical_or, logical_xor};
    const Id x = predicate();
    const Id both =
        chance(4) ? graph_.unary(logical_not, x) : graph_.binary(opcodes[std::size_t(below(3))], x, predicate());
    return graph_.select(both, any(), any());
  }

  Id broadcast_parameter() {
    const std::vector<int> dimensions = some_dimensions();
    return spread(parameter_of(dimensions), dimensions);
  }

  Id broadcast_of_computed() {
    const std::vector<int> dimensions = some_dimensions();
    const Id x = parameter_of(dimensions), y = parameter_of(dimensions);
    const Id product = with(graph_.multiply(x, y), dimensions);
    return spread(with(graph_.add(product, with(graph_.tanh(x), dimensions)), dimensions), dimensions);
  }

  Id reduced(std::vector<int>& kept) {
    kept = some_dimensions();
    std::vector<std::int64_t> others;
    for (const int d : all()) {
      if (std::ranges::find(kept, d) == kept.end()) others.push_back(d);
    }
    if (others.empty()) {
      others.push_back(order_[0]);
      std::erase(kept, order_[0]);
    }
    const Id x = any();
    return with(chance(3) ? graph_.reduce_max(x, others) : graph_.reduce_add(x, others), kept);
  }
  Id reduction() {
    std::vector<int> kept;
    const Id value = reduced(kept);
    if (chance(2)) return value;
    return with(graph_.convert(value, hlo::ElementType::bf16), kept);
  }
  Id reduced_and_spread() {
    std::vector<int> kept;
    const Id value = reduced(kept);
    return spread(value, kept);
  }

  Id selected() {
    const Id condition = graph_.compare(any(), any(), hlo::ComparisonDirection(below(6)));
    return graph_.select(condition, any(), any());
  }

  Id rounded() {
    const Id x = graph_.convert(any(), hlo::ElementType::bf16), y = graph_.convert(any(), hlo::ElementType::bf16);
    return graph_.convert(chance(2) ? graph_.maximum(x, y) : graph_.add(x, y), hlo::ElementType::f32);
  }

  /// Where a coordinate is below a bound.
  Id counted() {
    const int d = below(int(sizes_.size()));
    const Id index = graph_.iota(hlo::make_shape(hlo::ElementType::s32, sizes_), d);
    const Id bound = graph_.full_like(index, double(below(int(sizes_[std::size_t(d)]) + 1)));
    const Id inside = graph_.compare(index, bound, hlo::ComparisonDirection::lt);
    return graph_.multiply(graph_.convert(inside, hlo::ElementType::f32), any());
  }

  /// The second half of a parameter that is twice as long in a dimension outside registers.
  Id sliced() {
    if (sizes_.size() < 3) return parameter();
    const auto outer = std::size_t(order_.back());
    std::vector<std::int64_t> longer = sizes_;
    longer[outer] *= 2;
    const std::string name = "p" + std::to_string(parameters_++);
    const Id whole = with(graph_.parameter(hlo::make_shape(hlo::ElementType::f32, longer), name), all());
    std::vector<hlo::SliceDimension> part;
    for (std::size_t d = 0; d < longer.size(); ++d) part.push_back({d == outer ? sizes_[d] : 0, longer[d], 1});
    return graph_.slice(whole, part);
  }

  Id result(Id id) { return chance(2) ? id : graph_.convert(id, hlo::ElementType::bf16); }

  /// The array has a random order of dimensions, and what has fewer of them the same.
  void lay_out(hlo::Module& module) const {
    hlo::Computation& body = module.computations[std::size_t(module.entry)];
    for (Id id = 0; id < Id(body.instructions.size()); ++id) {
      hlo::Shape& shape = body[id].shape;
      if (shape.is_tuple()) continue;
      const auto known = dimensions_of_.find(id);
      const std::vector<int> dimensions = known != dimensions_of_.end() ? known->second : all();
      if (int(dimensions.size()) != shape.rank()) continue;
      shape.minor_to_major.clear();
      for (const int d : order_) {
        const auto found = std::ranges::find(dimensions, d);
        if (found != dimensions.end()) shape.minor_to_major.push_back(int(found - dimensions.begin()));
      }
    }
    hlo::Shape& root = body[body.root].shape;
    if (!root.is_tuple()) return;
    for (std::size_t i = 0; i < root.tuple_shapes.size(); ++i)
      root.tuple_shapes[i] = body[body[body.root].operands[i]].shape;
  }

  std::mt19937_64 random_;
  hlo::build::GraphBuilder graph_;
  std::vector<std::int64_t> sizes_;
  std::vector<int> order_;  ///< dimensions, the most minor one first
  std::vector<Id> values_;
  std::map<Id, std::vector<int>> dimensions_of_;
  int parameters_ = 0;
};

}  // namespace

hlo::Module random_fusion(std::uint64_t seed) { return RandomFusion(seed).make(); }

}  // namespace podsim::sw::codegen::fusion
