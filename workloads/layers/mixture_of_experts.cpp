// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/mixture_of_experts.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "workloads/layers/embedding.h"
#include "workloads/layers/next_tokens.h"

namespace podsim::workloads::layers {

using hlo::ComparisonDirection;
using hlo::InstructionId;
using hlo::build::GraphBuilder;
using Sizes = std::vector<std::int64_t>;

namespace {

/// Keeps the shares of two gates finite if both are zero.
constexpr double min_gate = 1e-9;

/// Assigns tokens to experts. Arrays are [G, S, E] unless stated otherwise, and numbers have the parameters' type.
class Routing {
 public:
  Routing(hlo::build::GraphBuilder& builder, InstructionId gates, std::int64_t capacity)
      : b(builder), gates_(gates), capacity_(capacity), sizes_(b.shape(gates).dimensions) {}

  /// The weight of every token in every slot: [G, E, C, S]. Slots are not the last dimension since they are few and
  /// would be padded.
  InstructionId combine() {
    first_ = highest(gates_);
    const InstructionId others = b.multiply(gates_, b.subtract(b.full_like(first_, 1), first_));
    const InstructionId second = highest(others);
    const InstructionId first_gate = over_experts(first_), second_gate = over_experts(second);
    const InstructionId both = b.add(b.add(first_gate, second_gate), b.full_like(first_gate, min_gate));
    const InstructionId taken = b.broadcast(b.reduce_add(first_, {1}), sizes_, {0, 2});
    const InstructionId of_first = placed(first_, before(first_), b.divide(first_gate, both));
    const InstructionId of_second = placed(second, b.add(before(second), taken), b.divide(second_gate, both));
    const hlo::build::GraphBuilder::Scope scope(b, "combine");
    return b.add(of_first, of_second);
  }

  /// The auxiliary loss; call after combine().
  InstructionId auxiliary() {
    const double groups = double(sizes_[0]), tokens = double(sizes_[1]), experts = double(sizes_[2]);
    const InstructionId product = b.multiply(b.reduce_add(first_, {1}), b.reduce_add(gates_, {1}));
    const InstructionId sum = b.reduce_add(product, {0, 1});
    return b.multiply(sum, b.full_like(sum, experts / (tokens * tokens * groups)));
  }

 private:
  hlo::ElementType type() const { return b.type(gates_); }

  /// 1 at the highest element of every token (the first of equal ones), else 0.
  InstructionId highest(InstructionId x) { return one_hot(b, most_probable(b, x), sizes_[2], type()); }

  /// The gate of the expert that `choice` marks: [G, S].
  InstructionId over_experts(InstructionId choice) { return b.reduce_add(b.multiply(gates_, choice), {2}); }

  /// The number of earlier tokens of the group with the same choice: a product with a triangle of ones, which is how
  /// Mesh-TensorFlow computes a prefix sum.
  InstructionId before(InstructionId choice) {
    const hlo::Shape square = hlo::make_shape(hlo::ElementType::s32, {sizes_[1], sizes_[1]});
    const InstructionId earlier = b.compare(b.iota(square, 0), b.iota(square, 1), hlo::ComparisonDirection::lt);
    const InstructionId counts = b.dot(choice, b.convert(earlier, type()), {{}, {}, {1}, {0}});  // [G, E, S]
    return b.transpose(counts, {0, 2, 1});
  }

  /// [G, E, C, S]: `weight` [G, S] at the slot of the choice, if it has one.
  InstructionId placed(InstructionId choice, InstructionId position, InstructionId weight) {
    const InstructionId fits =
        b.compare(position, b.full_like(position, double(capacity_)), hlo::ComparisonDirection::lt);
    const InstructionId kept = b.select(fits, choice, b.full_like(choice, 0));
    const InstructionId weighted = b.multiply(kept, b.broadcast(weight, sizes_, {0, 1}));
    const InstructionId number = b.reduce_add(b.multiply(position, choice), {2});  // [G, S]
    const Sizes places{sizes_[0], capacity_, sizes_[1]};
    const hlo::Shape shape = hlo::make_shape(hlo::ElementType::s32, places);
    const InstructionId wanted = b.broadcast(b.convert(number, hlo::ElementType::s32), places, {0, 2});
    const InstructionId is_there = b.convert(b.compare(wanted, b.iota(shape, 1), hlo::ComparisonDirection::eq), type());
    const Sizes all{sizes_[0], sizes_[2], capacity_, sizes_[1]};
    const InstructionId by_expert = b.transpose(weighted, {0, 2, 1});
    return b.multiply(b.broadcast(by_expert, all, {0, 1, 3}), b.broadcast(is_there, all, {0, 2, 3}));
  }

  hlo::build::GraphBuilder& b;
  InstructionId gates_;
  std::int64_t capacity_;
  Sizes sizes_;
  InstructionId first_ = -1;
};

struct Gates {
  InstructionId value = -1, held = -1;
};

/// x [G, S, M] -> [G, S, E]
Gates gates(TrainedTensors& tensors, InstructionId x, std::int64_t experts) {
  hlo::build::GraphBuilder& b = tensors.builder();
  const InstructionId w = tensors.weight("w_gating", {b.shape(x).dimensions[2], experts});
  const InstructionId product = b.dot(x, w, {{}, {}, {2}, {0}});
  const InstructionId logits = b.convert(product, tensors.precision().parameter);
  const Sizes sizes = b.shape(logits).dimensions;
  const InstructionId most = b.reduce_max(logits, {2});
  const InstructionId power = b.exponential(b.subtract(logits, b.broadcast(most, sizes, {0, 1})));
  const InstructionId sum = b.broadcast(b.reduce_add(power, {2}), sizes, {0, 1});
  const hlo::build::GraphBuilder::Scope scope(b, "gates");
  return {b.divide(power, sum), most};
}

InstructionId named_dot(hlo::build::GraphBuilder& b, std::string_view name, InstructionId lhs, InstructionId rhs,
                        hlo::DotDimensions dimensions) {
  const hlo::build::GraphBuilder::Scope scope(b, name);
  return b.dot(lhs, rhs, std::move(dimensions));
}

/// [G, E, C, M] -> [E, G, C, M]
InstructionId through_experts(TrainedTensors& tensors, InstructionId x, const FeedForwardOptions& expert) {
  hlo::build::GraphBuilder& b = tensors.builder();
  const std::int64_t experts = b.shape(x).dimensions[1], model = b.shape(x).dimensions[3];
  const hlo::DotDimensions into{{1}, {0}, {3}, {1}};
  const Sizes in_sizes{experts, model, expert.hidden};
  const InstructionId in = named_dot(b, "in", x, tensors.weight("w_in", in_sizes), into);
  const InstructionId up =
      is_gated(expert.activation) ? named_dot(b, "up", x, tensors.weight("w_up", in_sizes), into) : -1;
  const InstructionId hidden = activated(b, expert.activation, in, up);
  const InstructionId w_out = tensors.weight("w_out", {experts, expert.hidden, model});
  return named_dot(b, "expert_out", hidden, w_out, {{0}, {0}, {3}, {1}});
}

}  // namespace

std::int64_t expert_capacity(const MixtureOptions& options, std::int64_t group) {
  const double share = options.capacity_factor * double(group) / double(options.experts);
  const std::int64_t multiple = options.slot_multiple;
  if (multiple == 1) return std::max<std::int64_t>(1, std::int64_t(std::ceil(share)));
  return std::max<std::int64_t>(1, (std::int64_t(share) + multiple - 1) / multiple) * multiple;
}

MixtureResult mixture_of_experts(TrainedTensors& tensors, InstructionId x, const FeedForwardOptions& expert,
                                 const MixtureOptions& options) {
  hlo::build::GraphBuilder& b = tensors.builder();
  const Sizes sizes = b.shape(x).dimensions;
  const std::int64_t group = options.group > 0 ? options.group : sizes[1];
  if (sizes[0] * sizes[1] % group != 0) throw std::logic_error("tokens are not a multiple of their groups");
  const InstructionId grouped = b.reshape(x, {sizes[0] * sizes[1] / group, group, sizes[2]});
  const Gates gate = gates(tensors, grouped, options.experts);
  Routing routing(b, gate.value, expert_capacity(options, group));
  const InstructionId weights = routing.combine();
  const InstructionId auxiliary = routing.auxiliary();
  const InstructionId combine = b.convert(weights, b.type(x));
  const InstructionId dispatch = [&] {
    const InstructionId is_placed = b.compare(weights, b.full_like(weights, 0), hlo::ComparisonDirection::gt);
    const hlo::build::GraphBuilder::Scope scope(b, "dispatch");
    return b.convert(is_placed, b.type(x));
  }();
  const InstructionId dispatched = named_dot(b, "dispatched", dispatch, grouped, {{0}, {0}, {3}, {1}});
  const InstructionId out = through_experts(tensors, dispatched, expert);
  const InstructionId combined = named_dot(b, "combined", combine, out, {{0}, {1}, {1, 2}, {0, 2}});
  return {b.reshape(combined, sizes), auxiliary, gate.held};
}

}  // namespace podsim::workloads::layers
