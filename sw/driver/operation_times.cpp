// SPDX-License-Identifier: Apache-2.0
#include "sw/driver/operation_times.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>
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

constexpr int trials = 3;  // of divisions

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

/// A computation of a chunk as a module that calls it, as the step of a pipeline does: layouts end at calls. With
/// `adds_up`, gradients of weights are added to sums, as those of several micro-batches are.
hlo::Module module_of(const hlo::pipeline::Chunk& chunk, const hlo::pipeline::ChunkFunction& function, bool adds_up) {
  const std::vector<InstructionId> summands = adds_up ? chunk.gradients_of_weights : std::vector<InstructionId>();
  std::vector<hlo::Shape> shapes;
  for (const InstructionId id : function.reads) shapes.push_back(chunk.graph.shape(id));
  for (const InstructionId id : summands) shapes.push_back(chunk.graph.shape(id));
  const hlo::Shape arguments = hlo::make_tuple_shape(shapes);

  hlo::build::GraphBuilder inner("chunk");
  const InstructionId argument = inner.parameter(arguments, "operands");
  std::vector<InstructionId> values;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    values.push_back(inner.get_tuple_element(argument, std::int64_t(i)));
  }
  const auto add = [&](std::size_t number, InstructionId value) {
    const hlo::build::GraphBuilder::Scope scope(inner, std::string(inner[value].op_name));
    return inner.add(values[function.reads.size() + number], value);
  };
  hlo::pipeline::AppendedFunction made =
      append_function(chunk.graph, function, inner, std::span(values).first(function.reads.size()), {summands, add});
  std::vector<InstructionId> results = std::move(made.sums);
  for (std::size_t i = 0; i < function.results.size(); ++i) {
    if (std::ranges::find(summands, function.results[i]) == summands.end()) results.push_back(made.results[i]);
  }
  const InstructionId result = inner.tuple(std::move(results));

  hlo::build::GraphBuilder b("stage");
  const InstructionId is_here = b.parameter(hlo::make_shape(hlo::ElementType::pred, {}), "is_here");
  const InstructionId operands = b.parameter(arguments, "arguments");
  const hlo::ComputationId called = b.computation(std::move(inner), result);
  const InstructionId root = b.conditional(is_here, {operands, operands}, {called, called});
  return std::move(b).build(root);
}

/// The computation that module_of() calls.
const hlo::Computation& called_in(const hlo::Module& module) {
  const hlo::Computation& entry = module.entry_computation();
  const auto call = std::ranges::find(entry.instructions, Opcode::conditional, &hlo::Instruction::opcode);
  if (call == entry.instructions.end()) return entry;
  return module.computations[std::size_t(call->called.front())];
}

double seconds_of(const hlo::Module& module, const hlo::Computation& computation, InstructionId id,
                  compiler::OpCosts& costs) {
  const hlo::Instruction& instruction = computation[id];
  if (compiler::tiles::is_core_op(computation, id)) {
    return double(costs.cycles(module, computation, id).value()) / costs.machine().clock.si();
  }
  const bool is_loop = instruction.opcode == Opcode::while_loop;
  const bool is_conditional = instruction.opcode == Opcode::conditional;
  if (!is_loop && !is_conditional && instruction.opcode != Opcode::call) return 0;
  double all = 0, most = 0;
  for (const hlo::ComputationId called : instruction.called) {
    const hlo::Computation& body = module.computations[std::size_t(called)];
    double own = 0;
    for (InstructionId inner = 0; inner < InstructionId(body.instructions.size()); ++inner) {
      own += seconds_of(module, body, inner, costs);
    }
    all += own;
    most = std::max(most, own);
  }
  if (is_conditional) return most;
  return is_loop ? all * double(std::max<std::int64_t>(1, instruction.trip_count)) : all;
}

double longest_chunk(const hlo::pipeline::Division& division, const std::vector<double>& times) {
  std::vector<double> sums(division.chunks(), 0);
  for (InstructionId id = division.begins.front(); id < InstructionId(times.size()); ++id) {
    sums[division.chunk_of(id)] += times[std::size_t(id)];
  }
  return std::ranges::max(sums);
}

}  // namespace

std::vector<double> operation_times(const hlo::pipeline::Network& network, const hlo::pipeline::Division& division,
                                    const TargetMachine& machine) {
  const std::vector<InstructionId> first = first_activations(network);
  hlo::build::GraphBuilder numbered = network.graph;
  for (InstructionId id = 0; id < numbered.size(); ++id) numbered.set_op_name(id, fmt::to_string(id));
  const std::vector<hlo::pipeline::Chunk> chunks =
      chunks_of({numbered, network.loss, network.weights, network.held, network.given}, division,
                hlo::pipeline::Kept::activations);
  std::vector<double> times(first.size(), 0);
  compiler::OpCosts costs(machine);
  for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk) {
    for (const bool is_backward : {false, true}) {
      const hlo::pipeline::ChunkFunction& function = is_backward ? chunks[chunk].backward.whole : chunks[chunk].forward;
      if (function.results.empty()) continue;
      const hlo::Module module = fused(module_of(chunks[chunk], function, is_backward), machine);
      const hlo::Computation& entry = called_in(module);
      for (InstructionId id = 0; id < InstructionId(entry.instructions.size()); ++id) {
        const InstructionId number = number_in(entry[id].op_name);
        InstructionId at = number < 0 || number >= InstructionId(first.size()) ? -1 : first[std::size_t(number)];
        if (at < 0 || division.chunk_of(at) != chunk) at = division.begins[chunk];
        times[std::size_t(at)] += seconds_of(module, entry, id, costs);
      }
    }
  }
  return times;
}

hlo::pipeline::Division timed_division(const hlo::pipeline::Network& network, std::int64_t chunks,
                                       const TargetMachine& machine) {
  hlo::pipeline::Division division{{hlo::pipeline::find_origins(network).activations.front()}}, best;
  if (chunks == 1) return division;
  std::vector<double> times = operation_times(network, division, machine);
  double least = std::numeric_limits<double>::infinity();
  for (int trial = 0; trial < trials; ++trial) {
    hlo::pipeline::Division next = hlo::pipeline::balanced_division(network, chunks, times);
    if (next.begins == division.begins) break;
    division = std::move(next);
    times = operation_times(network, division, machine);
    if (const double longest = longest_chunk(division, times); longest < least) {
      least = longest;
      best = division;
    }
  }
  return best;
}

}  // namespace podsim::sw::driver
