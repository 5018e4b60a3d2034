// SPDX-License-Identifier: Apache-2.0
#include "sw/operators/operator_graph.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "hlo/transform/flops.h"
#include "hw/memory_levels.h"
#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/compiler/collective_op.h"
#include "sw/compiler/op_costs.h"
#include "sw/compiler/tiles/core_op.h"
#include "sw/compiler/tiles/op_work.h"

namespace podsim::sw::operators {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

[[noreturn]] void refuse(const hlo::Instruction& instruction, const char* why) {
  throw base::InputError(fmt::format("operations cannot be on devices of their own: %{} {}", instruction.name, why));
}

void require_shareable(const hlo::Module& module, std::int64_t replicas) {
  const bool has_numbers = module.replicas == 1 && module.partitions == replicas && replicas > 1;  // of its replicas
  if (module.scheduled)
    throw base::InputError("operations cannot be on devices of their own: the program is scheduled");
  const hlo::Computation& entry = module.entry_computation();
  for (const hlo::Donation& donation : module.donations) {
    const hlo::Instruction& parameter = entry[entry.parameters[std::size_t(donation.parameter)]];
    if (parameter.shape.is_tuple()) refuse(parameter, "is a tuple of values that a step replaces");
  }
  const std::vector<bool> executed = hlo::executed_computations(module);
  for (std::size_t number = 0; number < module.computations.size(); ++number) {
    for (const hlo::Instruction& instruction : module.computations[number].instructions) {
      if (instruction.phase != hlo::AsyncPhase::none) refuse(instruction, "is asynchronous");
      switch (instruction.opcode) {
        case Opcode::outfeed:
          refuse(instruction, "sends data to the host");
        case Opcode::send:
        case Opcode::recv:
        case Opcode::send_done:
        case Opcode::recv_done:
          refuse(instruction, "exchanges data with another program");
        case Opcode::partition_id:
          if (has_numbers) break;
          refuse(instruction, "reads the number of its device");
        case Opcode::replica_id:
          refuse(instruction, "reads the number of its device");
        default:
          break;
      }
      const bool is_inner = executed[number] && hlo::ComputationId(number) != module.entry;
      if (is_inner && hlo::is_collective(instruction.opcode))
        refuse(instruction, "is a collective in a loop or branch");
    }
  }
}

/// Sets of instructions, joined one by one.
class JoinedSets {
 public:
  explicit JoinedSets(std::size_t size) : first_(size) { std::iota(first_.begin(), first_.end(), 0); }
  InstructionId of(InstructionId id) {
    while (first_[std::size_t(id)] != id) {
      first_[std::size_t(id)] = first_[std::size_t(first_[std::size_t(id)])];
      id = first_[std::size_t(id)];
    }
    return id;
  }
  void join(InstructionId a, InstructionId b) {
    const InstructionId x = of(a), y = of(b);
    first_[std::size_t(std::max(x, y))] = std::min(x, y);
  }

 private:
  std::vector<InstructionId> first_;
};

class GraphReader {
 public:
  GraphReader(const hlo::Module& module, const TargetMachine& machine, const DeviceSet& set, compiler::OpCache* cache)
      : module_(module),
        entry_(module.entry_computation()),
        machine_(machine),
        set_(set),
        costs_(machine, cache),
        times_(machine),
        everywhere_(entry_.instructions.size(), false),
        is_state_(entry_.parameters.size(), false) {}

  OperatorGraph run() {
    find_everywhere();
    const std::size_t size = entry_.instructions.size();
    graph_.seconds.assign(size, 0);
    graph_.hbm_seconds.assign(size, 0);
    graph_.hbm_s_per_byte = 1 / machine_.hbm.stream_rate.si();
    find_waited_for();
    graph_.bytes.assign(size, 0);
    graph_.operands.resize(size);
    graph_.readers.resize(size);
    for (InstructionId id = 0; id < InstructionId(size); ++id) {
      if (!is_operation(id)) continue;
      const OpTime time = time_of(entry_, id);
      graph_.seconds[std::size_t(id)] = time.seconds;
      graph_.hbm_seconds[std::size_t(id)] = std::min(time.seconds, time.hbm);
      const hlo::Shape& shape = entry_[id].shape;
      if (!shape.is_tuple()) graph_.bytes[std::size_t(id)] = std::int64_t(hlo::logical_bytes(shape).value());
      add_edges(id);
    }
    find_clusters();
    find_links();
    return std::move(graph_);
  }

 private:
  bool is_operation(InstructionId id) const {
    const bool is_result = id == entry_.root && entry_[id].opcode == Opcode::tuple;
    return !everywhere_[std::size_t(id)] && !is_result;
  }

  // --- what is on all devices

  /// Begins with all states of one element as inputs, and takes back those whose new value is an operation's.
  void find_everywhere() {
    const hlo::Instruction& root = entry_[entry_.root];
    std::vector<std::pair<std::int64_t, InstructionId>> replaced;
    for (const hlo::Donation& donation : module_.donations) {
      replaced.emplace_back(donation.parameter,
                            root.opcode == Opcode::tuple ? root.operands[std::size_t(donation.output)] : entry_.root);
    }
    for (const auto& [parameter, value] : replaced) {
      const hlo::Shape& shape = entry_[entry_.parameters[std::size_t(parameter)]].shape;
      is_state_[std::size_t(parameter)] = shape.element_count() > 1 && entry_[value].opcode != Opcode::parameter;
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (InstructionId id = 0; id < InstructionId(everywhere_.size()); ++id) {
        everywhere_[std::size_t(id)] = may_be_everywhere(id);
      }
      for (const auto& [parameter, value] : replaced) {
        if (is_state_[std::size_t(parameter)] || everywhere_[std::size_t(value)]) continue;
        is_state_[std::size_t(parameter)] = changed = true;
      }
    }
  }

  bool may_be_everywhere(InstructionId id) const {
    const hlo::Instruction& instruction = entry_[id];
    switch (instruction.opcode) {
      case Opcode::parameter:
        return !is_state_[std::size_t(instruction.index)];
      case Opcode::constant:
      case Opcode::iota:
      case Opcode::after_all:
      case Opcode::infeed:
      case Opcode::partition_id:
        return true;
      case Opcode::get_tuple_element:
        return everywhere_[std::size_t(instruction.operands.front())];
      case Opcode::broadcast:
        return is_constant(instruction.operands.front());
      default:
        break;
    }
    if (!hlo::is_elementwise(instruction.opcode) && instruction.opcode != Opcode::fusion &&
        instruction.opcode != Opcode::reshape && instruction.opcode != Opcode::bitcast) {
      return false;
    }
    return !instruction.shape.is_tuple() && instruction.shape.element_count() <= 1 && !instruction.operands.empty() &&
           std::ranges::all_of(instruction.operands, [&](InstructionId operand) {
             const hlo::Shape& shape = entry_[operand].shape;
             return everywhere_[std::size_t(operand)] && !shape.is_tuple() && shape.element_count() <= 1;
           });
  }

  bool is_constant(InstructionId id) const {
    const hlo::Instruction& instruction = entry_[id];
    if (instruction.opcode == Opcode::constant) return true;
    return instruction.opcode == Opcode::broadcast && is_constant(instruction.operands.front());
  }

  // --- times

  struct OpTime {
    double seconds = 0, hbm = 0;
  };

  OpTime time_of(const hlo::Computation& computation, InstructionId id) {
    const hlo::Instruction& instruction = computation[id];
    if (hlo::is_collective(instruction.opcode)) return {collective_seconds(id), 0};
    if (compiler::tiles::is_core_op(computation, id)) {
      const compiler::tiles::OpWork work = compiler::tiles::op_work(module_, computation, id, machine_);
      const base::Bytes moved = (work.read_bytes() + work.stored_bytes())[hw::level::hbm];
      return {double(costs_.cycles(module_, computation, id).value()) / machine_.clock.si(),
              double(moved.value()) / machine_.hbm.stream_rate.si()};
    }
    const bool is_conditional = instruction.opcode == Opcode::conditional;
    if (!is_conditional && instruction.opcode != Opcode::while_loop && instruction.opcode != Opcode::call) return {};
    OpTime all, most;
    for (const hlo::ComputationId called : instruction.called) {
      const OpTime own = time_of(called);
      all = {all.seconds + own.seconds, all.hbm + own.hbm};
      if (own.seconds > most.seconds) most = own;
    }
    const double trips = double(std::max<std::int64_t>(1, instruction.trip_count));
    return is_conditional ? most : OpTime{all.seconds * trips, all.hbm * trips};
  }

  OpTime time_of(hlo::ComputationId called) {
    if (const auto known = called_.find(called); known != called_.end()) return known->second;
    const hlo::Computation& body = module_.computations[std::size_t(called)];
    OpTime sum;
    for (InstructionId id = 0; id < InstructionId(body.instructions.size()); ++id) {
      const OpTime own = time_of(body, id);
      sum = {sum.seconds + own.seconds, sum.hbm + own.hbm};
    }
    return called_[called] = sum;
  }

  bool is_product(InstructionId id) const {
    const hlo::Instruction& instruction = entry_[id];
    if (hlo::transform::is_matmul(instruction.opcode)) return true;
    return std::ranges::any_of(instruction.called, [&](hlo::ComputationId called) {
      const auto& body = module_.computations[std::size_t(called)].instructions;
      return std::ranges::any_of(body, hlo::transform::is_matmul, &hlo::Instruction::opcode);
    });
  }

  /// Marks the values that reach a product or a collective.
  void find_waited_for() {
    waited_for_.assign(entry_.instructions.size(), false);
    for (auto id = InstructionId(waited_for_.size()); id-- > 0;) {
      const bool waits = waited_for_[std::size_t(id)] || is_product(id) || hlo::is_collective(entry_[id].opcode);
      if (!waits) continue;
      for (const InstructionId operand : entry_[id].operands) waited_for_[std::size_t(operand)] = true;
    }
  }

  /// A collective over the first devices of the replicas; of one replica it is no work.
  double collective_seconds(InstructionId id) {
    if (set_.replicas == 1) return 0;
    collectives::CollectiveGroups::Ranks ranks;
    for (std::int64_t replica = 0; replica < set_.replicas; ++replica) {
      ranks.push_back(std::int32_t(replica * set_.devices));
    }
    const compiler::CollectiveOp collective = compiler::collective_op(entry_, id);
    if (collective.kind == collectives::CollectiveKind::collective_permute) ranks.resize(2);
    const collectives::CollectiveGroups group({ranks});
    collectives::schedule::CollectiveRequest request = compiler::request_of(collective);
    const double seconds = times_.estimate(set_.slice, group, request).si();
    if (waited_for_[std::size_t(id)]) return seconds;
    request.elements = 1;
    return std::max(0.0, seconds - times_.estimate(set_.slice, group, request).si());
  }

  // --- edges and clusters

  void add_edges(InstructionId id) {
    std::vector<InstructionId>& operands = graph_.operands[std::size_t(id)];
    for (const InstructionId operand : entry_[id].operands) {
      if (!is_operation(operand) || std::ranges::find(operands, operand) != operands.end()) continue;
      operands.push_back(operand);
      graph_.readers[std::size_t(operand)].push_back(id);
    }
  }

  void find_clusters() {
    const auto size = InstructionId(entry_.instructions.size());
    JoinedSets sets{std::size_t(size)};
    for (InstructionId id = 0; id < size; ++id) {
      if (!is_operation(id)) continue;
      const std::vector<InstructionId>& operands = graph_.operands[std::size_t(id)];
      for (const InstructionId operand : operands) {
        if (entry_[operand].shape.is_tuple()) sets.join(operand, id);
      }
      if (graph_.seconds[std::size_t(id)] == 0 && operands.size() == 1) sets.join(operands.front(), id);
    }
    const hlo::Instruction& root = entry_[entry_.root];
    for (const hlo::Donation& donation : module_.donations) {
      const InstructionId parameter = entry_.parameters[std::size_t(donation.parameter)];
      if (!is_held(parameter)) continue;
      sets.join(parameter, root.opcode == Opcode::tuple ? root.operands[std::size_t(donation.output)] : entry_.root);
    }
    std::map<InstructionId, int> numbers;
    graph_.cluster.assign(std::size_t(size), -1);
    for (InstructionId id = 0; id < size; ++id) {
      if (!is_operation(id)) continue;
      const auto number = numbers.try_emplace(sets.of(id), int(numbers.size())).first;
      graph_.cluster[std::size_t(id)] = number->second;
    }
    graph_.clusters = int(numbers.size());
  }

  bool is_held(InstructionId id) const {
    return entry_[id].opcode == Opcode::parameter && is_state_[std::size_t(entry_[id].index)];
  }

  // --- links

  /// From the times of a small and a large transfer. Transfers between two chips have one route, those on a chip one
  /// for each pair of cores.
  void find_links() {
    constexpr std::int64_t small = 1 << 12, large = 1 << 22;
    graph_.links.assign(std::size_t(set_.devices), std::vector<LinkTime>(std::size_t(set_.devices)));
    for (int from = 0; from < set_.devices; ++from) {
      for (int to = 0; to < set_.devices; ++to) {
        if (from == to) continue;
        const double few = transfer_seconds(from, to, small), many = transfer_seconds(from, to, large);
        LinkTime& link = graph_.links[std::size_t(from)][std::size_t(to)];
        link.s_per_byte = (many - few) / double(large - small);
        link.route = route_of(from, to);
        link.latency_s = std::max(0.0, few - link.s_per_byte * double(small));
      }
    }
  }

  int route_of(int from, int to) {
    const auto cores = int(machine_.cores_per_chip);
    const bool is_on_chip = from / cores == to / cores;
    const std::pair<int, int> ends = is_on_chip ? std::pair(from, to) : std::pair(-1 - from / cores, -1 - to / cores);
    const int route = routes_.try_emplace(ends, int(routes_.size())).first->second;
    graph_.routes = int(routes_.size());
    return route;
  }

  double transfer_seconds(int from, int to, std::int64_t bytes) {
    const collectives::schedule::CollectiveRequest request{
        .kind = collectives::CollectiveKind::collective_permute, .type = hlo::ElementType::u8, .elements = bytes};
    const collectives::CollectiveGroups pair({{std::int32_t(from), std::int32_t(to)}});
    return times_.min_time(set_.slice, pair, request).si();
  }

  const hlo::Module& module_;
  const hlo::Computation& entry_;
  const TargetMachine& machine_;
  const DeviceSet& set_;
  compiler::OpCosts costs_;
  collectives::engine::CollectiveTimes times_;
  std::map<hlo::ComputationId, OpTime> called_;  ///< of one execution
  std::vector<bool> waited_for_;                 ///< by instruction: a product or collective depends on it
  std::map<std::pair<int, int>, int> routes_;    ///< by cores of a chip, or by chips as negative numbers
  std::vector<bool> everywhere_;                 ///< by instruction
  std::vector<bool> is_state_;                   ///< by parameter
  OperatorGraph graph_;
};

}  // namespace

double OperatorGraph::work() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

WeightedGraph OperatorGraph::cluster_graph() const {
  LinkTime slowest;
  for (const auto& of_device : links) {
    for (const LinkTime& link : of_device) {
      slowest.latency_s = std::max(slowest.latency_s, link.latency_s);
      slowest.s_per_byte = std::max(slowest.s_per_byte, link.s_per_byte);
    }
  }
  std::map<std::pair<int, int>, double> between;
  WeightedGraph graph{std::vector<double>(std::size_t(clusters), 0), {}};
  graph.edges.resize(std::size_t(clusters));
  for (std::size_t id = 0; id < cluster.size(); ++id) {
    if (cluster[id] < 0) continue;
    graph.weights[std::size_t(cluster[id])] += seconds[id];
    for (const InstructionId operand : operands[id]) {
      const int a = cluster[std::size_t(operand)], b = cluster[id];
      if (a == b) continue;
      between[{std::min(a, b), std::max(a, b)}] +=
          slowest.latency_s + slowest.s_per_byte * double(bytes[std::size_t(operand)]);
    }
  }
  for (const auto& [pair, weight] : between) {
    graph.edges[std::size_t(pair.first)].emplace_back(pair.second, weight);
    graph.edges[std::size_t(pair.second)].emplace_back(pair.first, weight);
  }
  return graph;
}

OperatorGraph operator_graph(const hlo::Module& fused, const TargetMachine& machine, const DeviceSet& set,
                             compiler::OpCache* cache) {
  const std::int64_t programs = fused.replicas * fused.partitions;
  if (programs != 1 && programs != set.replicas) {
    throw base::InputError(
        fmt::format("operations cannot be on devices of their own: the program is one of {} devices, "
                    "the slice has {} replicas",
                    programs, set.replicas));
  }
  require_shareable(fused, set.replicas);
  return GraphReader(fused, machine, set, cache).run();
}

}  // namespace podsim::sw::operators
