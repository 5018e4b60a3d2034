// SPDX-License-Identifier: Apache-2.0
#include "workloads/pipelines/vectorised_pipeline.h"

#include <utility>

#include <fmt/format.h>

#include "base/diagnostic.h"

namespace podsim::workloads::pipelines {

using hlo::InstructionId;
using hlo::build::GraphBuilder;

namespace {

using Ids = std::vector<InstructionId>;

struct Sizes {
  explicit Sizes(const PipelinedMlpOptions& o)
      : stages(o.stages),
        microbatches(o.microbatches),
        rows(o.pipelines * o.microbatch),
        width(o.width),
        layers(o.layers / o.stages),
        ticks(o.microbatches + o.stages - 1) {
    if (o.layers % o.stages != 0) {
      throw base::InputError(
          fmt::format("{} layers do not divide among {} stages, of which each is to do the same", o.layers, o.stages));
    }
  }
  std::int64_t stages, microbatches, rows, width;
  std::int64_t layers;  ///< layers of a stage
  std::int64_t ticks;
};

Ids kernel_parameters(hlo::build::GraphBuilder& b, const PipelinedMlpOptions& o, const Sizes& s) {
  Ids kernels;
  for (std::int64_t i = 0; i < s.layers; ++i) {
    kernels.push_back(b.parameter(hlo::make_shape(o.precision.parameter, {s.stages, s.width, s.width}),
                                  fmt::format("layer{}/kernel", i)));
  }
  return kernels;
}

/// The state of all stages after a tick at which `input` [1, rows, width] enters the state of the previous tick.
InstructionId tick(hlo::build::GraphBuilder& b, const Sizes& s, InstructionId state, InstructionId input,
                   const Ids& kernels) {
  const InstructionId kept = b.slice(state, {{0, s.stages - 1}, {0, s.rows}, {0, s.width}});
  InstructionId x = s.stages == 1 ? input : b.concatenate({input, kept}, 0);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const hlo::build::GraphBuilder::Scope scope(b, fmt::format("layer{}", i));
    const InstructionId y = b.dot(x, b.convert(kernels[i], b.type(x)), {{0}, {0}, {2}, {1}});
    x = b.maximum(y, b.full_like(y, 0));
  }
  return x;
}

InstructionId last_stage(hlo::build::GraphBuilder& b, const Sizes& s, InstructionId state) {
  return b.slice(state, {{s.stages - 1, s.stages}, {0, s.rows}, {0, s.width}});
}

}  // namespace

hlo::Module vectorised_pipeline_forward(const PipelinedMlpOptions& o) {
  const Sizes s(o);
  const auto type = o.precision.activation;
  hlo::build::GraphBuilder b("vectorised_pipeline_forward");
  const Ids kernels = kernel_parameters(b, o, s);
  const InstructionId inputs = b.parameter(hlo::make_shape(type, {s.microbatches, s.rows, s.width}), "inputs");
  const InstructionId later = b.pad(inputs, b.constant(type, 0), {{0, s.stages - 1, 0}, {}, {}});
  // The state of the loop: the tick, the outputs of the stages, inputs and outputs by tick, kernels.
  Ids state{b.constant(hlo::ElementType::s32, 0), b.full(hlo::make_shape(type, {s.stages, s.rows, s.width}), 0), later,
            b.full(b.shape(later), 0)};
  state.insert(state.end(), kernels.begin(), kernels.end());
  const InstructionId begin = b.tuple(state);

  hlo::build::GraphBuilder body("tick");
  const InstructionId now = body.parameter(b.shape(begin), "state");
  Ids elements;
  for (std::size_t i = 0; i < state.size(); ++i) elements.push_back(body.get_tuple_element(now, std::int64_t(i)));
  const InstructionId zero = body.constant(hlo::ElementType::s32, 0);
  const InstructionId input = body.dynamic_slice(elements[2], {elements[0], zero, zero}, {1, s.rows, s.width});
  const Ids inner(elements.begin() + 4, elements.end());
  elements[1] = tick(body, s, elements[1], input, inner);
  elements[3] = body.dynamic_update_slice(elements[3], last_stage(body, s, elements[1]), {elements[0], zero, zero});
  elements[0] = body.add(elements[0], body.constant(hlo::ElementType::s32, 1));
  const InstructionId next = body.tuple(elements);

  hlo::build::GraphBuilder condition("goes_on");
  const InstructionId at = condition.get_tuple_element(condition.parameter(b.shape(begin), "state"), 0);
  const InstructionId limit = condition.constant(hlo::ElementType::s32, double(s.ticks));
  const InstructionId goes_on = condition.compare(at, limit, hlo::ComparisonDirection::lt);

  const hlo::ComputationId condition_id = b.computation(std::move(condition), goes_on);
  const hlo::ComputationId body_id = b.computation(std::move(body), next);
  const InstructionId end = b.while_loop(begin, condition_id, body_id, s.ticks);
  const InstructionId outputs =
      b.slice(b.get_tuple_element(end, 3), {{s.stages - 1, s.ticks}, {0, s.rows}, {0, s.width}});
  return std::move(b).build(outputs);
}

TrainingStep vectorised_pipeline_step(const PipelinedMlpOptions& o) {
  const Sizes s(o);
  const auto type = o.precision.activation, wide = o.precision.parameter;
  hlo::build::GraphBuilder b("vectorised_pipeline_training_step");
  const Ids kernels = kernel_parameters(b, o, s);
  const hlo::Shape batch = hlo::make_shape(type, {s.microbatches, s.rows, s.width});
  const InstructionId inputs = b.parameter(batch, "inputs"), targets = b.parameter(batch, "targets");
  const auto microbatch = [&](InstructionId of, std::int64_t number) {
    return b.slice(of, {{number, number + 1}, {0, s.rows}, {0, s.width}});
  };
  InstructionId state = b.full(hlo::make_shape(type, {s.stages, s.rows, s.width}), 0);
  InstructionId loss = b.constant(wide, 0);
  Ids predictions;
  const double count = double(s.microbatches * s.rows * s.width);
  for (std::int64_t t = 0; t < s.ticks; ++t) {
    const hlo::build::GraphBuilder::Scope scope(b, fmt::format("tick{}", t));
    const InstructionId nothing = b.full(hlo::make_shape(type, {1, s.rows, s.width}), 0);
    state = tick(b, s, state, t < s.microbatches ? microbatch(inputs, t) : nothing, kernels);
    if (t < s.stages - 1) continue;
    predictions.push_back(state);  // whose last stage has an output: it stays where it is
    const hlo::build::GraphBuilder::Scope inner(b, "loss");
    const InstructionId output = b.convert(last_stage(b, s, state), wide);
    const InstructionId error = b.subtract(output, b.convert(microbatch(targets, t - s.stages + 1), wide));
    const InstructionId sum = b.reduce_add(b.multiply(error, error), {0, 1, 2});
    loss = b.add(loss, b.multiply(sum, b.constant(wide, 1 / count)));
  }
  std::vector<TrainedTensor> trained;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    trained.push_back({kernels[i], fmt::format("layer{}/kernel", i), true});
  return global_training_step(std::move(b), {loss, {}, {}, predictions}, trained, o.optimizer);
}

std::string vectorised_pipeline_sharding(const PipelinedMlpOptions& options) {
  const bool several = options.pipelines > 1;
  std::string text = several
                         ? fmt::format("[mesh]\naxes = \"pipeline={},stage={}\"\n", options.pipelines, options.stages)
                         : fmt::format("[mesh]\naxes = \"stage={}\"\n", options.stages);
  text += "[sharding]\n\"layer*/kernel\" = [\"stage\"]\n\"layer*/kernel/*\" = [\"stage\"]\n";
  if (several) text += "\"inputs\" = [\"\", \"pipeline\"]\n\"targets\" = [\"\", \"pipeline\"]\n";
  return text;
}

}  // namespace podsim::workloads::pipelines
