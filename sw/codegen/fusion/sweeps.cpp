// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/fusion/sweeps.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hlo/array_tile.h"
#include "hlo/literal.h"
#include "sw/codegen/fusion/located.h"
#include "sw/codegen/fusion/moves.h"
#include "sw/codegen/fusion/no_code.h"
#include "sw/codegen/fusion/op_module.h"
#include "sw/codegen/fusion/operations.h"
#include "sw/codegen/fusion/reducer.h"

namespace podsim::sw::codegen::fusion {

namespace {

using Id = hlo::InstructionId;

/// Registers of a column that is spread: a megabyte.
constexpr std::int64_t max_spread_tiles = 256;

/// What the elements of a sweep need.
struct Needs {
  int level = 0;  ///< number of sweeps before
  std::set<Id> whole, other, scalars;
  std::set<std::pair<Id, Axes>> columns;
  std::set<int> coordinates;
  bool reduces_rows = false;

  void add(const Needs& more) {
    level = std::max(level, more.level);
    whole.insert(more.whole.begin(), more.whole.end());
    other.insert(more.other.begin(), more.other.end());
    scalars.insert(more.scalars.begin(), more.scalars.end());
    columns.insert(more.columns.begin(), more.columns.end());
    coordinates.insert(more.coordinates.begin(), more.coordinates.end());
    reduces_rows |= more.reduces_rows;
  }
  void add_coordinates(const Axes& axes) {
    for (const Axis& axis : axes) {
      if (axis.along >= 0) coordinates.insert(axis.along);
    }
  }
};

class Analysis {
 public:
  explicit Analysis(const hlo::Module& module) : module_(module), body_(module.entry_computation()) {}

  std::vector<Sweep> run() {
    const std::vector<Id> results = results_of(body_);
    for (int number = 0; number < int(results.size()); ++number) add_result(number, results[std::size_t(number)]);
    std::vector<Sweep> sweeps;
    for (auto& [level, sweep] : sweeps_) sweeps.push_back(std::move(sweep));
    return sweeps;
  }

 private:
  void add_result(int number, Id id) {
    check_array(body_[id].shape);
    if (body_[id].opcode == hlo::Opcode::reduce) {
      keep_reduction(id);
      if (held_as_word(id)) return;
    }
    const Space space(body_[id].shape);
    const Needs needs = of_value(id, identity(space), space);
    Sweep& sweep = last_sweep(space, needs);
    sweep.results.push_back(number);
  }

  bool is_scalar(Id id, const Space& space) const { return body_[id].shape.rank() == 0 && space.shape.rank() > 0; }
  bool held_as_word(Id id) const { return body_[id].shape.element_type == hlo::ElementType::f32; }

  static void check_array(const hlo::Shape& shape) {
    if (shape.is_tuple()) throw NoCode("tuple", "a tuple among the arrays");
    if (held(shape.element_type) == Held::not_at_all)
      throw NoCode("type", "an array of " + hlo::to_string(shape.element_type));
    if (shape.element_count() == 0) throw NoCode("type", "an empty array");
  }

  /// Values have many users, and every one asks.
  Needs of_value(Id id, const Axes& axes, const Space& space) {
    const std::pair<Id, Axes> value(id, axes);
    if (const auto& known = known_needs(space); known.contains(value)) return known.at(value);
    const std::size_t kept = kept_.size();
    Needs needs = found_needs(id, axes, space);
    // A value that was kept in between is an array for the users that ask from now on.
    if (kept_.size() == kept) known_needs(space).emplace(value, needs);
    return needs;
  }

  using KnownNeeds = std::map<std::pair<Id, Axes>, Needs>;
  KnownNeeds& known_needs(const Space& space) {
    const auto found = std::ranges::find_if(known_, [&](const auto& known) { return known.first == space; });
    return found != known_.end() ? found->second : known_.emplace_back(space, KnownNeeds()).second;
  }

  /// What is known of the users of a value ends when it becomes an array.
  void remember_kept(Id id, int level) {
    kept_[id] = level;
    known_.clear();
  }

  Needs found_needs(Id id, const Axes& axes, const Space& space) {
    const hlo::Instruction& instruction = body_[id];
    check_array(instruction.shape);
    if (kept_.contains(id)) return of_kept(id, axes, space);
    Needs needs;
    if (is_scalar(id, space)) needs.scalars.insert(id);
    switch (instruction.opcode) {
      case hlo::Opcode::parameter:
        needs.add(of_array(id, axes, space));
        return needs;
      case hlo::Opcode::constant:
        check_constant(instruction);
        return needs;
      case hlo::Opcode::iota:
        if (held(instruction.shape.element_type) == Held::mask) throw NoCode("type", "a count of pred");
        needs.add_coordinates({axes[std::size_t(instruction.index)]});
        return needs;
      case hlo::Opcode::reduce:
        needs.add(of_reduction(id, axes, space));
        return needs;
      default:
        break;
    }
    if (is_move(instruction.opcode)) {
      needs.add(of_move(instruction, axes, space));
    } else {
      needs.add(of_operation(instruction, axes, space));
    }
    return needs;
  }

  Needs of_kept(Id id, const Axes& axes, const Space& space) {
    Needs needs = of_array(id, axes, space);
    needs.level = kept_.at(id) + 1;
    if (is_scalar(id, space)) needs.scalars.insert(id);
    return needs;
  }

  Needs of_array(Id id, const Axes& axes, const Space& space) {
    Needs needs;
    const hlo::Shape& shape = body_[id].shape;
    if (body_[id].opcode == hlo::Opcode::parameter && has_registers_of(shape, axes, space)) {
      needs.whole.insert(id);
      return needs;
    }
    check_located(shape, axes, space);
    needs.other.insert(id);
    const bool repeats = space.tiles.planes > 1 || space.tiles.lane_tiles > max_row_tiles;
    if (repeats && space.tiles.row_tiles <= max_spread_tiles && is_column(shape, axes, space))
      needs.columns.insert({id, axes});
    needs.add_coordinates(axes);
    return needs;
  }

  static void check_constant(const hlo::Instruction& constant) {
    if (!constant.literal) throw NoCode("constant", "a constant whose text is elided");
    const std::vector<double>& values = constant.literal->values;
    if (std::ranges::any_of(values, [&](double value) { return value != values.front(); }))
      throw NoCode("constant", "a constant of different elements");
  }

  Needs of_operation(const hlo::Instruction& instruction, const Axes& axes, const Space& space) {
    std::vector<hlo::ElementType> types;
    for (const Id operand : instruction.operands) types.push_back(body_[operand].shape.element_type);
    const bool known = hlo::is_elementwise(instruction.opcode) || instruction.opcode == hlo::Opcode::bitcast_convert;
    if (!known || !has_operation(instruction, types)) {
      throw NoCode(std::string(hlo::to_string(instruction.opcode)),
                   "%" + instruction.name + ", a " + std::string(hlo::to_string(instruction.opcode)) + " of " +
                       hlo::to_string(instruction.shape.element_type));
    }
    check_power(instruction);
    Needs needs;
    for (const Id operand : instruction.operands)
      needs.add(of_value(operand, body_[operand].shape.rank() == 0 ? Axes() : axes, space));
    return needs;
  }

  /// exp(y log x) is x^y for all y, NaN among them, only if x is positive and not 1.
  void check_power(const hlo::Instruction& instruction) const {
    if (instruction.opcode != hlo::Opcode::power) return;
    Id base = instruction.operands[0];
    while (body_[base].opcode == hlo::Opcode::broadcast) base = body_[base].operands[0];
    const auto& literal = body_[base].literal;
    if (body_[base].opcode == hlo::Opcode::constant && literal && !literal->values.empty() &&
        std::ranges::all_of(literal->values, [](double x) { return x > 0 && x != 1 && std::isfinite(x); })) {
      return;
    }
    throw NoCode("power", "a power whose base is not a positive constant");
  }

  Needs of_move(const hlo::Instruction& move, const Axes& axes, const Space& space) {
    const Id operand = move.operands[0];
    const hlo::Shape& shape = body_[operand].shape;
    const Axes inner = axes_of_operand(move, shape, axes);
    const bool repeats = move.opcode == hlo::Opcode::broadcast && shape.rank() > 0 && is_computed(operand) &&
                         shape.element_count() < space.shape.element_count();
    std::set<std::pair<Id, Axes>> seen;
    if (repeats && !reduces_row(operand, inner, space, seen)) keep(operand);
    return of_value(operand, inner, space);
  }

  /// False for arrays, and for their elements elsewhere or in another type.
  bool is_computed(Id id) const {
    const hlo::Opcode opcode = body_[id].opcode;
    if (opcode == hlo::Opcode::parameter || opcode == hlo::Opcode::constant || opcode == hlo::Opcode::iota ||
        opcode == hlo::Opcode::reduce) {
      return false;
    }
    if (opcode == hlo::Opcode::convert || is_move(opcode)) return is_computed(body_[id].operands[0]);
    return true;
  }

  Needs of_reduction(Id id, const Axes& axes, const Space& space) {
    const hlo::Instruction& reduce = body_[id];
    static_cast<void>(reducer_of(module_, body_, reduce));
    if (!is_of_row(reduce, axes, space)) {
      keep_reduction(id);
      return of_kept(id, axes, space);
    }
    const Id operand = reduce.operands[0];
    Axes inner(body_[operand].shape.dimensions.size(), Axis{space.lanes(), 0});
    const std::vector<int> kept = kept_dimensions(body_, reduce);
    for (std::size_t i = 0; i < kept.size(); ++i) inner[std::size_t(kept[i])] = axes[i];
    Needs needs = of_value(operand, inner, space);
    needs.reduces_rows = true;
    add_partial(space, needs);
    return needs;
  }

  /// True for a reduction over exactly the lanes of the space, of rows that an iteration holds.
  bool is_of_row(const hlo::Instruction& reduce, const Axes& axes, const Space& space) const {
    if (space.flat() || space.tiles.lane_tiles > max_row_tiles || reduce.dimensions.size() != 1) return false;
    const hlo::Shape& operand = body_[reduce.operands[0]].shape;
    return operand.dimensions[std::size_t(reduce.dimensions[0])] == space.size(space.lanes()) &&
           !depends_on(axes, space.lanes()) && !is_invariant(axes);
  }

  /// True if a value contains a reduction of its row. `seen` are those that have none, or are still being searched.
  bool reduces_row(Id id, const Axes& axes, const Space& space, std::set<std::pair<Id, Axes>>& seen) const {
    const hlo::Instruction& instruction = body_[id];
    if (kept_.contains(id) || !seen.emplace(id, axes).second) return false;
    if (instruction.opcode == hlo::Opcode::reduce) return is_of_row(instruction, axes, space);
    if (is_move(instruction.opcode)) {
      const Id operand = instruction.operands[0];
      return reduces_row(operand, axes_of_operand(instruction, body_[operand].shape, axes), space, seen);
    }
    return std::ranges::any_of(instruction.operands, [&](Id operand) {
      return body_[operand].shape.rank() > 0 && reduces_row(operand, axes, space, seen);
    });
  }

  void keep(Id id) {
    if (kept_.contains(id)) return;
    const Space space(body_[id].shape);
    const Needs needs = of_value(id, identity(space), space);
    sweep_at(needs.level, space, needs).kept.push_back(id);
    remember_kept(id, needs.level);
  }

  void keep_reduction(Id id) {
    if (kept_.contains(id)) return;
    const hlo::Instruction& reduce = body_[id];
    static_cast<void>(reducer_of(module_, body_, reduce));
    const Id operand = reduce.operands[0];
    const Space space(body_[operand].shape);
    Needs needs = of_value(operand, identity(space), space);
    Axes axes;
    for (const int d : kept_dimensions(body_, reduce)) axes.push_back({d, 0});
    check_located(reduce.shape, axes, space);
    needs.add_coordinates(axes);
    add_partial(space, needs);
    sweep_at(needs.level, space, needs).reductions.push_back(id);
    remember_kept(id, needs.level);
  }

  /// Registers that are not full are masked, by their position.
  static void add_partial(const Space& space, Needs& needs) {
    const auto add = [&](int dimension, std::int64_t unit) {
      if (dimension >= 0 && space.size(dimension) % unit != 0) needs.coordinates.insert(dimension);
    };
    if (space.flat()) return add(space.shape.rank() - 1, hlo::tile_lanes * hlo::tile_sublanes);
    add(space.lanes(), hlo::tile_lanes);
    add(space.rows(), hlo::tile_sublanes);
  }

  /// False for loops over unrelated arrays, which the compiler makes one op of.
  static bool shares_array(const Sweep& sweep, const Needs& needs) {
    if (needs.whole.empty()) return true;
    return std::ranges::any_of(needs.whole, [&](Id id) { return sweep.whole_parameters.contains(id); });
  }

  Sweep& sweep_at(int level, const Space& space, const Needs& needs) {
    auto found = std::ranges::find_if(sweeps_, [&](const auto& known) {
      return known.first == level && known.second.space == space && shares_array(known.second, needs);
    });
    if (found == sweeps_.end()) found = sweeps_.emplace(level, Sweep{.space = space});
    Sweep& sweep = found->second;
    sweep.whole_parameters.insert(needs.whole.begin(), needs.whole.end());
    sweep.other_parameters.insert(needs.other.begin(), needs.other.end());
    sweep.scalars.insert(needs.scalars.begin(), needs.scalars.end());
    sweep.columns.insert(needs.columns.begin(), needs.columns.end());
    sweep.coordinates.insert(needs.coordinates.begin(), needs.coordinates.end());
    sweep.reduces_rows |= needs.reduces_rows;
    return sweep;
  }

  /// The last sweep over the space that reads an array of the result: nothing waits for a result.
  Sweep& last_sweep(const Space& space, const Needs& needs) {
    int level = needs.level;
    for (const auto& [known, sweep] : sweeps_) {
      if (sweep.space == space && shares_array(sweep, needs)) level = std::max(level, known);
    }
    return sweep_at(level, space, needs);
  }

  const hlo::Module& module_;
  const hlo::Computation& body_;
  std::map<Id, int> kept_;                           ///< levels of the sweeps that compute them
  std::multimap<int, Sweep> sweeps_;                 ///< by level
  std::vector<std::pair<Space, KnownNeeds>> known_;  ///< since a value was kept last
};

}  // namespace

std::vector<Sweep> sweeps_of(const hlo::Module& module) { return Analysis(module).run(); }

}  // namespace podsim::sw::codegen::fusion
