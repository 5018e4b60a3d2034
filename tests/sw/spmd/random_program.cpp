// SPDX-License-Identifier: Apache-2.0
#include "tests/sw/spmd/random_program.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "sw/graph/graph_builder.h"

namespace podsim::sw::testing {

namespace {

constexpr ElementType f32 = ElementType::f32;

/// Numbers out of one, mixed (splitmix64).
class Digits {
 public:
  explicit Digits(std::uint64_t seed) : state_(seed) {}
  /// In [0, limit).
  std::int64_t next(std::int64_t limit) {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z ^= z >> 31;
    return std::int64_t(z % std::uint64_t(limit));
  }

 private:
  std::uint64_t state_;
};

class ProgramWriter {
 public:
  explicit ProgramWriter(GraphBuilder& builder) : b_(builder) {}

  void write(const ProgramStep& step) {
    Digits digits(step.detail);
    if (values_.empty()) return push(parameter(digits), step.cut);
    const InstructionId a = values_[step.a % values_.size()], b = values_[step.b % values_.size()];
    const int before = b_.size();
    const InstructionId result = op(step.kind, a, b, digits);
    for (InstructionId id = before; id < b_.size(); ++id) cut(id, id == result ? step.cut : helper_cut(step, id));
    if (b_.shape(result).element_count() <= 2000) values_.push_back(result);
  }

  /// A number for a value that no step chooses the sharding of.
  static std::uint32_t helper_cut(const ProgramStep& step, InstructionId id) {
    Digits digits(step.cut * 31 + std::uint32_t(id));
    return digits.next(2) == 0 ? 0 : std::uint32_t(digits.next(1 << 24));
  }

  void push(InstructionId id, std::uint32_t number) {
    cut(id, number);
    values_.push_back(id);
  }

  const std::vector<InstructionId>& values() const { return values_; }
  std::vector<std::uint32_t> cuts() const { return cuts_; }

 private:
  using Sizes = std::vector<std::int64_t>;

  void cut(InstructionId id, std::uint32_t number) {
    cuts_.resize(std::max(cuts_.size(), std::size_t(id) + 1), 0);
    cuts_[std::size_t(id)] = number;
  }

  const Sizes& sizes(InstructionId id) const { return b_.shape(id).dimensions; }
  int rank(InstructionId id) const { return b_.shape(id).rank(); }

  InstructionId parameter_of(Sizes sizes, ElementType type = f32) {
    return b_.parameter(make_shape(type, std::move(sizes)), fmt::format("p{}", b_.size()));
  }
  InstructionId parameter(Digits& digits) {
    Sizes sizes(std::size_t(digits.next(4)));
    for (std::int64_t& size : sizes) size = 1 + digits.next(9);
    return parameter_of(std::move(sizes));
  }

  InstructionId clamped(InstructionId x) {
    return b_.minimum(b_.maximum(x, b_.full_like(x, -16)), b_.full_like(x, 16));
  }

  /// A value of these sizes: `x` where it has them, else a new parameter.
  InstructionId alike(InstructionId x, const Sizes& wanted) { return sizes(x) == wanted ? x : parameter_of(wanted); }

  InstructionId op(std::uint8_t kind, InstructionId a, InstructionId b, Digits& digits) {
    switch (kind % op_kinds) {
      case 0:
        return parameter(digits);
      case 1:
        return digits.next(2) == 0 ? b_.negate(a) : b_.abs(a);
      case 2:
        return clamped(b_.add(a, alike(b, sizes(a))));
      case 3:
        return clamped(b_.multiply(a, alike(b, sizes(a))));
      case 4:
        return select(a, alike(b, sizes(a)));
      case 5:
      case 6:
        return dot(a, b, digits);
      case 7:
      case 8:
        return reduce(a, digits);
      case 9:
        return broadcast(a, digits);
      case 10:
        return transpose(a, digits);
      case 11:
        return reshape(a, digits);
      case 12:
        return concatenate(a, b, digits);
      case 13:
        return slice(a, digits);
      case 14:
        return pad(a, digits);
      case 15:
        return b_.reverse(a, some_dimensions(a, digits));
      case 16:
        return counted(a, digits);
      case 17:
        return gather(a, digits);
      case 18:
        return scatter(a, digits);
      case 19:
        return dynamic_slice(a, digits);
      case 20:
        return convolution(digits);
      case 21:
        return reduce_window(a, digits);
      case 22:
        return sort(a, digits);
      case 23:
        return loop(a, digits);
      case 24:
        return branch(a, digits);
      case 25:
        return barrier(a, b);
      case 26:
      case 27:
        return sum_of_products(a, digits);
      case 28:
        return largest(a, digits);
      case 29:
        return any(a, b, digits);
      default:
        return grouped_convolution(digits);
    }
  }

  std::vector<std::int64_t> some_dimensions(InstructionId x, Digits& digits) {
    std::vector<std::int64_t> dimensions;
    for (int d = 0; d < rank(x); ++d) {
      if (digits.next(2) == 0) dimensions.push_back(d);
    }
    return dimensions;
  }

  /// Products over the same dimension, with linear ops between them and their sum.
  InstructionId sum_of_products(InstructionId a, Digits& digits) {
    if (rank(a) == 0) return b_.negate(a);
    const auto along = std::size_t(digits.next(rank(a)));
    const std::int64_t contracted = sizes(a)[along], columns = 1 + digits.next(6);
    InstructionId sum = -1;
    for (int term = 0; term < 3; ++term) {
      const DotDimensions roles{{}, {}, {int(along)}, {0}};
      InstructionId product = b_.dot(a, parameter_of({contracted, columns}), roles);
      for (int op = int(digits.next(3)); op > 0; --op) product = linear(product, digits);
      sum = sum < 0 ? product : digits.next(2) == 0 ? b_.add(sum, product) : b_.subtract(product, sum);
    }
    return clamped(sum);
  }

  /// The same sizes again.
  InstructionId linear(InstructionId x, Digits& digits) {
    switch (digits.next(4)) {
      case 0:
        return b_.negate(x);
      case 1:
        return b_.multiply(b_.full_like(x, 2), x);
      case 2:
        return b_.reshape(b_.reshape(x, {b_.shape(x).element_count()}), sizes(x));
      default: {
        std::vector<std::int64_t> order;
        for (int d = rank(x); d-- > 0;) order.push_back(d);
        return b_.transpose(b_.transpose(x, order), order);
      }
    }
  }

  /// The largest elements of the last dimension.
  InstructionId largest(InstructionId a, Digits& digits) {
    if (rank(a) == 0) return b_.negate(a);
    Instruction instruction;
    instruction.opcode = Opcode::topk;
    instruction.operands = {a};
    instruction.index = 1 + digits.next(sizes(a).back());
    return b_.get_tuple_element(b_.add(std::move(instruction)), 0);
  }

  /// Where any, or all, of some comparisons hold.
  InstructionId any(InstructionId a, InstructionId b, Digits& digits) {
    const InstructionId holds = b_.compare(a, alike(b, sizes(a)), ComparisonDirection::le);
    const bool is_any = digits.next(2) == 0;
    const InstructionId initial = b_.constant(ElementType::pred, is_any ? 0 : 1);
    const ComputationId combiner = b_.combiner(is_any ? Opcode::logical_or : Opcode::logical_and, ElementType::pred);
    return b_.convert(b_.reduce(holds, initial, some_dimensions(a, digits), combiner), f32);
  }

  InstructionId grouped_convolution(Digits& digits) {
    const std::int64_t groups = 2 + digits.next(3), depth = 1 + digits.next(3);
    const bool of_batch = digits.next(2) == 0;
    const InstructionId input = of_batch ? parameter_of({groups * (1 + digits.next(3)), 5, depth})
                                         : parameter_of({1 + digits.next(4), 5, groups * depth});
    const InstructionId kernel = parameter_of({1 + digits.next(3), depth, groups * (1 + digits.next(2))});
    Instruction instruction;
    instruction.opcode = Opcode::convolution;
    instruction.operands = {input, kernel};
    instruction.shape.element_type = f32;
    instruction.window.resize(1);
    instruction.window[0].size = sizes(kernel)[0];
    instruction.convolution = convolution_dimensions("b0f_0io->b0f");
    (of_batch ? instruction.batch_groups : instruction.feature_groups) = groups;
    return clamped(b_.add(std::move(instruction)));
  }

  InstructionId select(InstructionId a, InstructionId b) {
    return b_.select(b_.compare(a, b, ComparisonDirection::lt), a, b_.negate(b));
  }

  /// Contracts a dimension of each where they are alike, batches another pair.
  InstructionId dot(InstructionId a, InstructionId b, Digits& digits) {
    if (rank(a) == 0) return clamped(b_.multiply(a, a));
    DotDimensions roles;
    const int contracted = int(digits.next(rank(a)));
    const auto find = [&](std::int64_t size, int without) {
      for (int d = 0; d < rank(b); ++d) {
        if (d != without && sizes(b)[std::size_t(d)] == size) return d;
      }
      return -1;
    };
    int other = find(sizes(a)[std::size_t(contracted)], -1);
    if (other < 0) {
      b = parameter_of({1 + digits.next(6), sizes(a)[std::size_t(contracted)]});
      other = 1;
    }
    roles.lhs_contracting = {contracted};
    roles.rhs_contracting = {other};
    for (int d = 0; d < rank(a); ++d) {
      if (d == contracted || digits.next(2) == 0) continue;
      const int batch = find(sizes(a)[std::size_t(d)], other);
      if (batch < 0) continue;
      roles.lhs_batch = {d};
      roles.rhs_batch = {batch};
      break;
    }
    return clamped(b_.dot(a, b, roles));
  }

  InstructionId reduce(InstructionId a, Digits& digits) {
    const std::vector<std::int64_t> dimensions = some_dimensions(a, digits);
    if (digits.next(2) == 0) return clamped(b_.reduce_max(a, dimensions));
    const InstructionId initial = b_.constant(f32, double(digits.next(3)));
    return clamped(b_.reduce(a, initial, dimensions, b_.combiner(Opcode::add, f32)));
  }

  InstructionId broadcast(InstructionId a, Digits& digits) {
    if (rank(a) > 2) return b_.negate(a);
    Sizes result = sizes(a);
    std::vector<std::int64_t> dimensions;
    const auto at = digits.next(rank(a) + 1);
    result.insert(result.begin() + at, 1 + digits.next(6));
    for (int d = 0; d < rank(a); ++d) dimensions.push_back(d < at ? d : d + 1);
    return b_.broadcast(a, result, dimensions);
  }

  InstructionId transpose(InstructionId a, Digits& digits) {
    std::vector<std::int64_t> order;
    for (int d = 0; d < rank(a); ++d) order.insert(order.begin() + digits.next(d + 1), d);
    return b_.transpose(a, order);
  }

  /// Splits a dimension, or joins two.
  InstructionId reshape(InstructionId a, Digits& digits) {
    Sizes result = sizes(a);
    if (result.empty()) return b_.reshape(a, {1});
    const auto at = result.begin() + digits.next(rank(a));
    if (digits.next(2) == 0 && at + 1 != result.end()) {
      *at *= at[1];
      result.erase(at + 1);
    } else if (result.size() < 4) {
      std::vector<std::int64_t> divisors;
      for (std::int64_t n = 1; n <= *at; ++n) {
        if (*at % n == 0) divisors.push_back(n);
      }
      const std::int64_t outer = divisors[std::size_t(digits.next(std::int64_t(divisors.size())))];
      *at /= outer;
      result.insert(at, outer);
    }
    return b_.reshape(a, result);
  }

  InstructionId concatenate(InstructionId a, InstructionId b, Digits& digits) {
    if (rank(a) == 0) return b_.negate(a);
    const auto along = digits.next(rank(a));
    Sizes other = sizes(a);
    if (rank(b) == rank(a)) other[std::size_t(along)] = sizes(b)[std::size_t(along)];
    return b_.concatenate({a, alike(b, other)}, along);
  }

  InstructionId slice(InstructionId a, Digits& digits) {
    std::vector<SliceDimension> kept;
    for (const std::int64_t size : sizes(a)) {
      SliceDimension dimension{0, size, 1};
      if (digits.next(2) == 0) {
        dimension.start = digits.next(size);
        dimension.limit = dimension.start + 1 + digits.next(size - dimension.start);
        dimension.stride = 1 + digits.next(3);
      }
      kept.push_back(dimension);
    }
    return b_.slice(a, kept);
  }

  InstructionId pad(InstructionId a, Digits& digits) {
    std::vector<PadDimension> padding;
    for (const std::int64_t size : sizes(a)) {
      PadDimension dimension;
      if (digits.next(2) == 0) {
        dimension.low = digits.next(4) - 1;
        dimension.interior = digits.next(3);
        dimension.high = digits.next(4) - 1;
        if (dimension.low + dimension.high + size + (size - 1) * dimension.interior < 1) dimension = {};
      }
      padding.push_back(dimension);
    }
    return b_.pad(a, b_.constant(f32, double(digits.next(3))), padding);
  }

  InstructionId counted(InstructionId a, Digits& digits) {
    if (rank(a) == 0) return b_.negate(a);
    return clamped(b_.add(a, b_.iota(b_.shape(a), digits.next(rank(a)))));
  }

  /// Constant indices, some of them outside.
  InstructionId indices(std::int64_t count, std::int64_t limit, Digits& digits) {
    Literal literal = make_zeros(make_shape(ElementType::s32, {count, 1}));
    for (double& value : literal.values) value = double(digits.next(limit + 2) - 1);
    return b_.constant(std::move(literal));
  }

  /// Rows of dimension d; another dimension may give a part of each.
  InstructionId gather(InstructionId a, Digits& digits) {
    if (rank(a) == 0) return b_.negate(a);
    const int along = int(digits.next(rank(a)));
    GatherDimensions roles;
    roles.index_vector = 1;
    roles.index_map = {along};
    roles.collapsed = {along};
    Sizes slice = sizes(a);
    slice[std::size_t(along)] = 1;
    for (int d = 1; d < rank(a); ++d) roles.offset.push_back(d);
    return b_.gather(a, indices(1 + digits.next(6), sizes(a)[std::size_t(along)], digits), roles, slice);
  }

  InstructionId scatter(InstructionId a, Digits& digits) {
    if (rank(a) == 0) return b_.negate(a);
    const int along = int(digits.next(rank(a)));
    GatherDimensions roles;
    roles.index_vector = 1;
    roles.index_map = {along};
    roles.collapsed = {along};
    const std::int64_t count = 1 + digits.next(6);
    Sizes updates{count};
    for (int d = 0; d < rank(a); ++d) {
      if (d == along) continue;
      roles.offset.push_back(int(updates.size()));
      updates.push_back(sizes(a)[std::size_t(d)]);
    }
    const InstructionId places = indices(count, sizes(a)[std::size_t(along)], digits);
    return clamped(b_.scatter(a, places, parameter_of(updates), roles, b_.combiner(Opcode::add, f32)));
  }

  InstructionId dynamic_slice(InstructionId a, Digits& digits) {
    std::vector<InstructionId> starts;
    Sizes part;
    for (const std::int64_t size : sizes(a)) {
      starts.push_back(b_.constant(ElementType::s32, double(digits.next(size + 2) - 1)));
      part.push_back(digits.next(2) == 0 ? size : 1 + digits.next(size));
    }
    if (digits.next(2) == 0) return b_.dynamic_slice(a, starts, part);
    return b_.dynamic_update_slice(a, parameter_of(part), starts);
  }

  InstructionId convolution(Digits& digits) {
    const std::int64_t features = 1 + digits.next(4);
    const InstructionId input = parameter_of({1 + digits.next(4), 3 + digits.next(8), features});
    const InstructionId kernel = parameter_of({1 + digits.next(4), features, 1 + digits.next(4)});
    WindowDimension window;
    window.size = sizes(kernel)[0];
    window.stride = 1 + digits.next(2);
    window.padding_low = digits.next(3);
    window.padding_high = digits.next(3);
    window.base_dilation = 1 + digits.next(2);
    return clamped(b_.convolution(input, kernel, {window}, convolution_dimensions("b0f_0io->b0f")));
  }

  InstructionId reduce_window(InstructionId a, Digits& digits) {
    std::vector<WindowDimension> window;
    for (const std::int64_t size : sizes(a)) {
      WindowDimension dimension;
      if (digits.next(2) == 0) {
        dimension.size = 1 + digits.next(std::min<std::int64_t>(size, 4));
        dimension.stride = 1 + digits.next(3);
        dimension.padding_low = digits.next(2);
        dimension.padding_high = digits.next(2);
      }
      window.push_back(dimension);
    }
    return clamped(digits.next(2) == 0 ? b_.reduce_window_add(a, window) : b_.reduce_window_max(a, window));
  }

  InstructionId sort(InstructionId a, Digits& digits) {
    if (rank(a) == 0) return b_.negate(a);
    Instruction instruction;
    instruction.opcode = Opcode::sort;
    instruction.operands = {a};
    instruction.dimensions = {digits.next(rank(a))};
    instruction.called = {b_.comparator(ComparisonDirection::lt, f32)};
    return b_.add(std::move(instruction));
  }

  /// Three trips of x -> clamp(x + max(x) + i), with something else going round.
  InstructionId loop(InstructionId a, Digits& digits) {
    const Shape counter = make_shape(ElementType::s32, {});
    const Shape state = make_tuple_shape({counter, b_.shape(a)});
    GraphBuilder condition("condition");
    const InstructionId tested = condition.parameter(state, "state");
    const InstructionId goes_on = condition.compare(condition.get_tuple_element(tested, 0),
                                                    condition.constant(ElementType::s32, 3), ComparisonDirection::lt);
    GraphBuilder body("body");
    const InstructionId going = body.parameter(state, "state");
    const InstructionId i = body.get_tuple_element(going, 0), x = body.get_tuple_element(going, 1);
    std::vector<std::int64_t> all;
    for (int d = 0; d < rank(a); ++d) all.push_back(d);
    const InstructionId most = digits.next(2) == 0 ? body.reduce_max(x, all) : body.reduce_add(x, all);
    const InstructionId step = body.add(most, body.convert(i, f32));
    const InstructionId sum = body.add(x, body.broadcast(step, sizes(a)));
    const InstructionId next = body.minimum(body.maximum(sum, body.full_like(sum, -16)), body.full_like(sum, 16));
    const InstructionId result = body.tuple({body.add(i, body.constant(ElementType::s32, 1)), next});
    const InstructionId start = b_.tuple({b_.constant(ElementType::s32, 0), a});
    const ComputationId tests = b_.computation(std::move(condition), goes_on);
    const ComputationId steps = b_.computation(std::move(body), result);
    return b_.get_tuple_element(b_.while_loop(start, tests, steps, 3), 1);
  }

  InstructionId branch(InstructionId a, Digits& digits) {
    std::vector<ComputationId> branches;
    for (int k = 0; k < 2; ++k) {
      GraphBuilder body(k == 0 ? "left" : "right");
      const InstructionId x = body.parameter(b_.shape(a), "x");
      branches.push_back(b_.computation(std::move(body), k == 0 ? body.abs(x) : body.negate(x)));
    }
    if (digits.next(2) == 0) return b_.call({a}, branches[0]);
    return b_.conditional(b_.constant(ElementType::s32, double(digits.next(2))), {a, a}, branches);
  }

  InstructionId barrier(InstructionId a, InstructionId b) {
    Instruction instruction;
    instruction.opcode = Opcode::opt_barrier;
    instruction.operands = {b_.tuple({a, b})};
    return b_.get_tuple_element(b_.add(std::move(instruction)), 0);
  }

  GraphBuilder& b_;
  std::vector<InstructionId> values_;
  std::vector<std::uint32_t> cuts_;
};

}  // namespace

std::ostream& operator<<(std::ostream& out, const ProgramStep& step) {
  return out << fmt::format("{{{}, {}, {}, {}, {}}}", step.kind, step.a, step.b, step.detail, step.cut);
}

AxisSharding sharding_of(const Mesh& mesh, int rank, std::uint32_t cut) {
  AxisSharding sharding = replicated(rank);
  if (cut == 0) return sharding;
  Digits digits(cut);
  SubAxes rest = mesh.all();
  while (!rest.empty()) {
    const auto next = rest.begin() + digits.next(std::int64_t(rest.size()));
    const auto place = std::size_t(digits.next(rank + 1));
    if (place < std::size_t(rank)) sharding.dimensions[place].push_back(*next);
    rest.erase(next);
  }
  return sharding;
}

RandomProgram random_program(const Mesh& mesh, const std::vector<ProgramStep>& steps) {
  GraphBuilder builder("random");
  ProgramWriter writer(builder);
  if (steps.empty()) writer.write({});
  for (const ProgramStep& step : steps) writer.write(step);
  std::vector<bool> is_read(std::size_t(builder.size()), false);
  for (InstructionId id = 0; id < builder.size(); ++id) {
    for (const InstructionId operand : builder[id].operands) is_read[std::size_t(operand)] = true;
  }
  std::vector<InstructionId> sinks;
  for (const InstructionId id : writer.values()) {
    if (!is_read[std::size_t(id)] && std::ranges::find(sinks, id) == sinks.end()) sinks.push_back(id);
  }
  if (sinks.empty()) sinks.push_back(writer.values().back());
  // What a value is cut like goes by its name, since ids change when what nobody needs is dropped.
  std::map<std::string, std::uint32_t> by_name;
  std::vector<std::uint32_t> cuts = writer.cuts();
  cuts.resize(std::size_t(builder.size()), 0);
  for (InstructionId id = 0; id < builder.size(); ++id) by_name[builder[id].name] = cuts[std::size_t(id)];
  RandomProgram program;
  const InstructionId root = builder.tuple(sinks);
  by_name[builder[root].name] = steps.empty() ? 0 : steps.back().cut / 7;
  program.module = std::move(builder).build(root);
  for (std::size_t c = 0; c < program.module.computations.size(); ++c) {
    const Computation& computation = program.module.computations[c];
    std::vector<ValueSharding>& values = program.shardings.values.emplace_back();
    std::vector<std::uint32_t>& numbers = program.cuts.emplace_back();
    for (std::size_t i = 0; i < computation.instructions.size(); ++i) {
      const Instruction& instruction = computation.instructions[i];
      const auto found = by_name.find(instruction.name);
      const bool is_entry = int(c) == program.module.entry;
      Digits digits(std::uint64_t(c) * 1000 + i);
      std::uint32_t number = is_entry && found != by_name.end() ? found->second : 0;
      if (!is_entry) number = std::uint32_t(digits.next(1 << 20));
      ValueSharding sharding;
      for (const Shape* leaf : leaf_shapes(instruction.shape)) {
        sharding.push_back(sharding_of(mesh, leaf->rank(), number));
        if (number != 0) ++number;
      }
      values.push_back(std::move(sharding));
      numbers.push_back(number);
    }
  }
  return program;
}

std::vector<Literal> small_integers(const Module& module) {
  std::vector<Literal> arguments;
  Digits digits(1);
  const Computation& entry = module.entry_computation();
  for (const InstructionId id : entry.parameters) {
    Literal literal = make_zeros(entry[id].shape);
    for (double& value : literal.values) value = double(digits.next(7) - 3);
    arguments.push_back(std::move(literal));
  }
  return arguments;
}

}  // namespace podsim::sw::testing
