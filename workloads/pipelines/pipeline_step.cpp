// SPDX-License-Identifier: Apache-2.0
#include "workloads/pipelines/pipeline_step.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "hlo/pipeline/timeline.h"

namespace podsim::workloads::pipelines {

using hlo::InstructionId;
using hlo::build::GraphBuilder;
using hlo::pipeline::Chunk;
using hlo::pipeline::ChunkFunction;
using hlo::pipeline::Phase;
using hlo::pipeline::Task;

namespace {

using Values = std::vector<InstructionId>;

/// An entry parameter that holds a tensor of the same shape on each stage.
struct Holder {
  InstructionId value = -1;
  Values slots;
  std::vector<int> tensor;  ///< by stage: the tensor that it holds, -1 if none
};

/// Transfers by the chunk that sends and the id in its graph.
using InFlight = std::map<std::pair<std::size_t, InstructionId>, InstructionId>;

/// Writes the results of a task from the values of its operands.
using TaskBody = std::function<Values(GraphBuilder&, const Values& operands)>;

class PipelineWriter {
 public:
  PipelineWriter(const ForwardNetwork& network, const hlo::pipeline::Division& division, const PipelineOptions& options)
      : network_(network),
        o_(options),
        chunks_(hlo::pipeline::chunks_of(divisible(network), division, options.kept)),
        stage_of_(hlo::pipeline::stage_of_chunks(options.schedule)),
        b_("pipeline_training_step"),
        sums_(std::size_t(stages()), Values(network.tensors.size(), -1)),
        prepared_(chunks_.size()),
        values_(chunks_.size(), std::vector<std::map<InstructionId, InstructionId>>(std::size_t(microbatches()))),
        in_flight_(chunks_.size(), std::vector<InFlight>(std::size_t(microbatches()))) {
    for (std::size_t i = 0; i < network.tensors.size(); ++i) tensor_of_[network.tensors[i].value] = i;
  }

  PipelineStep run() {
    add_parameters();
    if (stages() > 1) {
      const InstructionId count = b_.constant(hlo::ElementType::u32, double(stages()));
      stage_ = b_.convert(b_.binary(hlo::Opcode::remainder, b_.partition_id(), count), hlo::ElementType::s32);
    }
    for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) prepare(chunk);
    find_waits();
    for (const hlo::pipeline::TaskPosition& at : hlo::pipeline::rounds_in_order(o_.schedule)) {
      compute(o_.schedule.stages[at.stage][at.position]);
    }
    add_over_sharing_stages();
    if (network_.optimizer.clip_norm > 0) find_clipping_factor();
    return finish();
  }

 private:
  std::int64_t stages() const { return std::int64_t(o_.schedule.stages.size()); }
  std::int64_t microbatches() const { return o_.schedule.microbatches; }
  std::size_t last_stage() const { return std::size_t(stage_of_.back()); }
  const TrainedTensor& tensor(std::size_t number) const { return network_.tensors[number]; }
  std::size_t stage_of(std::size_t chunk) const { return std::size_t(stage_of_[chunk]); }

  // --- parameters

  void add_parameters() {
    owners_.resize(network_.tensors.size());
    for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) {
      for (const InstructionId weight : chunks_[chunk].weights) {
        owners_[tensor_of_.at(weight)].insert(stage_of(chunk));
      }
    }
    assign_holders();
    for (Holder& holder : holders_) add_slots(holder);
    const hlo::Shape scalar = hlo::make_shape(network_.graph.type(network_.loss.value), {});
    scalars_.learning_rate = b_.parameter(scalar, "learning_rate");
    if (counts_steps(network_.optimizer)) scalars_.step = b_.parameter(scalar, "step");
    add_inputs();
  }

  /// Gives each stage's tensors to entry parameters of their shape.
  void assign_holders() {
    std::map<std::pair<std::string, bool>, std::vector<std::size_t>> of_shape;
    holder_of_.assign(std::size_t(stages()), std::vector<int>(network_.tensors.size(), -1));
    for (std::size_t stage = 0; stage < std::size_t(stages()); ++stage) {
      std::map<std::pair<std::string, bool>, std::size_t> used;
      for (std::size_t number = 0; number < network_.tensors.size(); ++number) {
        if (!owners_[number].contains(stage)) continue;
        const hlo::Shape& shape = network_.graph.shape(tensor(number).value);
        const std::pair<std::string, bool> kind{hlo::to_string(shape), tensor(number).is_kernel};
        std::vector<std::size_t>& same = of_shape[kind];
        const std::size_t next = used[kind]++;
        if (next == same.size()) {
          same.push_back(holders_.size());
          const std::string name = fmt::format("weights/{}{}/{}", kind.first, kind.second ? "" : "/no_decay", next);
          holders_.push_back({b_.parameter(shape, name), {}, std::vector<int>(std::size_t(stages()), -1)});
        }
        holders_[same[next]].tensor[stage] = int(number);
        holder_of_[stage][number] = int(same[next]);
      }
    }
  }

  void add_slots(Holder& holder) {
    const std::string name = b_[holder.value].name;
    for (Slot& slot : slots(network_.optimizer, b_.shape(holder.value).dimensions)) {
      const hlo::Shape shape = hlo::make_shape(b_.type(holder.value), std::move(slot.sizes));
      holder.slots.push_back(b_.parameter(shape, name + "/" + slot.name));
    }
  }

  void add_inputs() {
    std::set<InstructionId> read;
    for (const Chunk& chunk : chunks_) {
      for (const ChunkFunction* function : {&chunk.forward, &chunk.backward.whole}) {
        read.insert(function->reads.begin(), function->reads.end());
      }
    }
    inputs_.resize(std::size_t(microbatches()));
    for (std::int64_t m = 0; m < microbatches(); ++m) {
      for (const InstructionId id : network_.graph.parameters()) {
        if (tensor_of_.contains(id) || !read.contains(id)) continue;
        inputs_[std::size_t(m)][id] =
            b_.parameter(network_.graph.shape(id), fmt::format("{}/{}", network_.graph[id].name, m));
      }
    }
  }

  /// Finds the backward computations before which a stage has nothing to do, if all chunks take as long, and gradients
  /// of inputs, with the activations that are computed again, twice as long as a forward computation or those of
  /// weights.
  void find_waits() {
    constexpr base::Duration one(1.0);
    const std::vector<hlo::pipeline::ChunkTimes> equal(chunks_.size(), {one, 2 * one, one});
    const hlo::pipeline::Timeline line = hlo::pipeline::timeline(o_.schedule, equal, base::Duration());
    for (std::size_t stage = 0; stage < line.stages.size(); ++stage) {
      for (std::size_t i = 1; i < line.stages[stage].size(); ++i) {
        const Task& task = o_.schedule.stages[stage][i];
        if (task.phase != Phase::backward && task.phase != Phase::backward_input) continue;
        if (line.stages[stage][i].begin > line.stages[stage][i - 1].end) waits_.emplace(task.chunk, task.microbatch);
      }
    }
  }

  // --- what one stage executes

  /// The results of a body that one stage executes; the others have buffers for them.
  Values on_stage(std::size_t stage, const std::string& name, const Values& operands, const TaskBody& body) {
    if (stages() == 1) return body(b_, operands);
    return conditional(is_stage({stage}), name, operands, body, {});
  }

  /// True on some stages.
  InstructionId is_stage(const std::set<std::size_t>& some) {
    InstructionId any = -1;
    for (const std::size_t stage : some) {
      const InstructionId number = b_.constant(hlo::ElementType::s32, double(stage));
      const InstructionId is_it = b_.compare(stage_, number, hlo::ComparisonDirection::eq);
      any = any < 0 ? is_it : b_.binary(hlo::Opcode::logical_or, any, is_it);
    }
    return any;
  }

  /// The results of a body where `predicate` is true. Elsewhere, they are the values of `instead`, or buffers.
  Values conditional(InstructionId predicate, const std::string& name, const Values& operands, const TaskBody& body,
                     const Values& instead) {
    std::vector<hlo::Shape> shapes;
    const hlo::ComputationId taken = branch(name, operands, body, shapes);
    const hlo::ComputationId other = branch(
        name + "_elsewhere", instead,
        [&](GraphBuilder& b, const Values& values) {
          Values results = values;
          for (std::size_t i = values.size(); i < shapes.size(); ++i) results.push_back(buffer(b, shapes[i]));
          return results;
        },
        shapes);
    const InstructionId chosen = b_.conditional(predicate, {b_.tuple(operands), b_.tuple(instead)}, {taken, other});
    return elements(chosen, shapes.size());
  }

  Values elements(InstructionId tuple, std::size_t count) {
    Values values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(b_.get_tuple_element(tuple, std::int64_t(i)));
    return values;
  }

  hlo::ComputationId branch(const std::string& name, const Values& operands, const TaskBody& body,
                            std::vector<hlo::Shape>& result_shapes) {
    std::vector<hlo::Shape> shapes;
    for (const InstructionId operand : operands) shapes.push_back(b_.shape(operand));
    GraphBuilder inner(name);
    const InstructionId argument = inner.parameter(hlo::make_tuple_shape(std::move(shapes)), "operands");
    Values values;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      values.push_back(inner.get_tuple_element(argument, std::int64_t(i)));
    }
    Values results = body(inner, values);
    if (result_shapes.empty()) {
      for (const InstructionId result : results) result_shapes.push_back(inner.shape(result));
    }
    const InstructionId root = inner.tuple(std::move(results));
    return b_.computation(std::move(inner), root);
  }

  static InstructionId buffer(GraphBuilder& b, const hlo::Shape& shape) {
    hlo::Instruction allocated;
    allocated.opcode = hlo::Opcode::custom_call;
    allocated.target = "AllocateBuffer";
    allocated.shape = shape;
    return b.add(std::move(allocated));
  }

  // --- tasks

  void prepare(std::size_t chunk) {
    const ChunkFunction& function = chunks_[chunk].prepare;
    if (function.results.empty()) return;
    const hlo::build::GraphBuilder::Scope scope(b_, fmt::format("prepare/chunk{}", chunk));
    const Values results = on_stage(stage_of(chunk), fmt::format("prepare_chunk{}", chunk), read(chunk, 0, function),
                                    [&](GraphBuilder& b, const Values& operands) {
                                      return append_function(chunks_[chunk].graph, function, b, operands).results;
                                    });
    for (std::size_t i = 0; i < results.size(); ++i) prepared_[chunk][function.results[i]] = results[i];
  }

  Values read(std::size_t chunk, std::size_t microbatch, const ChunkFunction& function) const {
    Values values;
    for (const InstructionId id : function.reads) values.push_back(value_of(chunk, microbatch, id));
    return values;
  }

  InstructionId value_of(std::size_t chunk, std::size_t microbatch, InstructionId id) const {
    if (const auto at = tensor_of_.find(id); at != tensor_of_.end()) {
      const int holder = holder_of_[stage_of(chunk)][at->second];
      if (holder < 0) throw std::logic_error("a chunk reads a weight that its stage does not have");
      return holders_[std::size_t(holder)].value;
    }
    if (const auto at = prepared_[chunk].find(id); at != prepared_[chunk].end()) return at->second;
    if (const auto at = inputs_[microbatch].find(id); at != inputs_[microbatch].end()) return at->second;
    return values_[chunk][microbatch].at(id);
  }

  void compute(const Task& task) {
    const std::size_t c = std::size_t(task.chunk), m = std::size_t(task.microbatch);
    const Chunk& chunk = chunks_[c];
    const bool is_last = c + 1 == chunks_.size();
    switch (task.phase) {
      case Phase::forward:
        if (c > 0) receive(c, m, c - 1, chunk.received, chunk.received);
        run(task, name_of(task), chunk.forward, {}, is_last);
        if (!is_last) send(c, m, c + 1, chunk.sent);
        break;
      case Phase::backward:
      case Phase::backward_input:
      case Phase::backward_weight:
        compute_backward(task);
        break;
    }
  }

  void compute_backward(const Task& task) {
    const std::size_t c = std::size_t(task.chunk), m = std::size_t(task.microbatch);
    const Chunk& chunk = chunks_[c];
    const bool is_early = waits_.contains({task.chunk, task.microbatch}) && !chunk.again.results.empty();
    const hlo::pipeline::BackwardFunctions& functions = is_early ? chunk.backward_behind_again : chunk.backward;
    const std::string name = name_of(task) + (is_early ? "_behind_again" : "");
    if (task.phase == Phase::backward_weight) {
      run(task, name, functions.weight, chunk.weights, false);
      values_[c][m].clear();
      return;
    }
    if (is_early) run(task, fmt::format("again_chunk{}", c), chunk.again, {}, false);
    if (c + 1 < chunks_.size()) receive(c, m, c + 1, chunks_[c + 1].gradients_of_received, chunk.gradients_of_sent);
    if (task.phase == Phase::backward) {
      run(task, name, functions.whole, chunk.weights, false);
    } else {
      run(task, name, functions.input, {}, false);
    }
    if (c > 0) send(c, m, c - 1, chunk.gradients_of_received);
  }

  /// Computes a function of a chunk, and adds the gradients of weights, or the loss, to those of other micro-batches.
  void run(const Task& task, const std::string& name, const ChunkFunction& function, const Values& weights,
           bool makes_loss) {
    const std::size_t c = std::size_t(task.chunk), m = std::size_t(task.microbatch), stage = stage_of(c);
    const Chunk& chunk = chunks_[c];
    if (function.results.empty()) return;
    Values summands, *sums = nullptr, loss_sum{loss_};
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      summands.push_back(chunk.gradients_of_weights[i]);
      numbers.push_back(tensor_of_.at(weights[i]));
    }
    if (makes_loss) {
      summands = {network_.loss.value};
      numbers = {0};
    }
    sums = makes_loss ? &loss_sum : &sums_[stage];
    Values kept;  // results that are no summands alone
    for (const InstructionId id : function.results) {
      const bool is_summand = std::ranges::find(summands, id) != summands.end();
      if (!is_summand || is_sent(chunk, id)) kept.push_back(id);
    }
    Values operands = read(c, m, function);
    const std::size_t reads = operands.size();
    std::vector<std::ptrdiff_t> sum_at;  // by summand: position of the sum among the operands, -1 if it is the first
    for (const std::size_t number : numbers) {
      const InstructionId sum = (*sums)[number];
      sum_at.push_back(sum < 0 ? -1 : std::ptrdiff_t(operands.size()));
      if (sum >= 0) operands.push_back(sum);
    }
    const auto body = [&](GraphBuilder& b, const Values& in) {
      const auto add = [&](std::size_t number, InstructionId value) {
        const hlo::build::GraphBuilder::Scope scope(b, "accumulated");
        return sum_at[number] < 0 ? value : b.add(in[std::size_t(sum_at[number])], value);
      };
      hlo::pipeline::AppendedFunction made =
          append_function(chunk.graph, function, b, std::span(in).first(reads), {summands, add});
      Values results;
      for (std::size_t i = 0; i < function.results.size(); ++i) {
        if (std::ranges::find(kept, function.results[i]) != kept.end()) results.push_back(made.results[i]);
      }
      results.insert(results.end(), made.sums.begin(), made.sums.end());
      return results;
    };
    const bool is_first = std::ranges::find(sum_at, -1) != sum_at.end();
    const Values results = on_stage(stage, name + (is_first ? "_first" : ""), operands, body);
    for (std::size_t i = 0; i < kept.size(); ++i) values_[c][m][kept[i]] = results[i];
    for (std::size_t i = 0; i < numbers.size(); ++i) (*sums)[numbers[i]] = results[kept.size() + i];
    loss_ = loss_sum[0];
  }

  static bool is_sent(const Chunk& chunk, InstructionId id) {
    return std::ranges::find(chunk.gradients_of_received, id) != chunk.gradients_of_received.end();
  }

  static std::string name_of(const Task& task) {
    constexpr std::string_view phases[] = {"forward", "backward", "backward_input", "backward_weight"};
    return fmt::format("{}_chunk{}", phases[int(task.phase)], task.chunk);
  }

  /// Starts to send values of a chunk to the stage of another.
  void send(std::size_t chunk, std::size_t microbatch, std::size_t to, const Values& ids) {
    const std::size_t source = stage_of(chunk), target = stage_of(to);
    if (source == target) return;
    for (const InstructionId id : ids) {
      hlo::Instruction permute;
      permute.opcode = hlo::Opcode::collective_permute;
      permute.phase = hlo::AsyncPhase::start;
      permute.operands = {value_of(chunk, microbatch, id)};
      permute.op_name = fmt::format("send/chunk{}", chunk);
      permute.participants.edit().channel_id = 1;
      for (std::int64_t pipeline = 0; pipeline < o_.pipelines; ++pipeline) {
        const std::int64_t first = pipeline * stages();
        permute.participants.edit().source_target_pairs.emplace_back(first + std::int64_t(source),
                                                                     first + std::int64_t(target));
      }
      in_flight_[to][microbatch][{chunk, id}] = b_.add(std::move(permute));
    }
  }

  /// Completes the transfers of values of a chunk, which get the ids `as` in another.
  void receive(std::size_t chunk, std::size_t microbatch, std::size_t from, const Values& ids, const Values& as) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      InstructionId& value = values_[chunk][microbatch][as[i]];
      if (stage_of(chunk) == stage_of(from)) {
        value = value_of(from, microbatch, ids[i]);
        continue;
      }
      hlo::Instruction arrived;
      arrived.opcode = hlo::Opcode::collective_permute;
      arrived.phase = hlo::AsyncPhase::done;
      arrived.operands = {in_flight_[chunk][microbatch].at({from, ids[i]})};
      arrived.op_name = fmt::format("send/chunk{}", from);
      value = b_.add(std::move(arrived));
    }
  }

  // --- update

  /// Adds up the gradients of weights that several stages have.
  void add_over_sharing_stages() {
    std::map<std::set<std::size_t>, std::vector<std::size_t>> shared;
    for (std::size_t number = 0; number < owners_.size(); ++number) {
      if (owners_[number].size() > 1) shared[owners_[number]].push_back(number);
    }
    for (const auto& [owners, numbers] : shared) {
      for (const std::size_t number : numbers) {
        // Each stage has its own sum in its own value: one value of all owners is chosen stage by stage.
        const InstructionId mine = chosen_by_stage(owners, number);
        const hlo::build::GraphBuilder::Scope scope(b_, "all_reduce/" + tensor(number).name);
        const Values sum = conditional(
            is_stage(owners), fmt::format("all_reduce_shared{}", number), {mine},
            [&, &all = owners](GraphBuilder& b, const Values& in) { return Values{reduced(b, in[0], all)}; }, {});
        for (const std::size_t stage : owners) sums_[stage][number] = sum[0];
        reduced_.insert(number);
      }
    }
  }

  InstructionId chosen_by_stage(const std::set<std::size_t>& owners, std::size_t number) {
    InstructionId value = -1;
    for (const std::size_t stage : owners) {
      const InstructionId own = sums_[stage][number];
      if (value < 0) {
        value = own;
        continue;
      }
      const TaskBody same = [](GraphBuilder&, const Values& in) { return in; };
      value = conditional(is_stage({stage}), fmt::format("take_sum{}", number), {own}, same, {value})[0];
    }
    return value;
  }

  /// The sum over some stages of all pipelines.
  InstructionId reduced(GraphBuilder& b, InstructionId gradient, const std::set<std::size_t>& over) const {
    if (over.size() == 1 && o_.pipelines == 1) return gradient;
    const InstructionId narrow = b.convert(gradient, network_.gradient_type);
    std::vector<std::vector<std::int64_t>> groups(1);
    for (std::int64_t pipeline = 0; pipeline < o_.pipelines; ++pipeline) {
      for (const std::size_t stage : over) groups.front().push_back(pipeline * stages() + std::int64_t(stage));
    }
    return b.convert(summed(b, narrow, 2, std::move(groups)), b.type(gradient));
  }

  /// The sum over the partitions of each group.
  static InstructionId summed(GraphBuilder& b, InstructionId value, std::int64_t channel,
                              std::vector<std::vector<std::int64_t>> groups) {
    hlo::Instruction reduce;
    reduce.opcode = hlo::Opcode::all_reduce;
    reduce.operands = {value};
    reduce.called = {b.combiner(hlo::Opcode::add, b.type(value))};
    hlo::Participants& participants = reduce.participants.edit();
    participants.channel_id = channel;
    participants.use_global_device_ids = true;  // groups are of partitions
    participants.groups = std::move(groups);
    return b.add(std::move(reduce));
  }

  std::vector<std::size_t> tensors_of(std::size_t stage) const {
    std::vector<std::size_t> numbers;
    for (std::size_t number = 0; number < owners_.size(); ++number) {
      if (owners_[number].contains(stage)) numbers.push_back(number);
    }
    return numbers;
  }

  Values update_operands(std::size_t stage) const {
    Values operands;
    for (const Holder& holder : holders_) operands.push_back(holder.value);
    for (const Holder& holder : holders_) operands.insert(operands.end(), holder.slots.begin(), holder.slots.end());
    operands.push_back(scalars_.learning_rate);
    if (scalars_.step >= 0) operands.push_back(scalars_.step);
    if (factor_ >= 0) operands.push_back(factor_);
    for (const std::size_t number : tensors_of(stage)) operands.push_back(sums_[stage][number]);
    return operands;
  }

  Values updated(GraphBuilder& b, std::size_t stage, const Values& in) const {
    std::size_t next = holders_.size();
    std::vector<std::size_t> first_slot;  // of every holder
    for (const Holder& holder : holders_) {
      first_slot.push_back(next);
      next += holder.slots.size();
    }
    Values results(in.begin(), in.begin() + std::ptrdiff_t(next));
    StepScalars scalars{in[next], -1};
    ++next;
    if (scalars_.step >= 0) scalars.step = in[next++];
    const InstructionId factor = factor_ < 0 ? -1 : in[next++];
    for (const std::size_t number : tensors_of(stage)) {
      const std::size_t at = std::size_t(holder_of_[stage][number]);
      const InstructionId sum = in[next++];
      const InstructionId mean = factor >= 0 ? clipped(b, sum, factor, number) : averaged(b, sum, stage, number);
      const hlo::build::GraphBuilder::Scope scope(b, "optimizer/" + tensor(number).name);
      const std::span own = std::span(in).subspan(first_slot[at], holders_[at].slots.size());
      const TrainedTensor held{in[at], tensor(number).name, tensor(number).is_kernel};
      const Update change = update(b, network_.optimizer, held, mean, own, scalars);
      results[at] = change.value;
      std::ranges::copy(change.slots, results.begin() + std::ptrdiff_t(first_slot[at]));
    }
    return results;
  }

  /// The mean of a tensor's gradients over all micro-batches and pipelines.
  InstructionId averaged(GraphBuilder& b, InstructionId sum, std::size_t stage, std::size_t number) const {
    const hlo::build::GraphBuilder::Scope scope(b, "all_reduce/" + tensor(number).name);
    const InstructionId total = reduced_.contains(number) ? sum : reduced(b, sum, {stage});
    return b.multiply(total, b.full_like(total, 1.0 / double(microbatches() * o_.pipelines)));
  }

  InstructionId clipped(GraphBuilder& b, InstructionId mean, InstructionId factor, std::size_t number) const {
    const hlo::build::GraphBuilder::Scope scope(b, "optimizer/clip/" + tensor(number).name);
    return b.multiply(mean, b.broadcast(b.convert(factor, b.type(mean)), b.shape(mean).dimensions));
  }

  /// Averages all gradients, and adds up the squares of those of all stages.
  void find_clipping_factor() {
    InstructionId squares = b_.constant(b_.type(loss_), 0);  // of this core's stage
    for (std::size_t stage = 0; stage < std::size_t(stages()); ++stage) {
      const std::vector<std::size_t> numbers = tensors_of(stage);
      Values operands{squares};
      for (const std::size_t number : numbers) operands.push_back(sums_[stage][number]);
      const TaskBody body = [&](GraphBuilder& b, const Values& in) {
        Values results{in[0]};
        for (std::size_t i = 0; i < numbers.size(); ++i) {
          results.push_back(averaged(b, in[i + 1], stage, numbers[i]));
          if (*owners_[numbers[i]].begin() != stage) continue;  // another stage counts it
          const hlo::build::GraphBuilder::Scope scope(b, "optimizer/clip/" + tensor(numbers[i]).name);
          results[0] = b.add(results[0], b.convert(sum_of_squares(b, results.back()), b.type(results[0])));
        }
        return results;
      };
      const Values results =
          stages() == 1
              ? body(b_, operands)
              : conditional(is_stage({stage}), fmt::format("mean_gradients_stage{}", stage), operands, body, {squares});
      squares = results[0];
      for (std::size_t i = 0; i < numbers.size(); ++i) sums_[stage][numbers[i]] = results[i + 1];
    }
    const hlo::build::GraphBuilder::Scope scope(b_, "optimizer/clip");
    if (stages() > 1) squares = over_stages(squares);
    factor_ = clipping_factor(b_, squares, network_.optimizer.clip_norm);
  }

  /// The sum over the stages of each pipeline.
  InstructionId over_stages(InstructionId value) {
    std::vector<std::vector<std::int64_t>> groups;
    for (std::int64_t pipeline = 0; pipeline < o_.pipelines; ++pipeline) {
      std::vector<std::int64_t>& group = groups.emplace_back();
      for (std::int64_t stage = 0; stage < stages(); ++stage) group.push_back(pipeline * stages() + stage);
    }
    return summed(b_, value, 3, std::move(groups));
  }

  InstructionId mean_loss() {
    const hlo::build::GraphBuilder::Scope scope(b_, "loss/mean");
    const double share = 1.0 / double(microbatches());
    return on_stage(last_stage(), "mean_loss", {loss_}, [share](GraphBuilder& b, const Values& in) {
      return Values{b.multiply(in[0], b.full_like(in[0], share))};
    })[0];
  }

  PipelineStep finish() {
    Values results;
    if (stages() == 1) {
      results = updated(b_, 0, update_operands(0));
    } else {
      Values operands;
      std::vector<hlo::ComputationId> branches;
      std::vector<hlo::Shape> shapes;
      for (std::size_t stage = 0; stage < std::size_t(stages()); ++stage) {
        const Values own = update_operands(stage);
        branches.push_back(branch(
            fmt::format("update_stage{}", stage), own,
            [&](GraphBuilder& b, const Values& in) { return updated(b, stage, in); }, shapes));
        operands.push_back(b_.tuple(own));
      }
      results = elements(b_.conditional(stage_, operands, branches), shapes.size());
    }
    results.push_back(mean_loss());
    std::vector<hlo::Donation> donations;
    for (std::size_t i = 0; i + 1 < results.size(); ++i) donations.push_back({std::int64_t(i), std::int64_t(i)});
    PipelineStep pipeline;
    for (const std::vector<int>& of_stage : holder_of_) {
      std::vector<std::int64_t>& numbers = pipeline.parameter_of.emplace_back();
      for (const int holder : of_stage) numbers.push_back(holder);
    }
    pipeline.step = step_of(std::move(b_), std::move(results), std::move(donations), {});
    pipeline.step.module.partitions = stages() * o_.pipelines;
    return pipeline;
  }

  const ForwardNetwork& network_;
  const PipelineOptions& o_;
  std::vector<Chunk> chunks_;
  std::vector<std::int64_t> stage_of_;  ///< by chunk
  GraphBuilder b_;
  std::map<InstructionId, std::size_t> tensor_of_;  ///< number of a tensor by its id in the network
  std::vector<std::set<std::size_t>> owners_;       ///< by tensor: stages that have it
  std::vector<Holder> holders_;
  std::vector<std::vector<int>> holder_of_;  ///< by stage, by tensor; -1 if the stage does not have it
  std::vector<std::map<InstructionId, InstructionId>> inputs_;  ///< by micro-batch, by id in the network
  StepScalars scalars_;
  InstructionId stage_ = -1;       ///< stage of this core, s32
  std::vector<Values> sums_;       ///< by stage, by tensor: gradients of the micro-batches so far, -1 if none
  InstructionId loss_ = -1;        ///< sum over the micro-batches so far
  InstructionId factor_ = -1;      ///< by which gradients are clipped; -1 if they are not
  std::set<std::size_t> reduced_;  ///< tensors whose gradients are summed over stages and pipelines
  std::set<std::pair<std::int64_t, std::int64_t>> waits_;  ///< chunks and micro-batches with a wait for gradients
  std::vector<std::map<InstructionId, InstructionId>> prepared_;  ///< by chunk, by id in its graph
  /// By chunk, by micro-batch, by id in the chunk's graph.
  std::vector<std::vector<std::map<InstructionId, InstructionId>>> values_;
  std::vector<std::vector<InFlight>>
      in_flight_;  ///< by chunk that receives, by micro-batch: transfers that are started
};

}  // namespace

hlo::pipeline::Network divisible(const ForwardNetwork& network) {
  hlo::pipeline::Network result{network.graph, network.loss.value, {}, network.loss.held, network.loss.given};
  for (const TrainedTensor& tensor : network.tensors) result.weights.push_back(tensor.value);
  return result;
}

PipelineStep pipeline_step(const ForwardNetwork& network, const hlo::pipeline::Division& division,
                           const PipelineOptions& options) {
  return PipelineWriter(network, division, options).run();
}

}  // namespace podsim::workloads::pipelines
