// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/layout/dimension_order.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "hlo/renaming.h"
#include "hlo/transform/executions.h"
#include "sw/compiler/fuse/fusion_plan.h"
#include "sw/compiler/layout/dimension_links.h"
#include "sw/compiler/layout/layout_classes.h"
#include "sw/compiler/layout/layout_cost.h"

namespace podsim::sw::compiler::layout {
namespace {

using Order = std::vector<int>;  ///< minor to major

constexpr int max_rounds = 4;  ///< over all classes; one choice may change what its neighbours gain

Order order_of_text(int rank) {
  Order order(static_cast<std::size_t>(rank));
  for (int i = 0; i < rank; ++i) order[std::size_t(i)] = rank - 1 - i;
  return order;
}

/// The order of the text with a dimension moved to a position.
Order with_moved(Order order, int dimension, std::size_t place) {
  std::erase(order, dimension);
  order.insert(order.begin() + std::ptrdiff_t(place), dimension);
  return order;
}

/// Gives an array the order of its class.
void set_order(const ClassMember& member, const Order& order) {
  std::vector<int>& minor_to_major = member.shape->minor_to_major;
  minor_to_major.clear();
  bool is_text = true;
  for (std::size_t i = 0; i < order.size(); ++i) {
    minor_to_major.push_back(member.dimension[std::size_t(order[i])]);
    is_text = is_text && minor_to_major.back() == int(order.size() - 1 - i);
  }
  if (is_text) minor_to_major.clear();
}

void set_order(const LayoutClass& arrays, const Order& order) {
  for (const ClassMember& member : arrays.members) set_order(member, order);
}

/// Gives the arrays of a fixed class its order, and leaves alone those that have it.
void spread_fixed_order(const LayoutClass& arrays) {
  for (const ClassMember& member : arrays.members) {
    std::vector<int> minor_to_major;
    for (const int dimension : *arrays.is_fixed) minor_to_major.push_back(member.dimension[std::size_t(dimension)]);
    const bool has_it = member.shape->minor_to_major.empty() && minor_to_major == order_of_text(arrays.rank());
    if (!has_it) member.shape->minor_to_major = std::move(minor_to_major);
  }
}

/// The classes of a module while their orders are chosen.
class Chooser {
 public:
  Chooser(hlo::Module& module, const TargetMachine& machine)
      : module_(module), machine_(machine), classes_(layout_classes(module)) {
    bytes_per_cycle_ = machine.hbm.stream_rate.si() / machine.clock.si();
    executions_ = hlo::transform::executions(module);
    count_traffic();
    for (const hlo::Computation& computation : module.computations)
      fused_.push_back(fuse::into_reductions(computation));
    for (const LayoutClass& arrays : classes_) {
      orders_.push_back(arrays.is_fixed.value_or(order_of_text(arrays.rank())));
      if (arrays.is_fixed) spread_fixed_order(arrays);
      timed_.push_back(timed_ops(arrays));
    }
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      for (const ClassMember& member : classes_[i].members) class_of_[member.shape] = {i, &member};
    }
    for (const hlo::Computation& computation : module.computations)
      changed_.emplace_back(computation.instructions.size(), 0);
    find_reshapes();
    find_networks();
  }

  void run() {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      if (!classes_[i].is_fixed && classes_[i].rank() > 1) open.push_back(i);
    }
    std::ranges::stable_sort(open, std::ranges::greater{}, [&](std::size_t i) { return traffic(i, orders_[i]); });
    for (int round = 0; round < max_rounds; ++round) {
      bool any = false;
      for (const std::size_t i : open) any = improve(i) || any;
      if (!any) return;
    }
  }

 private:
  /// Equal arrays of a class, and how often they move together.
  struct Moved {
    hlo::Shape shape;
    std::vector<int> dimension;  ///< of the array, by dimension of the class
    double count = 0;            ///< passages of whole arrays
  };

  /// Arrays of two classes between which a reshape splits or merges dimensions.
  struct Reshaped {
    std::size_t other = 0;  ///< the other class
    const ClassMember *mine = nullptr, *its = nullptr;
    std::map<Order, std::optional<Order>> implied = {};  ///< of the other class, by order of this one, as far as known
  };

  void find_reshapes() {
    reshaped_.resize(classes_.size());
    for (hlo::Computation& computation : module_.computations) {
      for (const hlo::Instruction& reshape : computation.instructions) {
        if (reshape.opcode != hlo::Opcode::reshape) continue;
        const auto from = class_of_.find(&computation[reshape.operands[0]].shape), to = class_of_.find(&reshape.shape);
        if (from == class_of_.end() || to == class_of_.end()) continue;
        const auto [a, operand] = from->second;
        const auto [b, result] = to->second;
        if (a == b || classes_[a].is_fixed || classes_[b].is_fixed) continue;
        reshaped_[a].push_back({b, operand, result});
        reshaped_[b].push_back({a, result, operand});
      }
    }
  }

  /// Orders of several classes.
  using Orders = std::map<std::size_t, Order>;

  struct Price {
    double moving = 0;  ///< reshapes that change the order of elements, as often as they run
    double bytes = 0;
    double cycles = 0;  ///< of units and traffic
  };
  struct OpPrice {
    int priced = -1;  ///< the change of orders behind which it was found; -1: it is unknown
    bool moves = false;
    double cycles = 0;
  };
  /// Orders of all classes of a network, and the prices of its ops under them. Where reshapes allow them, each order
  /// implies all others but for dimensions of one element, so that they are found once for all classes.
  struct Trial {
    Orders orders;
    std::vector<OpPrice> prices;  ///< by op of the network
  };
  /// Classes that reshapes connect.
  struct Network {
    std::vector<std::size_t> classes;
    std::vector<InstructionPlace> ops;  ///< whose time depends on them, in program order
    bool is_indexed = false;            ///< whether rows of any of them are gathered or scattered
    Trial now = {};                     ///< the orders chosen last
    std::vector<Trial> trials = {};
  };

  void find_networks() {
    network_of_.assign(classes_.size(), -1);
    for (std::size_t first = 0; first < classes_.size(); ++first) {
      if (network_of_[first] >= 0 || reshaped_[first].empty()) continue;
      const int number = int(networks_.size());
      Network& network = networks_.emplace_back();
      network.classes = {first};
      network_of_[first] = number;
      for (std::size_t next = 0; next < network.classes.size(); ++next) {
        for (const Reshaped& reshaped : reshaped_[network.classes[next]]) {
          if (std::exchange(network_of_[reshaped.other], number) < 0) network.classes.push_back(reshaped.other);
        }
      }
      for (const std::size_t i : network.classes) {
        network.ops.insert(network.ops.end(), timed_[i].begin(), timed_[i].end());
        network.is_indexed = network.is_indexed || !classes_[i].indexed.empty();
        network.now.orders[i] = orders_[i];
      }
      sort_once(network.ops);
      network.now.prices.resize(network.ops.size());
    }
  }

  static void sort_once(std::vector<InstructionPlace>& ops) {
    std::ranges::sort(ops);
    const auto repeated = std::ranges::unique(ops);
    ops.erase(repeated.begin(), repeated.end());
  }

  /// The order of the other class for which a reshape moves nothing if this class has `order`; nothing if there is
  /// none.
  const std::optional<Order>& implied(Reshaped& reshaped, const Order& order) {
    const auto [known, is_new] = reshaped.implied.try_emplace(order);
    if (!is_new) return known->second;
    hlo::Shape mine = *reshaped.mine->shape;
    set_order({&mine, {}, reshaped.mine->dimension}, order);
    if (const std::optional<Order> other = hlo::order_for_renaming(mine, *reshaped.its->shape)) {
      known->second = renamed(*other, inverse(reshaped.its->dimension));
    }
    return known->second;
  }

  bool is_possible(std::size_t i, const Order& order) const { return order == orders_[i] || !is_indexed(i, order[0]); }

  /// Whether a reshape moves nothing if its classes have these orders. Dimensions of one element may be anywhere.
  bool moves_nothing(Reshaped& reshaped, const Order& mine, const Order& its) {
    if (const std::optional<Order>& other = implied(reshaped, mine); !other || *other == its) return other.has_value();
    hlo::Shape a = *reshaped.mine->shape, b = *reshaped.its->shape;
    set_order({&a, {}, reshaped.mine->dimension}, mine);
    set_order({&b, {}, reshaped.its->dimension}, its);
    return hlo::keeps_order(a, b);
  }

  /// The order of a class for which no reshape between it and classes with orders moves anything; nothing if there is
  /// none. Each reshape implies one, and a reshape of an array with more long dimensions implies more.
  std::optional<Order> implied_by(const Orders& orders, std::size_t i) {
    const auto is_fit = [&](const Order& order) {
      return is_possible(i, order) && std::ranges::all_of(reshaped_[i], [&](Reshaped& reshaped) {
               const auto known = orders.find(reshaped.other);
               return known == orders.end() || moves_nothing(reshaped, order, known->second);
             });
    };
    for (const Reshaped& mine : reshaped_[i]) {
      const auto known = orders.find(mine.other);
      if (known == orders.end()) continue;
      for (Reshaped& its : reshaped_[mine.other]) {
        if (its.mine != mine.its || its.its != mine.mine) continue;
        if (const std::optional<Order>& order = implied(its, known->second); order && is_fit(*order)) return order;
      }
    }
    return std::nullopt;
  }

  /// If a class has an order, the orders of the classes that reshapes connect with it for which the reshapes move
  /// nothing. Nothing if a reshape allows none or if two of them contradict each other.
  std::optional<Orders> with_reshaped(std::size_t i, const Order& order) {
    Orders orders{{i, order}};
    std::vector<std::size_t> open{i};
    while (!open.empty()) {
      const std::size_t from = open.back();
      open.pop_back();
      for (Reshaped& reshaped : reshaped_[from]) {
        if (const auto known = orders.find(reshaped.other); known != orders.end()) {
          if (!moves_nothing(reshaped, orders.at(from), known->second)) return std::nullopt;
          continue;
        }
        std::optional<Order> other = implied_by(orders, reshaped.other);
        if (!other) return std::nullopt;
        orders.emplace(reshaped.other, *std::move(other));
        open.push_back(reshaped.other);
      }
    }
    return orders;
  }

  /// The trial of a network in which a class has an order; null if there is none.
  Trial* trial_with(Network& network, std::size_t i, const Order& order) {
    const auto has_it = [&](const Trial& trial) { return trial.orders.at(i) == order; };
    if (const auto known = std::ranges::find_if(network.trials, has_it); known != network.trials.end()) {
      const bool possible = !network.is_indexed || std::ranges::all_of(known->orders, [&](const auto& of_class) {
        return is_possible(of_class.first, of_class.second);
      });
      return possible ? &*known : nullptr;
    }
    if (!network.is_indexed && impossible_.contains({i, order})) return nullptr;
    std::optional<Orders> orders = with_reshaped(i, order);
    if (!orders) {
      impossible_.insert({i, order});
      return nullptr;
    }
    return &network.trials.emplace_back(Trial{*std::move(orders), std::vector<OpPrice>(network.ops.size())});
  }

  /// Has the arrays of an op the order that a trial gives them, or that was chosen last.
  void set_arrays_of(const InstructionPlace& place, const Orders& orders) {
    hlo::Computation& computation = module_.computations[std::size_t(place.computation)];
    hlo::Instruction& op = computation.instructions[std::size_t(place.instruction)];
    const auto set = [&](const hlo::Shape& shape) {
      const auto known = class_of_.find(&shape);
      if (known == class_of_.end()) return;
      const auto of_trial = orders.find(known->second.first);
      if (of_trial != orders.end()) set_order(*known->second.second, of_trial->second);
    };
    set(op.shape);
    for (const hlo::InstructionId operand : op.operands) set(computation[operand].shape);
  }

  /// The price of a trial of a network. Prices of ops are found again where orders of their arrays have changed.
  Price price(const Network& network, Trial& trial) {
    Price sum;
    for (const auto& [i, order] : trial.orders) sum.bytes += traffic(i, order);
    sum.cycles = sum.bytes / bytes_per_cycle_;
    for (std::size_t number = 0; number < network.ops.size(); ++number) {
      const auto& [c, id] = network.ops[number];
      OpPrice& op = trial.prices[number];
      if (op.priced < changed_[std::size_t(c)][std::size_t(id)]) {
        set_arrays_of(network.ops[number], trial.orders);
        op = price_of(network.ops[number]);
        set_arrays_of(network.ops[number], network.now.orders);
      }
      add(sum, op, executions_[std::size_t(c)]);
    }
    return sum;
  }

  static void add(Price& sum, const OpPrice& op, double times) {
    sum.moving += op.moves ? times : 0;
    sum.cycles += op.cycles * times;
  }

  /// Chooses an order for a class.
  void choose(std::size_t i, const Order& order) {
    orders_[i] = order;
    set_order(classes_[i], order);
    if (network_of_[i] >= 0) networks_[std::size_t(network_of_[i])].now.orders[i] = order;
    ++changes_;
    for (const auto& [c, id] : timed_[i]) changed_[std::size_t(c)][std::size_t(id)] = changes_;
  }

  /// Counts how often the arrays move: once when they are made, and once for every op that reads them, in a loop's body
  /// as often as it runs. Ops that read or replace a part of an array move this part.
  void count_traffic() {
    std::vector<std::vector<double>> moves;
    for (const hlo::Computation& computation : module_.computations) moves.push_back(times_moved(computation));
    for (const LayoutClass& arrays : classes_) {
      std::map<std::tuple<hlo::ElementType, std::vector<std::int64_t>, std::vector<int>>, double> counts;
      for (const ClassMember& member : arrays.members) {
        const auto [c, id] = member.place;
        const hlo::Computation& computation = module_.computations[std::size_t(c)];
        if (names_values(computation[id])) continue;
        const double count = moves[std::size_t(c)][std::size_t(id)] * executions_[std::size_t(c)];
        if (count > 0) counts[{member.shape->element_type, member.shape->dimensions, member.dimension}] += count;
      }
      std::vector<Moved>& moved = moved_.emplace_back();
      for (const auto& [form, count] : counts) {
        const auto& [type, dimensions, dimension] = form;
        moved.push_back({hlo::make_shape(type, dimensions), dimension, count});
      }
    }
  }

  static std::vector<double> times_moved(const hlo::Computation& computation) {
    const std::vector<std::vector<hlo::InstructionId>> users = hlo::users_of(computation);
    std::vector<double> counts;
    for (hlo::InstructionId id = 0; id < hlo::InstructionId(users.size()); ++id) {
      counts.push_back(is_stored(computation[id]) ? share_moved(computation, id, id) : 0);
      for (const hlo::InstructionId user : users[std::size_t(id)])
        counts.back() += is_stored(computation[user]) ? share_moved(computation, user, id) : 0;
    }
    return counts;
  }

  /// The share of an array, an operand or the result of an op, that the op moves.
  static double share_moved(const hlo::Computation& computation, hlo::InstructionId op, hlo::InstructionId array) {
    const hlo::Instruction& instruction = computation[op];
    const std::vector<hlo::InstructionId>& operands = instruction.operands;
    const bool is_whole = array != op && (operands.empty() || operands[0] != array);
    const auto share_of = [&](hlo::InstructionId part) {
      const auto all = double(computation[array].shape.element_count());
      return all > 0 ? std::min(1.0, double(computation[part].shape.element_count()) / all) : 1;
    };
    switch (is_whole ? hlo::Opcode::tuple : instruction.opcode) {
      case hlo::Opcode::dynamic_slice:
        return share_of(op);
      case hlo::Opcode::dynamic_update_slice:
        return share_of(operands[1]);
      default:
        return 1;
    }
  }

  static bool is_stored(const hlo::Instruction& instruction) {
    return !fuse::is_fusible_producer(instruction) && !names_values(instruction);
  }

  /// True for other names of values. A tuple is none: what it holds is stored.
  static bool names_values(const hlo::Instruction& instruction) {
    switch (instruction.opcode) {
      case hlo::Opcode::bitcast:
      case hlo::Opcode::get_tuple_element:
      case hlo::Opcode::opt_barrier:
      case hlo::Opcode::transpose:
        return true;
      default:
        return false;
    }
  }

  /// The instructions whose time depends on the order of a class.
  std::vector<InstructionPlace> timed_ops(const LayoutClass& arrays) const {
    std::vector<InstructionPlace> ops = arrays.readers;
    for (const ClassMember& member : arrays.members) ops.push_back(member.place);
    std::ranges::sort(ops);
    const auto repeated = std::ranges::unique(ops);
    ops.erase(repeated.begin(), repeated.end());
    std::erase_if(ops, [&](const InstructionPlace& place) {
      const hlo::Instruction& instruction = module_.computations[std::size_t(place.computation)][place.instruction];
      return instruction.shape.is_tuple() || names_only(instruction);
    });
    return ops;
  }

  static bool names_only(const hlo::Instruction& instruction) {
    switch (instruction.opcode) {
      case hlo::Opcode::parameter:
      case hlo::Opcode::constant:
      case hlo::Opcode::get_tuple_element:
        return true;
      default:
        return hlo::is_collective(instruction.opcode);
    }
  }

  /// Bytes that move if a class has an order.
  double traffic(std::size_t i, const Order& order) {
    double bytes = 0;
    for (Moved& moved : moved_[i]) {
      moved.shape.minor_to_major.clear();
      for (const int d : order) moved.shape.minor_to_major.push_back(moved.dimension[std::size_t(d)]);
      bytes += double(moved.count) * double(hlo::padded_bytes(moved.shape).value());
    }
    return bytes;
  }

  /// Cycles of units and traffic of a reshape, with the copy that order_reshapes() puts in front of it or behind it.
  double reshape_cycles(const hlo::Computation& computation, hlo::InstructionId id) const {
    const hlo::Instruction& reshape = computation[id];
    const hlo::Shape& operand = computation[reshape.operands[0]].shape;
    if (hlo::is_renaming(operand, reshape.shape)) return 0;
    if (!hlo::keeps_order(operand, reshape.shape)) {
      if (const std::optional<Order> before = hlo::order_for_renaming(reshape.shape, operand)) {
        const hlo::Shape copied = ordered(operand, *before);
        return copy_cycles(computation, reshape.operands[0], copied) + renaming_cycles(copied, reshape.shape);
      }
      const std::optional<Order> after = hlo::order_for_renaming(operand, reshape.shape);
      const hlo::Shape kept = ordered(reshape.shape, after.value_or(Order{}));
      const hlo::Shape read = after ? operand : ordered(operand, {});
      const double first = after ? 0 : copy_cycles(computation, reshape.operands[0], read);
      return first + renaming_cycles(read, kept) + copy_cycles(computation, id, kept);  // which copies from `kept`
    }
    return unit_cycles(computation, reshape, machine_) + passage_cycles(operand, reshape.shape);
  }

  static hlo::Shape ordered(hlo::Shape shape, const Order& order) {
    shape.minor_to_major = order;
    return shape;
  }

  /// Cycles of a copy between the order of an array and another one.
  double copy_cycles(const hlo::Computation& computation, hlo::InstructionId array, const hlo::Shape& other) const {
    hlo::Instruction copy;
    copy.opcode = hlo::Opcode::copy;
    copy.operands = {array};
    copy.shape = other;
    return unit_cycles(computation, copy, machine_) + passage_cycles(computation[array].shape, other);
  }

  /// Cycles of the traffic of a reshape that keeps the order of elements.
  double renaming_cycles(const hlo::Shape& read, const hlo::Shape& written) const {
    return hlo::is_renaming(read, written) ? 0 : passage_cycles(read, written);
  }

  /// Cycles in which an array is read and another one is written.
  double passage_cycles(const hlo::Shape& read, const hlo::Shape& written) const {
    return double((hlo::padded_bytes(read) + hlo::padded_bytes(written)).value()) / bytes_per_cycle_;
  }

  /// The price of the order that the arrays of a class have.
  Price price(std::size_t i, const Order& order) {
    Price sum;
    sum.bytes = traffic(i, order);
    sum.cycles = sum.bytes / bytes_per_cycle_;
    for (const InstructionPlace& op : timed_[i]) {
      add(sum, price_of(op), executions_[std::size_t(op.computation)]);
    }
    return sum;
  }

  OpPrice price_of(const InstructionPlace& place) const {
    const auto& [c, id] = place;
    const hlo::Computation& computation = module_.computations[std::size_t(c)];
    const hlo::Instruction& op = computation[id];
    OpPrice price{.priced = changes_};
    if (op.opcode != hlo::Opcode::reshape) {
      price.cycles = unit_cycles(computation, op, machine_);
      return price;
    }
    price.moves = !hlo::keeps_order(computation[op.operands[0]].shape, op.shape);
    price.cycles = fused_[std::size_t(c)][std::size_t(id)] ? unit_cycles(computation, op, machine_)
                                                           : reshape_cycles(computation, id);
    return price;
  }

  /// Compares different numbers of moving reshapes: fewer are better unless the arrays are padded much more.
  bool moves_or_pads_less(const Price& a, const Price& b) const {
    const double much = machine_.passes.reshape_padding;
    return a.moving < b.moving ? a.bytes <= much * b.bytes : b.bytes > much * a.bytes;
  }

  bool is_better(const Price& other, const Price& now) const {
    if (other.moving < now.moving) return moves_or_pads_less(other, now);
    if (other.moving > now.moving) return moves_or_pads_less(other, now) && other.cycles < now.cycles;
    const bool pads_less = other.bytes < now.bytes && other.cycles <= now.cycles;
    return pads_less || other.cycles < (1 - machine_.passes.order_gain) * now.cycles;
  }

  /// Whether rows are gathered or scattered along a dimension of a class, so that it cannot be in the lanes.
  bool is_indexed(std::size_t i, int dimension) const {
    return std::ranges::find(classes_[i].indexed, dimension) != classes_[i].indexed.end();
  }

  /// Orders worth a trial: each dimension that may be there in the lanes, with the others as in the text or with the
  /// sublanes that pad the class less.
  std::vector<Order> candidates(std::size_t i) {
    std::vector<Order> found;
    const int rank = classes_[i].rank();
    for (int lanes = 0; lanes < rank; ++lanes) {
      if (is_indexed(i, lanes)) continue;
      Order best = with_moved(order_of_text(rank), lanes, 0);
      double least = traffic(i, best);
      const Order usual = best;
      for (int sublanes = 0; sublanes < rank; ++sublanes) {
        if (sublanes == lanes || sublanes == usual[1]) continue;
        const Order other = with_moved(usual, sublanes, 1);
        const double bytes = traffic(i, other);
        if (bytes >= least) continue;
        least = bytes;
        best = other;
      }
      found.push_back(best);
    }
    return found;
  }

  /// Orders of some classes, by how much better they are than the present ones.
  struct Choice {
    Orders orders;
    double moving = 0;  ///< reshapes more than now
    double cycles = 0;  ///< more than now
    bool precedes(const Choice& other) const {
      return other.orders.empty() || std::tie(moving, cycles) < std::tie(other.moving, other.cycles);
    }
  };

  void consider(Choice& best, Orders orders, const Price& other, const Price& now) const {
    if (!is_better(other, now)) return;
    Choice choice{std::move(orders), other.moving - now.moving, other.cycles - now.cycles};
    if (choice.precedes(best)) best = std::move(choice);
  }

  /// Tries every order of a class, alone and with the classes that reshapes connect with it.
  bool improve(std::size_t i) {
    const Price now = price(i, orders_[i]);
    Choice best;
    for (const Order& order : candidates(i)) {
      if (order == orders_[i]) continue;
      set_order(classes_[i], order);
      const Price alone = price(i, order);
      set_order(classes_[i], orders_[i]);
      consider(best, {{i, order}}, alone, now);
    }
    if (network_of_[i] >= 0) {
      Choice together = best_with_reshaped(i, networks_[std::size_t(network_of_[i])]);
      const bool is_best = best.orders.empty() || together.cycles < best.cycles;
      if (!together.orders.empty() && is_best) best = std::move(together);
    }
    for (const auto& [changed, order] : best.orders) choose(changed, order);
    return !best.orders.empty();
  }

  Choice best_with_reshaped(std::size_t i, Network& network) {
    Choice best;
    for (const Order& order : candidates(i)) {
      if (order == orders_[i]) continue;
      Trial* trial = trial_with(network, i, order);
      if (trial == nullptr) continue;
      consider(best, trial->orders, price(network, *trial), price(network, network.now));
    }
    return best;
  }

  hlo::Module& module_;
  const TargetMachine& machine_;
  std::vector<LayoutClass> classes_;
  double bytes_per_cycle_ = 1;
  std::vector<double> executions_;                    ///< by computation
  std::vector<std::vector<Moved>> moved_;             ///< by class
  std::vector<std::vector<bool>> fused_;              ///< by computation: reshapes that are fused with reductions
  std::vector<Order> orders_;                         ///< by class
  std::vector<std::vector<InstructionPlace>> timed_;  ///< by class
  std::vector<std::vector<Reshaped>> reshaped_;       ///< by class
  std::map<const hlo::Shape*, std::pair<std::size_t, const ClassMember*>> class_of_;
  std::vector<Network> networks_;
  std::vector<int> network_of_;                         ///< by class; -1: no reshape connects it with others
  std::set<std::pair<std::size_t, Order>> impossible_;  ///< orders that contradict others of their network
  int changes_ = 0;                                     ///< orders chosen so far
  std::vector<std::vector<int>> changed_;               ///< by instruction: the last change of its arrays; 0: none
};

}  // namespace

void assign_dimension_orders(hlo::Module& module, const TargetMachine& machine) { Chooser(module, machine).run(); }

}  // namespace podsim::sw::compiler::layout
