// SPDX-License-Identifier: Apache-2.0
#include "hlo/pipeline/chunk_functions.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "hlo/instruction_identity.h"
#include "hlo/transform/formulas/leaves.h"
#include "hlo/transform/gradient/reverse_sweep.h"

namespace podsim::hlo::pipeline {
namespace {

/// True for what only moves or repeats elements.
bool only_moves(Opcode opcode) {
  switch (opcode) {
    case Opcode::bitcast:
    case Opcode::broadcast:
    case Opcode::pad:
    case Opcode::reshape:
    case Opcode::reverse:
    case Opcode::slice:
    case Opcode::transpose:
    case Opcode::tuple:
      return true;
    default:
      return false;
  }
}

/// Writes one chunk.
class ChunkWriter {
 public:
  ChunkWriter(const Network& network, const Origins& origins, const Division& division, std::size_t number, Kept kept)
      : network_(network),
        origins_(origins),
        division_(division),
        number_(number),
        kept_(kept),
        own_size_(network.graph.size()),
        chunk_{.graph = network.graph} {}

  Chunk run(const std::vector<InstructionId>& received, std::vector<InstructionId> sent,
            const std::vector<InstructionId>& sent_with_gradient) {
    chunk_.received = received;
    chunk_.sent = std::move(sent);
    chunk_.sent_with_gradient = sent_with_gradient;
    find_weights();
    for (const InstructionId id : received) given_.insert(id);
    for (const InstructionId id : chunk_.weights) given_.insert(id);
    differentiate();
    find_functions();
    return std::move(chunk_);
  }

 private:
  bool is_own(InstructionId id) const {
    return id < own_size_ && origins_.of[std::size_t(id)] == Origin::activation && division_.chunk_of(id) == number_;
  }

  void find_weights() {
    const std::set<InstructionId> trained(network_.weights.begin(), network_.weights.end());
    std::set<InstructionId> seen;
    std::vector<InstructionId> left;
    for (const InstructionId id : origins_.activations) {
      if (is_own(id)) left.push_back(id);
    }
    while (!left.empty()) {
      const InstructionId id = left.back();
      left.pop_back();
      for (const InstructionId operand : network_.graph[id].operands) {
        if (origins_.of[std::size_t(operand)] == Origin::weights && seen.insert(operand).second)
          left.push_back(operand);
      }
    }
    std::ranges::set_intersection(seen, trained, std::back_inserter(chunk_.weights));
  }

  /// Appends the reverse sweep from the gradients of `sent`.
  void differentiate() {
    std::vector<InstructionId> sources = chunk_.weights;
    for (const InstructionId id : chunk_.received) {
      const Shape& shape = network_.graph.shape(id);
      if (origins_.trained[std::size_t(id)] && transform::formulas::has_slope(shape.element_type)) {
        sources.push_back(id);
      }
    }
    std::vector<transform::GivenGradient> rules;
    for (const transform::GivenGradient& rule : network_.given) {
      if (is_own(rule.result)) rules.push_back(rule);
    }
    const bool is_last = number_ + 1 == division_.chunks();
    std::vector<InstructionId> seeds;
    for (const InstructionId id : chunk_.sent_with_gradient) {
      const Shape shape = chunk_.graph.shape(id);
      seeds.push_back(is_last ? chunk_.graph.constant(shape.element_type, 1)
                              : chunk_.graph.parameter(shape, fmt::format("gradient_of_{}", id)));
    }
    if (!is_last) chunk_.gradients_of_sent = seeds;
    InstructionId last = 0;
    for (const InstructionId id : chunk_.sent_with_gradient) last = std::max(last, id);
    transform::gradient::ReverseSweep sweep(chunk_.graph, sources, last,
                                            {.held = network_.held, .given = rules, .stops_at_sources = true});
    for (std::size_t i = 0; i < seeds.size(); ++i) sweep.seed(chunk_.sent_with_gradient[i], 0, seeds[i]);
    sweep.run();
    for (const InstructionId id : sources) {
      InstructionId gradient = sweep.gradient(id);
      if (std::ranges::binary_search(chunk_.weights, id)) {
        chunk_.gradients_of_weights.push_back(gradient >= 0 ? gradient : chunk_.graph.full_like(id, 0));
      } else if (gradient >= 0) {
        chunk_.received_with_gradient.push_back(id);
        chunk_.gradients_of_received.push_back(gradient);
      }
    }
  }

  void find_functions() {
    std::set<InstructionId> available = given_;
    find_prepared();
    available.insert(prepared_.begin(), prepared_.end());
    chunk_.prepare = function({prepared_.begin(), prepared_.end()}, given_, {});

    std::set<InstructionId> own, lasting;  // those that the forward computation may keep
    for (const InstructionId id : origins_.activations) {
      if (!is_own(id)) continue;
      own.insert(id);
      if (kept_ == Kept::activations || is_made_once(id)) lasting.insert(id);
    }
    std::set<InstructionId> kept;
    chunk_.backward = backward_from(available, lasting, kept);
    if (kept_ == Kept::received) {
      std::set<InstructionId> read;
      chunk_.backward_behind_again = backward_from(available, own, read);
      std::vector<InstructionId> made_again(read.begin(), read.end());
      std::erase_if(made_again, [&](InstructionId id) { return lasting.contains(id); });
      chunk_.again = function(made_again, available, lasting);
      read.insert(chunk_.again.reads.begin(), chunk_.again.reads.end());
      std::ranges::set_intersection(read, lasting, std::inserter(kept, kept.end()));
    }
    std::vector<InstructionId> results = chunk_.sent;
    for (const InstructionId id : kept) add_once(results, id);
    std::erase_if(results, [&](InstructionId id) { return given_.contains(id); });
    chunk_.forward = function(results, available, {});
  }

  /// The backward computations from some of the chunk's activations; adds those that they read to `read`.
  BackwardFunctions backward_from(const std::set<InstructionId>& available, const std::set<InstructionId>& own,
                                  std::set<InstructionId>& read) const {
    std::vector<InstructionId> input_and_weight = chunk_.gradients_of_received;
    input_and_weight.insert(input_and_weight.end(), chunk_.gradients_of_weights.begin(),
                            chunk_.gradients_of_weights.end());
    BackwardFunctions made{
        function(input_and_weight, available, own), function(chunk_.gradients_of_received, available, own), {}};
    const std::set<InstructionId> input_part = made_by(made.input);
    std::set<InstructionId> before = own;
    before.insert(input_part.begin(), input_part.end());
    made.weight = function(chunk_.gradients_of_weights, available, before);
    for (const ChunkFunction* part : {&made.whole, &made.input, &made.weight}) {
      std::ranges::copy_if(part->reads, std::inserter(read, read.end()),
                           [&](InstructionId id) { return own.contains(id); });
    }
    for (const InstructionId id : made.weight.reads) {
      if (input_part.contains(id) && !own.contains(id)) add_once(made.input.results, id);
    }
    return made;
  }

  /// True for random numbers and what a host feeds, which would not be the same a second time.
  bool is_made_once(InstructionId id) const {
    const Instruction& instruction = network_.graph[id];
    if (instruction.opcode == Opcode::get_tuple_element) return is_made_once(instruction.operands.front());
    return !is_shareable(instruction.opcode);
  }

  static void add_once(std::vector<InstructionId>& ids, InstructionId id) {
    if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
  }

  /// Finds the values of weights alone that the chunk's activations or gradients read.
  void find_prepared() {
    std::vector<std::int64_t> elements(std::size_t(chunk_.graph.size()), 0);  // of the largest weight in a value
    for (const InstructionId id : chunk_.weights) {
      elements[std::size_t(id)] = chunk_.graph.shape(id).element_count();
    }
    for (InstructionId id = 0; id < own_size_; ++id) {
      if (origins_.of[std::size_t(id)] != Origin::weights) continue;
      for (const InstructionId operand : chunk_.graph[id].operands) {
        elements[std::size_t(id)] = std::max(elements[std::size_t(id)], elements[std::size_t(operand)]);
      }
    }
    const std::set<InstructionId> trained(chunk_.weights.begin(), chunk_.weights.end());
    const std::set<InstructionId> wanted = ancestors(targets(), given_);
    std::vector<InstructionId> left;
    for (const InstructionId id : wanted) {
      const bool of_weights = id < own_size_ && origins_.of[std::size_t(id)] == Origin::weights;
      if (of_weights) continue;
      for (const InstructionId operand : chunk_.graph[id].operands) left.push_back(operand);
    }
    std::set<InstructionId> seen;
    while (!left.empty()) {
      const InstructionId id = left.back();
      left.pop_back();
      if (id >= own_size_ || origins_.of[std::size_t(id)] != Origin::weights) continue;
      if (trained.contains(id) || !seen.insert(id).second) continue;
      const Shape& shape = chunk_.graph.shape(id);
      const bool is_small = !shape.is_tuple() && shape.element_count() <= elements[std::size_t(id)];
      if (is_small && !only_moves(chunk_.graph[id].opcode)) {
        prepared_.insert(id);
      } else {
        for (const InstructionId operand : chunk_.graph[id].operands) left.push_back(operand);
      }
    }
  }

  std::vector<InstructionId> targets() const {
    std::vector<InstructionId> all = chunk_.sent;
    all.insert(all.end(), chunk_.gradients_of_received.begin(), chunk_.gradients_of_received.end());
    all.insert(all.end(), chunk_.gradients_of_weights.begin(), chunk_.gradients_of_weights.end());
    return all;
  }

  /// What is computed for some values from those where it stops, with both.
  std::set<InstructionId> ancestors(const std::vector<InstructionId>& of, const std::set<InstructionId>& stops) const {
    std::set<InstructionId> found;
    std::vector<InstructionId> left = of;
    while (!left.empty()) {
      const InstructionId id = left.back();
      left.pop_back();
      if (!found.insert(id).second || stops.contains(id)) continue;
      for (const InstructionId operand : chunk_.graph[id].operands) left.push_back(operand);
    }
    return found;
  }

  /// The function to some results, which reads values that are available and those of `earlier` functions, where they
  /// are more than moved. A result that exists already is read and returned.
  ChunkFunction function(const std::vector<InstructionId>& results, const std::set<InstructionId>& available,
                         const std::set<InstructionId>& earlier) const {
    ChunkFunction function;
    for (const InstructionId id : results) add_once(function.results, id);
    std::set<InstructionId> seen, reads;
    std::vector<InstructionId> left = results;
    while (!left.empty()) {
      const InstructionId id = left.back();
      left.pop_back();
      if (!seen.insert(id).second) continue;
      const Instruction& instruction = chunk_.graph[id];
      const bool is_made = earlier.contains(id) && !instruction.shape.is_tuple() && !only_moves(instruction.opcode);
      const bool is_read = is_made && source_of(id, available, earlier) == id;
      if (available.contains(id) || is_read || instruction.opcode == Opcode::parameter) {
        reads.insert(id);
        continue;
      }
      for (const InstructionId operand : instruction.operands) left.push_back(operand);
    }
    function.reads.assign(reads.begin(), reads.end());
    return function;
  }

  /// The value that is kept for `id`: `id`, or one that it follows from element by element from a single array of its
  /// size, and from smaller ones, such as a mean. That is the one of fewest bytes, or one that is available anyway. A
  /// mask is not kept if numbers say it.
  InstructionId source_of(InstructionId id, const std::set<InstructionId>& available,
                          const std::set<InstructionId>& earlier) const {
    InstructionId source = id;
    for (InstructionId at = id; at >= 0; at = single_operand(at, available, earlier)) {
      if (available.contains(at)) return at;
      if (only_moves(chunk_.graph[at].opcode)) continue;
      const ElementType type = chunk_.graph.type(at), of_source = chunk_.graph.type(source);
      const bool says_mask = of_source == ElementType::pred && is_floating_point(type);
      if (says_mask || byte_width(type) <= byte_width(of_source)) source = at;
    }
    return source;
  }

  /// The only operand of the size of an elementwise operation, if it exists before; else -1.
  InstructionId single_operand(InstructionId id, const std::set<InstructionId>& available,
                               const std::set<InstructionId>& earlier) const {
    const Instruction& instruction = chunk_.graph[id];
    const bool keeps_size = instruction.opcode == Opcode::reshape || instruction.opcode == Opcode::transpose;
    if (!keeps_size && !is_elementwise(instruction.opcode)) return -1;
    InstructionId single = -1;
    for (const InstructionId operand : instruction.operands) {
      const Instruction& made = chunk_.graph[operand];
      const bool exists = earlier.contains(operand) || available.contains(operand);
      if (!exists || made.opcode == Opcode::broadcast || operand == single) continue;
      if (made.shape.element_count() != instruction.shape.element_count()) continue;
      if (single >= 0) return -1;
      single = operand;
    }
    return single;
  }

  /// What a function computes that is worth keeping.
  std::set<InstructionId> made_by(const ChunkFunction& function) const {
    const std::set<InstructionId> reads(function.reads.begin(), function.reads.end());
    std::set<InstructionId> found = ancestors(function.results, reads);
    std::erase_if(found, [&](InstructionId id) {
      const Opcode opcode = chunk_.graph[id].opcode;
      const bool is_cheap = id < own_size_ && origins_.of[std::size_t(id)] != Origin::activation;
      return reads.contains(id) || is_cheap || opcode == Opcode::constant || opcode == Opcode::iota;
    });
    return found;
  }

  const Network& network_;
  const Origins& origins_;
  const Division& division_;
  std::size_t number_;
  Kept kept_;
  InstructionId own_size_;  ///< instructions of the network; those behind are of the reverse sweep
  Chunk chunk_;
  std::set<InstructionId> given_;  ///< weights and what is received
  std::set<InstructionId> prepared_;
};

}  // namespace

std::vector<Chunk> chunks_of(const Network& network, const Division& division, Kept kept) {
  for (InstructionId id = 0; id < network.graph.size(); ++id) {
    const Opcode opcode = network.graph[id].opcode;
    if (is_collective(opcode)) {
      throw base::InputError(
          fmt::format("the network has the collective %{} ({}), which chunks on other cores do not "
                      "reach, so that it cannot be divided into stages",
                      network.graph[id].name, to_string(opcode)));
    }
  }
  const Origins origins = find_origins(network);
  std::vector<std::vector<InstructionId>> received = sent_activations(network, origins, division);
  std::vector<Chunk> chunks;
  std::vector<InstructionId> sent{network.loss}, with_gradient{network.loss};
  for (std::size_t number = division.chunks(); number-- > 0;) {
    chunks.push_back(ChunkWriter(network, origins, division, number, kept).run(received[number], sent, with_gradient));
    sent = received[number];
    with_gradient = chunks.back().received_with_gradient;
  }
  std::ranges::reverse(chunks);
  return chunks;
}

AppendedFunction append_function(const build::GraphBuilder& from, const ChunkFunction& function,
                                 build::GraphBuilder& to, std::span<const InstructionId> read,
                                 const Summands& summands) {
  std::map<InstructionId, InstructionId> values;
  for (std::size_t i = 0; i < function.reads.size(); ++i) values[function.reads[i]] = read[i];
  std::set<InstructionId> wanted;
  std::vector<InstructionId> left = function.results;
  while (!left.empty()) {
    const InstructionId id = left.back();
    left.pop_back();
    if (values.contains(id) || !wanted.insert(id).second) continue;
    for (const InstructionId operand : from[id].operands) left.push_back(operand);
  }
  AppendedFunction appended;
  appended.sums.assign(summands.ids.size(), -1);
  const auto add_up = [&](InstructionId id) {
    for (std::size_t i = 0; i < summands.ids.size(); ++i) {
      if (summands.ids[i] == id) appended.sums[i] = summands.add(i, values.at(id));
    }
  };
  for (const InstructionId id : function.reads) add_up(id);
  Module called;
  called.computations = from.called_computations();
  for (const InstructionId id : wanted) {
    Instruction instruction = from[id];
    instruction.sharding = nullptr;
    for (InstructionId& operand : instruction.operands) operand = values.at(operand);
    for (ComputationId& computation : instruction.called) computation = to.copy_computation(called, computation);
    values[id] = to.add(std::move(instruction));
    add_up(id);
  }
  for (const InstructionId id : function.results) appended.results.push_back(values.at(id));
  return appended;
}

}  // namespace podsim::hlo::pipeline
