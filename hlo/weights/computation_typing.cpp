// SPDX-License-Identifier: Apache-2.0
#include "hlo/weights/computation_typing.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hlo/transform/loop_state.h"
#include "hlo/weights/callees.h"
#include "hlo/weights/moves.h"
#include "hlo/weights/scale_moves.h"

namespace podsim::hlo::weights {
namespace {

/// A weight, or what moves have made of one, in its narrow type.
struct Typed {
  InstructionId value = -1;
  InstructionId scales = -1;  ///< of the same rank, with size 1 along dimensions that share a scale; -1: none
};

/// What a value of the old computation has become.
struct Value {
  InstructionId id = -1;  ///< in the old type; -1 if it is not made yet
  std::optional<Typed> typed = std::nullopt;
  std::vector<Value> elements = {};  ///< of a tuple with weights
};

/// What the only parameter of a called computation becomes.
struct Argument {
  Shape shape;
  /// The parameter is a weight, or with scales a tuple of a weight and its scales.
  bool is_weight = false;
  /// By element that is a weight, the number of its scales among the elements, -1 if it has none.
  std::map<std::int64_t, std::int64_t> weights = {};
};

class Typing {
 public:
  Typing(Module& module, ComputationId id)
      : module_(module), id_(id), old_(std::move(module.computations[std::size_t(id)])) {
    made_.name = old_.name;
    values_.resize(old_.instructions.size());
    users_ = users_of(old_);
    for (const Instruction& instruction : old_.instructions) names_.insert(instruction.name);
  }

  void type_entry(const std::map<std::int64_t, ParameterTyping>& typings) {
    std::vector<InstructionId> scales;
    for (std::size_t number = 0; number < old_.parameters.size(); ++number) {
      const InstructionId id = old_.parameters[number];
      Instruction parameter = old_[id];
      const auto typing = typings.find(std::int64_t(number));
      if (typing != typings.end()) parameter.shape.element_type = typing->second.type;
      made_.parameters.push_back(append(std::move(parameter)));
      Value& value = values_[std::size_t(id)];
      if (typing == typings.end()) {
        value.id = made_.parameters.back();
        continue;
      }
      value.typed = Typed{.value = made_.parameters.back()};
      if (!typing->second.scales) continue;
      scales.push_back(append_scales(old_[id], typing->second));
      const TypedWeight& weight = typing->second.weight;
      if (weight.grouped_dimension >= 0) {
        value.id = grouped(old_[id], *value.typed, scales.back(), weight);
        value.typed.reset();
      } else {
        value.typed->scales = with_shared(scales.back(), weight);
      }
    }
    write_rest();
    made_.root = full(old_.root);
    made_.parameters.insert(made_.parameters.end(), scales.begin(), scales.end());
    finish();
  }

  /// A loop's body returns the weights that it is given; all other computations return values of the old types.
  void type_called(const Argument& argument, bool is_body) {
    const InstructionId id = old_.parameters[0];
    Instruction parameter = with_elements(old_[id], argument.shape);
    const InstructionId made = append(std::move(parameter));
    made_.parameters = {made};
    Value& value = values_[std::size_t(id)];
    if (argument.is_weight) {
      const bool has_scales = argument.shape.is_tuple();
      value.typed = has_scales ? Typed{.value = element(made, 0), .scales = element(made, 1)} : Typed{.value = made};
    } else {
      for (std::int64_t i = 0; i < std::int64_t(old_[id].shape.tuple_shapes.size()); ++i) {
        const InstructionId own = element(made, i);
        const auto weight = argument.weights.find(i);
        if (weight == argument.weights.end()) {
          value.elements.push_back({.id = own});
          continue;
        }
        const InstructionId scales = weight->second < 0 ? -1 : element(made, weight->second);
        value.elements.push_back({.typed = Typed{.value = own, .scales = scales}});
      }
    }
    write_rest();
    made_.root = is_body ? next_state(argument, value.elements) : full(old_.root);
    finish();
  }

 private:
  // --- values ---

  const Value& value(const Instruction& instruction, std::size_t operand) const {
    return values_[std::size_t(instruction.operands[operand])];
  }

  const Shape& old_shape(InstructionId id) const { return old_[id].shape; }

  void write_rest() {
    for (InstructionId id = 0; id < InstructionId(old_.instructions.size()); ++id) {
      if (old_[id].opcode != Opcode::parameter) values_[std::size_t(id)] = written(id);
    }
  }

  void finish() {
    transform::drop_dead(made_);
    module_.computations[std::size_t(id_)] = std::move(made_);
  }

  Value written(InstructionId id) {
    const Instruction& instruction = old_[id];
    switch (instruction.opcode) {
      case Opcode::tuple:
        return tuple_of(instruction);
      case Opcode::get_tuple_element: {
        const std::vector<Value>& elements = value(instruction, 0).elements;
        if (!elements.empty()) return elements[std::size_t(instruction.index)];
        return {.id = copy(instruction)};
      }
      case Opcode::dot:
      case Opcode::convolution:
        return {.id = product(instruction)};
      case Opcode::while_loop:
        return loop(instruction);
      case Opcode::conditional:
        return {.id = conditional(instruction)};
      default:
        break;
    }
    if (converts_weight(old_, instruction) && value(instruction, 0).typed)
      return {.typed = value(instruction, 0).typed};
    if (moves_elements(instruction) && is_narrow_behind(id)) {
      if (std::optional<Typed> typed = moved(instruction)) return {.typed = typed};
    }
    return {.id = copy(instruction)};
  }

  /// Whether a moved weight is best moved in its narrow type: always, but of a vector that is made into an array which
  /// is read in the old type.
  bool is_narrow_behind(InstructionId id) const {
    if (old_[id].opcode != Opcode::broadcast) return true;
    return std::ranges::all_of(users_[std::size_t(id)], [&](InstructionId user) {
      return old_[user].opcode == Opcode::convert && old_[user].shape.element_type == ElementType::bf16;
    });
  }

  Value tuple_of(const Instruction& tuple) {
    const bool has_weights = std::ranges::any_of(
        tuple.operands, [&](InstructionId operand) { return values_[std::size_t(operand)].typed.has_value(); });
    if (!has_weights) return {.id = copy(tuple)};
    Value result;
    for (const InstructionId operand : tuple.operands) result.elements.push_back(values_[std::size_t(operand)]);
    return result;
  }

  /// The instruction with operands in their old types.
  InstructionId copy(Instruction instruction) {
    for (InstructionId& operand : instruction.operands) operand = full(operand);
    return append(std::move(instruction));
  }

  /// The value in its old type.
  InstructionId full(InstructionId id) {
    Value& value = values_[std::size_t(id)];
    if (value.id >= 0) return value.id;
    if (!value.typed) {
      Instruction tuple = old_[id];
      tuple.opcode = Opcode::tuple;
      tuple.name = unused(tuple.name);
      tuple.operands.clear();
      for (std::size_t i = 0; i < value.elements.size(); ++i) {
        tuple.operands.push_back(full(value.elements[i], old_[id].shape.tuple_shapes[i], old_[id]));
      }
      return value.id = append(std::move(tuple));
    }
    return value.id = full(value, old_shape(id), old_[id]);
  }

  InstructionId full(const Value& value, const Shape& shape, const Instruction& origin) {
    if (value.id >= 0) return value.id;
    const Typed& typed = *value.typed;
    if (typed.scales < 0) return converted(typed.value, shape.element_type, origin);
    const InstructionId wide = converted(typed.value, ElementType::f32, origin);
    const InstructionId scales = spread(typed.scales, made_[wide].shape, {}, origin);
    return converted(binary(Opcode::multiply, wide, scales, origin), shape.element_type, origin);
  }

  // --- weights that move ---

  std::optional<Typed> moved(const Instruction& move) {
    const std::optional<Typed>& typed = value(move, 0).typed;
    if (!typed) return std::nullopt;
    Typed result;
    if (typed->scales >= 0) {
      std::optional<Instruction> scales = moved_scales(move, old_shape(move.operands[0]), made_[typed->scales].shape);
      if (!scales) return std::nullopt;
      scales->operands[0] = typed->scales;
      for (std::size_t i = 1; i < scales->operands.size(); ++i) scales->operands[i] = full(scales->operands[i]);
      scales->name = unused(move.name + ".scale");
      result.scales = append(*std::move(scales));
    }
    Instruction own = move;
    own.operands[0] = typed->value;
    for (std::size_t i = 1; i < own.operands.size(); ++i) own.operands[i] = full(own.operands[i]);
    own.shape.element_type = made_[typed->value].shape.element_type;
    result.value = append(std::move(own));
    return result;
  }

  // --- products ---

  InstructionId product(const Instruction& old) {
    Instruction product = old;
    std::vector<std::pair<InstructionId, std::vector<int>>> scales;  // of operands, and the result's dimensions
    for (std::size_t i = 0; i < product.operands.size(); ++i) {
      const InstructionId operand = old.operands[i];
      const std::optional<Typed>& typed = values_[std::size_t(operand)].typed;
      std::vector<int> kept = i < 2 ? result_dimensions(old_, old, i) : std::vector<int>();
      if (!typed || typed->scales < 0 || !is_outside(typed->scales, kept) || !can_scale(old.shape)) {
        product.operands[i] = full(operand);
        continue;
      }
      product.operands[i] = converted(typed->value, old_shape(operand).element_type, old_[operand]);
      scales.emplace_back(typed->scales, std::move(kept));
    }
    if (scales.empty()) return append(std::move(product));
    product.name = unused(old.name + ".sums");
    InstructionId result = append(std::move(product));
    for (const auto& [factor, kept] : scales) {
      result = binary(Opcode::multiply, result, spread(factor, old.shape, kept, old), old);
      made_[result].sharding = old.sharding;
    }
    return result;
  }

  /// Whether a product sums over no dimension along which scales differ.
  bool is_outside(InstructionId scales, const std::vector<int>& kept) const {
    const std::vector<std::int64_t>& sizes = made_[scales].shape.dimensions;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] > 1 && kept[d] < 0) return false;
    }
    return true;
  }

  static bool can_scale(const Shape& result) {
    return result.element_type == ElementType::bf16 || result.element_type == ElementType::f32;
  }

  // --- loops and branches ---

  /// Elements of a state or argument with those of `passed` in their narrow types, and behind them their scales.
  std::vector<InstructionId> operands_of(const Value& tuple, const Instruction& origin,
                                         const std::set<std::int64_t>& passed, Argument& argument) {
    std::vector<InstructionId> operands;
    for (std::size_t i = 0; i < tuple.elements.size(); ++i) {
      const Value& element = tuple.elements[i];
      const bool is_weight = element.typed && passed.contains(std::int64_t(i));
      operands.push_back(is_weight ? element.typed->value : full(element, origin.shape.tuple_shapes[i], origin));
      if (is_weight) argument.weights[std::int64_t(i)] = element.typed->scales;
    }
    for (auto& [index, scales] : argument.weights) {
      if (scales < 0) continue;
      operands.push_back(InstructionId(scales));
      scales = std::int64_t(operands.size()) - 1;
    }
    return operands;
  }

  InstructionId new_tuple(std::vector<InstructionId> operands, const Instruction& origin) {
    Instruction tuple = related(Opcode::tuple, origin);
    std::vector<Shape> shapes;
    for (const InstructionId operand : operands) shapes.push_back(made_[operand].shape);
    tuple = with_elements(std::move(tuple), make_tuple_shape(std::move(shapes)));
    tuple.operands = std::move(operands);
    return append(std::move(tuple));
  }

  Value loop(const Instruction& old) {
    const Value& state = value(old, 0);
    const std::set<std::int64_t> passed =
        state.elements.empty() ? std::set<std::int64_t>() : passed_elements(module_, old);
    const bool takes_weights =
        std::ranges::any_of(passed, [&](std::int64_t i) { return state.elements[std::size_t(i)].typed.has_value(); });
    if (!takes_weights) return {.id = copy(old)};
    Argument argument;
    const Instruction& origin = old_[old.operands[0]];
    const InstructionId begin = new_tuple(operands_of(state, origin, passed, argument), origin);
    argument.shape = made_[begin].shape;
    Typing(module_, old.called[0]).type_called(argument, false);
    Typing(module_, old.called[1]).type_called(argument, true);
    Instruction loop = with_elements(old, argument.shape);
    loop.operands = {begin};
    const InstructionId made = append(std::move(loop));
    Value result;
    for (std::size_t i = 0; i < state.elements.size(); ++i) {
      const bool is_weight = argument.weights.contains(std::int64_t(i));
      result.elements.push_back(is_weight ? state.elements[i] : Value{.id = element(made, std::int64_t(i))});
    }
    return result;
  }

  InstructionId next_state(const Argument& argument, const std::vector<Value>& given) {
    const Instruction& old = old_[old_.root];
    std::vector<InstructionId> operands;
    for (std::size_t i = 0; i < old.operands.size(); ++i) {
      const bool is_weight = argument.weights.contains(std::int64_t(i));
      operands.push_back(is_weight ? given[i].typed->value : full(old.operands[i]));
    }
    for (const auto& [index, scales] : argument.weights) {
      if (scales >= 0) operands.push_back(given[std::size_t(index)].typed->scales);
    }
    return new_tuple(std::move(operands), old);
  }

  InstructionId conditional(const Instruction& old) {
    Instruction conditional = old;
    conditional.operands[0] = full(old.operands[0]);
    for (std::size_t k = 0; k < old.called.size(); ++k) {
      const InstructionId operand = old.operands[k + 1];
      const Value& given = values_[std::size_t(operand)];
      const bool takes_weights = given.typed || !given.elements.empty();
      const ComputationId branch = old.called[k];
      if (!takes_weights || !reads_elements(module_.computations[std::size_t(branch)])) {
        conditional.operands[k + 1] = full(operand);
        continue;
      }
      Argument argument;
      InstructionId made = -1;
      if (given.typed) {
        argument.is_weight = true;
        const bool has_scales = given.typed->scales >= 0;
        made = has_scales ? new_tuple({given.typed->value, given.typed->scales}, old) : given.typed->value;
      } else {
        std::set<std::int64_t> all;
        for (std::size_t i = 0; i < given.elements.size(); ++i) all.insert(std::int64_t(i));
        made = new_tuple(operands_of(given, old_[operand], all, argument), old_[operand]);
      }
      argument.shape = made_[made].shape;
      conditional.operands[k + 1] = made;
      Typing(module_, branch).type_called(argument, false);
    }
    return append(std::move(conditional));
  }

  // --- scales ---

  InstructionId append_scales(const Instruction& weight, const ParameterTyping& typing) {
    Instruction scales;
    scales.opcode = Opcode::parameter;
    scales.index = typing.weight.scales;
    scales.shape = *typing.scales;
    scales.name = unused(weight.name + "/scale");
    if (!weight.op_name.empty()) scales.op_name = weight.op_name + "/scale";
    scales.source = weight.source;
    scales.sharding = typing.scales_sharding;
    return append(std::move(scales));
  }

  /// Scales with a dimension of size 1 for each that shares one.
  InstructionId with_shared(InstructionId scales, const TypedWeight& weight) {
    std::vector<std::int64_t> sizes;
    std::size_t next = 0;
    for (const bool shares : weight.shared) sizes.push_back(shares ? 1 : made_[scales].shape.dimensions[next++]);
    return reshaped(scales, std::move(sizes), made_[scales]);
  }

  /// A weight of groups times its scales.
  InstructionId grouped(const Instruction& old, const Typed& typed, InstructionId scales, const TypedWeight& weight) {
    const auto dimension = std::size_t(weight.grouped_dimension);
    std::vector<std::int64_t> sizes = old.shape.dimensions;
    sizes[dimension] /= weight.group;
    sizes.insert(sizes.begin() + std::ptrdiff_t(dimension) + 1, weight.group);
    const InstructionId groups = reshaped(converted(typed.value, ElementType::f32, old), std::move(sizes), old);
    const Shape shape = made_[groups].shape;
    std::vector<std::int64_t> own = shape.dimensions;
    for (std::size_t d = 0; d < weight.shared.size(); ++d) {
      if (weight.shared[d] && d != dimension) own[d > dimension ? d + 1 : d] = 1;
    }
    own[dimension + 1] = 1;
    const InstructionId factors = spread(reshaped(scales, std::move(own), old), shape, {}, old);
    const InstructionId product = binary(Opcode::multiply, groups, factors, old);
    return converted(reshaped(product, old.shape.dimensions, old), old.shape.element_type, old);
  }

  /// Scales for each element of an array, whose dimensions kept[d] theirs are, or the same if it is empty.
  InstructionId spread(InstructionId scales, const Shape& array, const std::vector<int>& kept,
                       const Instruction& origin) {
    std::vector<std::pair<std::int64_t, std::int64_t>> own;  // dimension of the array, size
    const std::vector<std::int64_t> sizes = made_[scales].shape.dimensions;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] > 1) own.emplace_back(kept.empty() ? std::int64_t(d) : std::int64_t(kept[d]), sizes[d]);
    }
    Instruction broadcast = related(Opcode::broadcast, origin);
    const ElementType type = array.element_type;
    broadcast.shape = make_shape(type, array.dimensions);
    std::vector<std::int64_t> varying;
    for (const auto& [dimension, size] : own) {
      broadcast.dimensions.push_back(dimension);
      varying.push_back(size);
    }
    broadcast.operands = {converted(reshaped(scales, std::move(varying), origin), type, origin)};
    return append(std::move(broadcast));
  }

  // --- instructions ---

  InstructionId append(Instruction instruction) {
    made_.instructions.push_back(std::move(instruction));
    return InstructionId(made_.instructions.size()) - 1;
  }

  std::string unused(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 1; !names_.insert(name).second; ++i) name = wanted + "." + std::to_string(i);
    return name;
  }

  /// An instruction that is part of what an old one does.
  Instruction related(Opcode opcode, const Instruction& origin) {
    Instruction instruction;
    instruction.opcode = opcode;
    instruction.name = unused(origin.name + "." + std::string(to_string(opcode)));
    instruction.op_name = origin.op_name;
    instruction.source = origin.source;
    return instruction;
  }

  /// An instruction that gives a tuple of other elements. What its sharding says of them is gone.
  static Instruction with_elements(Instruction instruction, const Shape& shape) {
    if (shape.is_tuple() && instruction.sharding && instruction.sharding->kind == Sharding::Kind::tuple) {
      Sharding sharding = *instruction.sharding;
      sharding.elements.resize(shape.tuple_shapes.size());
      instruction.sharding = std::make_shared<const Sharding>(std::move(sharding));
    }
    instruction.shape = shape;
    return instruction;
  }

  InstructionId element(InstructionId tuple, std::int64_t index) {
    const Shape shape = made_[tuple].shape.tuple_shapes[std::size_t(index)];
    Instruction element = related(Opcode::get_tuple_element, made_[tuple]);
    element.index = index;
    element.operands = {tuple};
    element.shape = shape;
    return append(std::move(element));
  }

  InstructionId converted(InstructionId id, ElementType type, const Instruction& origin) {
    if (made_[id].shape.element_type == type) return id;
    Instruction convert = related(Opcode::convert, origin);
    convert.operands = {id};
    convert.shape = made_[id].shape;
    convert.shape.element_type = type;
    return append(std::move(convert));
  }

  InstructionId reshaped(InstructionId id, std::vector<std::int64_t> sizes, const Instruction& origin) {
    if (made_[id].shape.dimensions == sizes) return id;
    Instruction reshape = related(Opcode::reshape, origin);
    reshape.operands = {id};
    reshape.shape = make_shape(made_[id].shape.element_type, std::move(sizes));
    return append(std::move(reshape));
  }

  InstructionId binary(Opcode opcode, InstructionId x, InstructionId y, const Instruction& origin) {
    Instruction binary = related(opcode, origin);
    binary.operands = {x, y};
    binary.shape = made_[x].shape;
    return append(std::move(binary));
  }

  Module& module_;
  ComputationId id_;
  Computation old_, made_;
  std::vector<Value> values_;  ///< by old instruction
  std::vector<std::vector<InstructionId>> users_;
  std::set<std::string> names_;
};

}  // namespace

void type_entry(Module& module, const std::map<std::int64_t, ParameterTyping>& typings) {
  Typing(module, module.entry).type_entry(typings);
}

}  // namespace podsim::hlo::weights
