// SPDX-License-Identifier: Apache-2.0
#include "workloads/pipelines/pipelined_mlp.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostic.h"

namespace podsim::workloads::pipelines {

using hlo::ComputationId;
using hlo::InstructionId;
using hlo::build::GraphBuilder;

namespace {

using Ids = std::vector<InstructionId>;

/// Ticks between a stage's computation of a micro-batch and the next stage's. A stage sends its result and computes the
/// next micro-batch while the transfer is in flight. A tick without a micro-batch takes no time, so this delays
/// nothing.
constexpr std::int64_t travel = 2;

/// Writes a branch: returns its results from the elements of its operand.
using BranchBody = std::function<Ids(hlo::build::GraphBuilder&, const Ids& elements)>;

struct Branch {
  std::string name;
  Ids operands;
  BranchBody body;
};

class Pipeline {
 public:
  explicit Pipeline(const PipelinedMlpOptions& options)
      : o_(options), max_layers_(std::size_t(layers_of_stage(options, 0))), b_("pipelined_mlp_training_step") {}

  TrainingStep run() {
    add_parameters();
    stage_ = o_.stages == 1 ? s32(0)
                            : b_.convert(b_.binary(hlo::Opcode::remainder, b_.partition_id(), u32(o_.stages)),
                                         hlo::ElementType::s32);
    for (InstructionId kernel : kernels_) working_.push_back(b_.convert(kernel, o_.precision.activation));
    in_flight_.assign(std::size_t(ticks()), -1);
    received_ = b_.full(activation_shape(), 0);
    for (std::int64_t tick = 0; tick < ticks(); ++tick) forward(tick);
    if (o_.inference) return finish_forward();
    gradients_.assign(max_layers_, b_.full(b_.shape(kernels_[0]), 0));
    loss_ = b_.constant(o_.precision.parameter, 0);
    in_flight_.assign(std::size_t(ticks()), -1);
    received_ = b_.full(activation_shape(), 0);
    for (std::int64_t tick = ticks() - 1; tick >= 0; --tick) backward(tick);
    return finish();
  }

 private:
  std::int64_t ticks() const { return o_.microbatches + travel * (o_.stages - 1); }
  hlo::Shape activation_shape() const { return hlo::make_shape(o_.precision.activation, {o_.microbatch, o_.width}); }
  InstructionId u32(std::int64_t value) { return b_.constant(hlo::ElementType::u32, double(value)); }
  InstructionId s32(std::int64_t value) { return b_.constant(hlo::ElementType::s32, double(value)); }

  void add_parameters() {
    const hlo::Shape kernel = hlo::make_shape(o_.precision.parameter, {o_.width, o_.width});
    const hlo::Shape batch = hlo::make_shape(o_.precision.activation, {o_.microbatches, o_.microbatch, o_.width});
    for (std::size_t i = 0; i < max_layers_; ++i) {
      kernels_.push_back(b_.parameter(kernel, fmt::format("layer{}/kernel", i)));
    }
    if (o_.inference) {
      inputs_ = b_.parameter(batch, "inputs");
      return;
    }
    for (std::size_t i = 0; i < max_layers_; ++i) {
      Ids& of_kernel = slots_.emplace_back();
      for (const Slot& slot : slots(o_.optimizer, kernel.dimensions)) {
        const hlo::Shape shape = hlo::make_shape(o_.precision.parameter, slot.sizes);
        of_kernel.push_back(b_.parameter(shape, fmt::format("layer{}/kernel/{}", i, slot.name)));
      }
    }
    const hlo::Shape scalar = hlo::make_shape(o_.precision.parameter, {});
    scalars_.learning_rate = b_.parameter(scalar, "learning_rate");
    if (counts_steps(o_.optimizer)) scalars_.step = b_.parameter(scalar, "step");
    inputs_ = b_.parameter(batch, "inputs");
    targets_ = b_.parameter(batch, "targets");
  }

  InstructionId pred_to_s32(InstructionId pred) { return b_.convert(pred, hlo::ElementType::s32); }
  InstructionId stage_is(std::int64_t stage) { return b_.compare(stage_, s32(stage), hlo::ComparisonDirection::eq); }
  /// True in the program if this core's stage is in [first, limit).
  InstructionId stage_within(std::int64_t first, std::int64_t limit) {
    return b_.logical_and(b_.compare(stage_, s32(first), hlo::ComparisonDirection::ge),
                          b_.compare(stage_, s32(limit), hlo::ComparisonDirection::lt));
  }
  /// The range of stages that have a micro-batch at a tick, which has the number tick - travel * stage.
  std::pair<std::int64_t, std::int64_t> active(std::int64_t tick) const {
    const std::int64_t first = std::max<std::int64_t>(0, tick - o_.microbatches + 1);
    return {(first + travel - 1) / travel, std::min(o_.stages, tick / travel + 1)};
  }
  /// Number of stages with one layer more than the others; these come first.
  std::int64_t longer_stages() const { return o_.layers % o_.stages; }
  bool unequal() const { return longer_stages() > 0; }

  Ids conditional(InstructionId index, const std::vector<Branch>& branches) {
    Ids operands;
    std::vector<ComputationId> bodies;
    std::size_t results = 0;
    for (const Branch& branch : branches) {
      std::vector<hlo::Shape> shapes;
      for (InstructionId operand : branch.operands) shapes.push_back(b_.shape(operand));
      hlo::build::GraphBuilder body(branch.name);
      const InstructionId argument = body.parameter(hlo::make_tuple_shape(std::move(shapes)), "operands");
      const hlo::build::GraphBuilder::Scope scope(body, b_.scope());
      Ids elements;
      for (std::size_t i = 0; i < branch.operands.size(); ++i) {
        elements.push_back(body.get_tuple_element(argument, std::int64_t(i)));
      }
      Ids values = branch.body(body, elements);
      results = values.size();
      const InstructionId root = body.tuple(std::move(values));
      bodies.push_back(b_.computation(std::move(body), root));
      operands.push_back(b_.tuple(branch.operands));
    }
    const InstructionId chosen = b_.conditional(index, std::move(operands), std::move(bodies));
    Ids values;
    for (std::size_t i = 0; i < results; ++i) values.push_back(b_.get_tuple_element(chosen, std::int64_t(i)));
    return values;
  }

  /// Starts to send a value from the stages in [first, limit) of every pipeline to the next stage (with step -1, to the
  /// previous one). `arrive` completes the transfer at a later tick.
  void send(std::int64_t tick, InstructionId value, std::int64_t first, std::int64_t limit, std::int64_t step) {
    hlo::Instruction permute;
    permute.opcode = hlo::Opcode::collective_permute;
    permute.phase = hlo::AsyncPhase::start;
    permute.operands = {value};
    permute.participants.edit().channel_id = 1;
    for (std::int64_t pipeline = 0; pipeline < o_.pipelines; ++pipeline) {
      for (std::int64_t stage = first; stage < limit; ++stage) {
        if (stage + step < 0 || stage + step >= o_.stages) continue;
        const std::int64_t source = pipeline * o_.stages + stage;
        permute.participants.edit().source_target_pairs.emplace_back(source, source + step);
      }
    }
    if (!permute.participants->source_target_pairs.empty()) in_flight_[std::size_t(tick)] = b_.add(std::move(permute));
  }

  /// Completes the transfer that was started at a tick.
  void arrive(std::int64_t sent_at) {
    if (sent_at < 0 || sent_at >= ticks() || in_flight_[std::size_t(sent_at)] < 0) return;
    hlo::Instruction arrived;
    arrived.opcode = hlo::Opcode::collective_permute;
    arrived.phase = hlo::AsyncPhase::done;
    arrived.operands = {in_flight_[std::size_t(sent_at)]};
    received_ = b_.add(std::move(arrived));
  }

  /// relu(x w) for each kernel. Returns the inputs of all layers and the output of the last.
  static Ids layers(hlo::build::GraphBuilder& b, InstructionId x, std::span<const InstructionId> kernels) {
    Ids values{x};
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const hlo::build::GraphBuilder::Scope scope(b, fmt::format("layer{}", i));
      const InstructionId y = b.dot(values.back(), kernels[i], {{}, {}, {1}, {0}});
      values.push_back(b.maximum(y, b.full_like(y, 0)));
    }
    return values;
  }

  InstructionId microbatch(hlo::build::GraphBuilder& b, InstructionId batch, std::int64_t number) const {
    const InstructionId one = b.slice(batch, {{number, number + 1}, {0, o_.microbatch}, {0, o_.width}});
    return b.reshape(one, {o_.microbatch, o_.width});
  }

  void forward(std::int64_t tick) {
    const hlo::build::GraphBuilder::Scope scope(b_, fmt::format("forward/tick{}", tick));
    const auto [first, limit] = active(tick);
    arrive(tick - travel);
    const InstructionId input = stage_input(tick);
    const std::size_t kept = o_.inference ? 0 : o_.rematerialise ? 1 : max_layers_ + 1;
    Ids operands{input};
    operands.insert(operands.end(), working_.begin(), working_.end());
    const auto computing = [&](std::size_t count) {
      return Branch{fmt::format("forward_{}", count), operands, [=](hlo::build::GraphBuilder& b, const Ids& elements) {
                      Ids values = layers(b, elements[0], std::span(elements).subspan(1, count));
                      const InstructionId output = values.back();
                      values.resize(kept, output);
                      values.push_back(output);
                      return values;
                    }};
    };
    const Branch idle{"forward_idle", {input}, [=](hlo::build::GraphBuilder&, const Ids& elements) {
                        return Ids(kept + 1, elements[0]);
                      }};
    Ids values = conditional(length_index(first, limit), by_length(idle, computing));
    send(tick, values.back(), first, limit, +1);
    if (o_.inference && limit == o_.stages) outputs_.push_back(values.back());
    values.pop_back();
    saved_.push_back(std::move(values));
  }

  /// The first stage takes a micro-batch of the inputs, the others take the value from the previous stage.
  InstructionId stage_input(std::int64_t tick) {
    if (tick >= o_.microbatches) return received_;
    const Branch reads{"take_input", {inputs_}, [this, tick](hlo::build::GraphBuilder& b, const Ids& elements) {
                         return Ids{microbatch(b, elements[0], tick)};
                       }};
    const Branch passes{
        "take_received", {received_}, [](hlo::build::GraphBuilder&, const Ids& elements) { return elements; }};
    return conditional(stage_is(0), {reads, passes})[0];
  }

  /// 0 for idle stages, 1 for stages with the most layers, 2 for stages with one layer less.
  InstructionId length_index(std::int64_t first, std::int64_t limit) {
    const InstructionId busy = pred_to_s32(stage_within(first, limit));
    if (!unequal()) return busy;
    return b_.add(busy, pred_to_s32(stage_within(std::max(first, longer_stages()), limit)));
  }
  std::vector<Branch> by_length(const Branch& idle, const std::function<Branch(std::size_t)>& computing) const {
    std::vector<Branch> branches{idle, computing(max_layers_)};
    if (unequal()) branches.push_back(computing(max_layers_ - 1));
    return branches;
  }

  /// A tick of the backward pass, for the micro-batches of tick `tick` of the forward pass. The last stage starts from
  /// the gradient of the loss, the others from the value that the following stage sent.
  void backward(std::int64_t tick) {
    const hlo::build::GraphBuilder::Scope scope(b_, fmt::format("backward/tick{}", tick));
    const auto [first, limit] = active(tick);
    arrive(tick + travel);
    Ids operands = saved_[std::size_t(tick)];
    operands.push_back(received_);
    operands.push_back(targets_);
    operands.push_back(loss_);
    operands.insert(operands.end(), working_.begin(), working_.end());
    operands.insert(operands.end(), gradients_.begin(), gradients_.end());
    const std::int64_t last_microbatch = tick - travel * (o_.stages - 1);
    const auto computing = [&](std::size_t count, bool is_last) {
      return Branch{fmt::format("backward_{}{}", count, is_last ? "_loss" : ""), operands,
                    [=, this](hlo::build::GraphBuilder& b, const Ids& elements) {
                      return backward_of_stage(b, elements, count, is_last ? last_microbatch : -1);
                    }};
    };
    Ids untouched{received_, loss_};
    untouched.insert(untouched.end(), gradients_.begin(), gradients_.end());
    const Branch idle{"backward_idle", untouched,
                      [](hlo::build::GraphBuilder&, const Ids& elements) { return elements; }};
    std::vector<Branch> branches = by_length(idle, [&](std::size_t count) { return computing(count, false); });
    InstructionId index = length_index(first, limit);
    if (limit == o_.stages) {
      // If stages differ in length, the last stage is one of the shorter ones.
      branches.push_back(computing(unequal() ? max_layers_ - 1 : max_layers_, true));
      index = b_.add(index, pred_to_s32(stage_is(o_.stages - 1)));
    }
    Ids values = conditional(index, branches);
    loss_ = values[1];
    gradients_.assign(values.begin() + 2, values.end());
    send(tick, values[0], first, limit, -1);
  }

  /// The backward pass of a stage. Operands: the saved values, the received gradient, targets, loss, kernels,
  /// gradients. Results: the gradient of the stage's input, loss, gradients.
  Ids backward_of_stage(hlo::build::GraphBuilder& b, const Ids& in, std::size_t count, std::int64_t loss_of) const {
    const std::size_t kept = in.size() - 3 - 2 * max_layers_;
    const InstructionId received = in[kept], targets = in[kept + 1];
    const auto kernels = std::span(in).subspan(kept + 3, count);
    Ids values(in.begin(), in.begin() + std::ptrdiff_t(kept));
    if (o_.rematerialise) {
      const hlo::build::GraphBuilder::Scope scope(b, "rematerialised");
      values = layers(b, in[0], kernels);
    }
    Ids out{received, in[kept + 2]};
    out.insert(out.end(), in.end() - std::ptrdiff_t(max_layers_), in.end());
    if (loss_of >= 0) {
      const hlo::build::GraphBuilder::Scope scope(b, "loss");
      add_loss(b, values[count], microbatch(b, targets, loss_of), out);
    }
    const hlo::build::GraphBuilder::Scope scope(b, "gradients");
    for (std::size_t i = count; i-- > 0;) {
      const hlo::build::GraphBuilder::Scope layer(b, fmt::format("layer{}", i));
      const InstructionId positive =
          b.compare(values[i + 1], b.full_like(values[i + 1], 0), hlo::ComparisonDirection::gt);
      const InstructionId g = b.select(positive, out[0], b.full_like(out[0], 0));
      const InstructionId kernel_gradient = b.dot(values[i], g, {{}, {}, {0}, {0}});
      out[2 + i] = b.add(out[2 + i], b.convert(kernel_gradient, o_.precision.parameter));
      out[0] = b.dot(g, kernels[i], {{}, {}, {1}, {1}});
    }
    return out;
  }

  /// Adds a micro-batch's part of the loss and starts its gradient; `out` holds gradient, loss, ...
  void add_loss(hlo::build::GraphBuilder& b, InstructionId output, InstructionId target, Ids& out) const {
    const hlo::ElementType type = o_.precision.parameter;
    const InstructionId error = b.subtract(b.convert(output, type), b.convert(target, type));
    const double count = double(o_.microbatches * o_.microbatch * o_.width);
    const InstructionId sum = b.reduce_add(b.multiply(error, error), {0, 1});
    out[1] = b.add(out[1], b.multiply(sum, b.constant(type, 1 / count)));
    out[0] = b.convert(b.multiply(error, b.full_like(error, 2 / count)), b.type(output));
  }

  /// The mean of a gradient over the same stage of all pipelines.
  InstructionId averaged(InstructionId gradient) {
    if (o_.pipelines == 1) return gradient;
    const InstructionId narrow = b_.convert(gradient, o_.gradient_type);
    hlo::Instruction reduce;
    reduce.opcode = hlo::Opcode::all_reduce;
    reduce.operands = {narrow};
    reduce.called = {b_.combiner(hlo::Opcode::add, o_.gradient_type)};
    reduce.participants.edit().channel_id = 2;
    reduce.participants.edit().use_global_device_ids = true;  // groups are of partitions
    for (std::int64_t stage = 0; stage < o_.stages; ++stage) {
      std::vector<std::int64_t>& group = reduce.participants.edit().groups.emplace_back();
      for (std::int64_t p = 0; p < o_.pipelines; ++p) group.push_back(p * o_.stages + stage);
    }
    const InstructionId sum = b_.convert(b_.add(std::move(reduce)), b_.type(gradient));
    return b_.multiply(sum, b_.full_like(sum, 1.0 / double(o_.pipelines)));
  }

  TrainingStep finish_forward() {
    TrainingStep step = forward_pass(std::move(b_), outputs_, kernels_);
    step.module.partitions = o_.stages * o_.pipelines;
    return step;
  }

  TrainingStep finish() {
    TrainingStep step;
    Ids results, new_slots;
    for (std::size_t i = 0; i < max_layers_; ++i) {
      const hlo::build::GraphBuilder::Scope scope(b_, fmt::format("optimizer/layer{}/kernel", i));
      const TrainedTensor tensor{kernels_[i], fmt::format("layer{}/kernel", i), true};
      const Update updated = update(b_, o_.optimizer, tensor, averaged(gradients_[i]), slots_[i], scalars_);
      results.push_back(updated.value);
      new_slots.insert(new_slots.end(), updated.slots.begin(), updated.slots.end());
    }
    results.insert(results.end(), new_slots.begin(), new_slots.end());
    for (std::size_t i = 0; i < results.size(); ++i) step.donations.push_back({std::int64_t(i), std::int64_t(i)});
    results.push_back(loss_);
    const InstructionId root = b_.tuple(std::move(results));
    step.module = std::move(b_).build(root);
    step.module.partitions = o_.stages * o_.pipelines;
    return step;
  }

  const PipelinedMlpOptions& o_;
  std::size_t max_layers_;
  hlo::build::GraphBuilder b_;
  Ids kernels_, gradients_;
  std::vector<Ids> slots_;  ///< slot variables of every kernel
  StepScalars scalars_;
  Ids working_;  ///< the kernels in the activations' type
  InstructionId inputs_ = -1, targets_ = -1;
  InstructionId stage_ = -1;     ///< stage of this core, s32
  Ids in_flight_;                ///< by tick: the transfer started then, -1 if none
  InstructionId received_ = -1;  ///< last value from the neighbouring stage
  InstructionId loss_ = -1;
  Ids outputs_;             ///< for inference: of the last stage, by micro-batch
  std::vector<Ids> saved_;  ///< by forward tick: a stage's input, and the inputs and outputs of its layers
};

}  // namespace

ModelKeys pipelined_mlp_keys(PipelinedMlpOptions& options) {
  ModelKeys keys;
  keys.add("model.stages", options.stages, 1, 4096, "cores that a pipeline is cut into");
  keys.add("model.microbatches", options.microbatches, 1, 4096, "parts of the batch that follow each other");
  keys.add("model.microbatch", options.microbatch, 1, 1 << 20, "samples in each of them");
  keys.add("model.width", options.width, 1, 1 << 17, "features of every layer");
  keys.add("model.layers", options.layers, 1, 1 << 16, "of the whole network, as evenly over the stages as they go");
  keys.add("model.rematerialise", options.rematerialise,
           "recompute a stage's layers on the way back; of form branches");
  keys.add("model.form", options.form, {{"branches", PipelineForm::branches}, {"vectorised", PipelineForm::vectorised}},
           "stages as branches by the core's number, or as a dimension that is cut");
  return keys;
}

std::int64_t layers_of_stage(const PipelinedMlpOptions& options, std::int64_t stage) {
  return options.layers / options.stages + (stage < options.layers % options.stages ? 1 : 0);
}

double bubble_share(std::int64_t stages, std::int64_t microbatches) {
  return double(stages - 1) / double(microbatches + stages - 1);
}

TrainingStep pipelined_mlp_step(const PipelinedMlpOptions& options) {
  if (options.layers < options.stages) {
    throw base::InputError(fmt::format("{} layers do not fill {} stages", options.layers, options.stages));
  }
  return Pipeline(options).run();
}

}  // namespace podsim::workloads::pipelines
