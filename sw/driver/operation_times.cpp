// SPDX-License-Identifier: Apache-2.0
#include "sw/driver/operation_times.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "hlo/pipeline/chunk_functions.h"
#include "sw/compiler/op_costs.h"
#include "sw/compiler/tiles/core_op.h"
#include "sw/driver/compile.h"

namespace podsim::sw::driver {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

/// By instruction: the first activation that depends on it, itself if it is one, -1 if there is none.
std::vector<InstructionId> first_activations(const hlo::pipeline::Network& network) {
  const hlo::pipeline::Origins origins = hlo::pipeline::find_origins(network);
  std::vector<InstructionId> first(std::size_t(network.graph.size()), -1);
  for (InstructionId id = network.graph.size(); id-- > 0;) {
    InstructionId& own = first[std::size_t(id)];
    if (origins.of[std::size_t(id)] == hlo::pipeline::Origin::activation) own = id;
    if (own < 0) continue;
    for (const InstructionId operand : network.graph[id].operands) {
      InstructionId& of_operand = first[std::size_t(operand)];
      of_operand = of_operand < 0 ? own : std::min(of_operand, own);
    }
  }
  return first;
}

/// The number in "17", "gradients/17" or "17/...", names that say which operation an op comes from; -1 if there is
/// none.
InstructionId number_in(std::string_view op_name) {
  constexpr std::string_view of_gradient = "gradients/";
  if (op_name.starts_with(of_gradient)) op_name.remove_prefix(of_gradient.size());
  InstructionId number = -1;
  std::from_chars(op_name.data(), op_name.data() + op_name.size(), number);
  return number;
}

/// A computation of a chunk as a module. With `adds_up`, gradients of weights are added to sums, as those of several
/// micro-batches are.
hlo::Module module_of(const hlo::pipeline::Chunk& chunk, const hlo::pipeline::ChunkFunction& function, bool adds_up) {
  hlo::build::GraphBuilder b("chunk");
  std::vector<InstructionId> reads;
  for (const InstructionId id : function.reads) {
    reads.push_back(b.parameter(chunk.graph.shape(id), fmt::format("value{}", id)));
  }
  const auto add = [&](std::size_t number, InstructionId value) {
    const InstructionId sum = b.parameter(b.shape(value), fmt::format("sum{}", number));
    const hlo::build::GraphBuilder::Scope scope(b, std::string(b[value].op_name));
    return b.add(sum, value);
  };
  const std::vector<InstructionId> summands = adds_up ? chunk.gradients_of_weights : std::vector<InstructionId>();
  hlo::pipeline::AppendedFunction made = append_function(chunk.graph, function, b, reads, {summands, add});
  std::vector<InstructionId> results = std::move(made.sums);
  for (std::size_t i = 0; i < function.results.size(); ++i) {
    if (std::ranges::find(summands, function.results[i]) == summands.end()) results.push_back(made.results[i]);
  }
  const InstructionId root = b.tuple(std::move(results));
  return std::move(b).build(root);
}

class OpSeconds {
 public:
  OpSeconds(const hlo::Module& module, const TargetMachine& machine)
      : module_(module), clock_(machine.clock.si()), costs_(machine) {}

  double of(const hlo::Computation& computation, InstructionId id) {
    const hlo::Instruction& instruction = computation[id];
    if (compiler::tiles::is_core_op(computation, id)) {
      return double(costs_.cycles(module_, computation, id).value()) / clock_;
    }
    const bool is_loop = instruction.opcode == Opcode::while_loop;
    const bool is_conditional = instruction.opcode == Opcode::conditional;
    if (!is_loop && !is_conditional && instruction.opcode != Opcode::call) return 0;
    double all = 0, most = 0;
    for (const hlo::ComputationId called : instruction.called) {
      const hlo::Computation& body = module_.computations[std::size_t(called)];
      double own = 0;
      for (InstructionId inner = 0; inner < InstructionId(body.instructions.size()); ++inner) own += of(body, inner);
      all += own;
      most = std::max(most, own);
    }
    if (is_conditional) return most;
    return is_loop ? all * double(std::max<std::int64_t>(1, instruction.trip_count)) : all;
  }

 private:
  const hlo::Module& module_;
  double clock_;
  compiler::OpCosts costs_;
};

}  // namespace

std::vector<double> operation_times(const hlo::pipeline::Network& network, const TargetMachine& machine) {
  const std::vector<InstructionId> first = first_activations(network);
  std::vector<double> times(first.size(), 0);
  const std::vector<InstructionId> activations = hlo::pipeline::find_origins(network).activations;
  hlo::build::GraphBuilder numbered = network.graph;
  for (InstructionId id = 0; id < numbered.size(); ++id) numbered.set_op_name(id, fmt::to_string(id));
  const hlo::pipeline::Network whole{numbered, network.loss, network.weights, network.held, network.given};
  const hlo::pipeline::Chunk chunk =
      chunks_of(whole, {{activations.front()}}, hlo::pipeline::Kept::activations).front();
  for (const bool is_backward : {false, true}) {
    const hlo::Module module =
        fused(module_of(chunk, is_backward ? chunk.backward.whole : chunk.forward, is_backward), machine);
    const hlo::Computation& entry = module.entry_computation();
    OpSeconds seconds(module, machine);
    for (InstructionId id = 0; id < InstructionId(entry.instructions.size()); ++id) {
      const InstructionId number = number_in(entry[id].op_name);
      if (number < 0 || number >= InstructionId(first.size()) || first[std::size_t(number)] < 0) continue;
      times[std::size_t(first[std::size_t(number)])] += seconds.of(entry, id);
    }
  }
  return times;
}

}  // namespace podsim::sw::driver
