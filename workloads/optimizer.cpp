// SPDX-License-Identifier: Apache-2.0
#include "workloads/optimizer.h"

#include <numeric>

namespace podsim::workloads {

using hlo::InstructionId;

namespace {

constexpr double adafactor_floor = 1e-30;       ///< added to every squared gradient
constexpr double adafactor_least_scale = 1e-3;  ///< least rms of a tensor in its rate, so that zeros can change
constexpr double adafactor_decay_power = 0.8;

/// Writes the update of one tensor by an optimiser.
class TensorUpdate {
 public:
  TensorUpdate(hlo::build::GraphBuilder& builder, const Optimizer& optimizer, const TrainedTensor& tensor,
               InstructionId gradient, std::span<const InstructionId> slots, const StepScalars& scalars)
      : b_(builder), optimizer_(optimizer), tensor_(tensor), gradient_(gradient), slots_(slots), scalars_(scalars) {}

  Update sgd_momentum() const {
    const InstructionId velocity = b_.add(scaled(slots_[0], optimizer_.momentum), decayed(gradient_));
    return {moved(scalars_.learning_rate, velocity), {velocity}};
  }

  Update lars() const {
    InstructionId rate = scalars_.learning_rate;
    if (tensor_.is_kernel) rate = b_.multiply(rate, lars_trust());
    const InstructionId step = b_.multiply(spread(rate), decayed(gradient_));
    const InstructionId velocity = b_.add(scaled(slots_[0], optimizer_.momentum), step);
    return {b_.subtract(tensor_.value, velocity), {velocity}};
  }

  Update adam() const {
    const InstructionId first = average(slots_[0], gradient_, optimizer_.momentum);
    const InstructionId second = average(slots_[1], b_.multiply(gradient_, gradient_), optimizer_.decay);
    return {moved(scalars_.learning_rate, adam_direction(first, second)), {first, second}};
  }

  Update lamb() const {
    const InstructionId first = average(slots_[0], gradient_, optimizer_.momentum);
    const InstructionId second = average(slots_[1], b_.multiply(gradient_, gradient_), optimizer_.decay);
    const InstructionId direction = adam_direction(first, second);
    InstructionId rate = scalars_.learning_rate;
    if (tensor_.is_kernel) {
      const InstructionId direction_norm = norm(direction), value_norm = norm(tensor_.value);
      rate = b_.multiply(rate, ratio_of_norms(value_norm, direction_norm, b_.divide(value_norm, direction_norm)));
    }
    return {moved(rate, direction), {first, second}};
  }

  Update adafactor() const {
    const InstructionId exponent = b_.constant(b_.type(scalars_.step), -adafactor_decay_power);
    const InstructionId fresh = b_.power(scalars_.step, exponent);  // 1 - b
    const InstructionId square = b_.multiply(gradient_, gradient_);
    const InstructionId floored = b_.add(square, b_.full_like(square, adafactor_floor));
    Update result;
    InstructionId direction = -1;
    if (rank() < 2) {
      result.slots = {blend(slots_[0], floored, fresh)};
      direction = b_.multiply(gradient_, b_.rsqrt(result.slots[0]));
    } else {
      result.slots = {blend(slots_[0], mean(floored, rank() - 1), fresh),
                      blend(slots_[1], mean(floored, rank() - 2), fresh)};
      direction = factored_direction(result.slots[0], result.slots[1]);
    }
    const InstructionId excess = at_least(rms(direction), 1);
    const InstructionId rate = b_.multiply(scalars_.learning_rate, at_least(rms(tensor_.value), adafactor_least_scale));
    result.value = moved(b_.divide(rate, excess), direction);
    return result;
  }

  Update rmsprop() const {
    const InstructionId direction = decayed(gradient_);
    const InstructionId square = average(slots_[0], b_.multiply(direction, direction), optimizer_.decay);
    const InstructionId scale = b_.rsqrt(b_.add(square, b_.full_like(square, optimizer_.epsilon)));
    const InstructionId step = b_.multiply(spread(scalars_.learning_rate), b_.multiply(direction, scale));
    const InstructionId velocity = b_.add(scaled(slots_[1], optimizer_.momentum), step);
    return {b_.subtract(tensor_.value, velocity), {square, velocity}};
  }

  /// The update with the moving average of its result.
  Update averaged(Update result) const {
    result.slots.push_back(average(slots_.back(), result.value, optimizer_.average_decay));
    return result;
  }

 private:
  int rank() const { return b_.shape(tensor_.value).rank(); }
  InstructionId scaled(InstructionId x, double factor) const { return b_.multiply(x, b_.full_like(x, factor)); }
  InstructionId at_least(InstructionId x, double least) const { return b_.maximum(x, b_.full_like(x, least)); }
  InstructionId spread(InstructionId scalar) const { return b_.broadcast(scalar, b_.shape(tensor_.value).dimensions); }
  InstructionId moved(InstructionId rate, InstructionId direction) const {
    return b_.subtract(tensor_.value, b_.multiply(spread(rate), direction));
  }
  InstructionId decayed(InstructionId x) const {
    return tensor_.is_kernel ? b_.add(x, scaled(tensor_.value, optimizer_.weight_decay)) : x;
  }

  InstructionId norm(InstructionId x) const { return b_.sqrt(sum_of_squares(b_, x)); }
  InstructionId rms(InstructionId x) const {
    return b_.sqrt(scaled(sum_of_squares(b_, x), 1.0 / double(b_.shape(x).element_count())));
  }
  InstructionId mean(InstructionId x, std::int64_t dimension) const {
    return scaled(b_.reduce_add(x, {dimension}), 1.0 / double(b_.shape(x).dimensions[dimension]));
  }

  /// decay * old + (1 - decay) * x
  InstructionId average(InstructionId old, InstructionId x, double decay) const {
    return b_.add(scaled(old, decay), scaled(x, 1 - decay));
  }
  /// (1 - fresh) * old + fresh * x, where `fresh` is a scalar.
  InstructionId blend(InstructionId old, InstructionId x, InstructionId fresh) const {
    const std::vector<std::int64_t> sizes = b_.shape(x).dimensions;
    const InstructionId kept = b_.subtract(b_.full_like(fresh, 1), fresh);
    return b_.add(b_.multiply(b_.broadcast(kept, sizes), old), b_.multiply(b_.broadcast(fresh, sizes), x));
  }
  /// The scalar 1 - decay^step.
  InstructionId correction(double decay) const {
    const InstructionId power = b_.power(b_.constant(b_.type(scalars_.step), decay), scalars_.step);
    return b_.subtract(b_.full_like(power, 1), power);
  }

  InstructionId adam_direction(InstructionId first, InstructionId second) const {
    const InstructionId unbiased = b_.divide(first, spread(correction(optimizer_.momentum)));
    const InstructionId deviation = b_.sqrt(b_.divide(second, spread(correction(optimizer_.decay))));
    return decayed(b_.divide(unbiased, b_.add(deviation, b_.full_like(deviation, optimizer_.epsilon))));
  }

  /// g / sqrt(R' C' / mean of R'). `rows` (R') lacks the last dimension, `columns` (C') the one before it.
  InstructionId factored_direction(InstructionId rows, InstructionId columns) const {
    const std::vector<std::int64_t> sizes = b_.shape(gradient_).dimensions;
    std::vector<std::int64_t> kept(rank());
    std::iota(kept.begin(), kept.end(), 0);
    const std::vector<std::int64_t> of_rows(kept.begin(), kept.end() - 1);
    const std::vector<std::int64_t> of_means(kept.begin(), kept.end() - 2);
    std::vector<std::int64_t> of_columns = of_means;
    of_columns.push_back(kept.back());
    const InstructionId whole = b_.broadcast(mean(rows, rank() - 2), b_.shape(rows).dimensions, of_means);
    const InstructionId row_factor = b_.rsqrt(b_.divide(rows, whole));
    const InstructionId column_factor = b_.rsqrt(columns);
    return b_.multiply(b_.multiply(gradient_, b_.broadcast(row_factor, sizes, of_rows)),
                       b_.broadcast(column_factor, sizes, of_columns));
  }

  /// `ratio`, or 1 if one of the norms x and y is zero.
  InstructionId ratio_of_norms(InstructionId x, InstructionId y, InstructionId ratio) const {
    const InstructionId zero = b_.full_like(x, 0);
    const InstructionId has_norms = b_.logical_and(b_.compare(x, zero, hlo::ComparisonDirection::gt),
                                                   b_.compare(y, zero, hlo::ComparisonDirection::gt));
    return b_.select(has_norms, ratio, b_.full_like(x, 1));
  }

  InstructionId lars_trust() const {
    const InstructionId value_norm = norm(tensor_.value), gradient_norm = norm(gradient_);
    const InstructionId denominator = b_.add(gradient_norm, scaled(value_norm, optimizer_.weight_decay));
    return ratio_of_norms(value_norm, gradient_norm, b_.divide(scaled(value_norm, optimizer_.trust), denominator));
  }

  hlo::build::GraphBuilder& b_;
  const Optimizer& optimizer_;
  const TrainedTensor& tensor_;
  InstructionId gradient_;
  std::span<const InstructionId> slots_;
  StepScalars scalars_;
};

}  // namespace

const std::vector<std::pair<std::string, OptimizerKind>>& optimizer_kinds() {
  static const std::vector<std::pair<std::string, OptimizerKind>> kinds = {
      {"sgd_momentum", OptimizerKind::sgd_momentum},
      {"lars", OptimizerKind::lars},
      {"adam", OptimizerKind::adam},
      {"lamb", OptimizerKind::lamb},
      {"adafactor", OptimizerKind::adafactor},
      {"rmsprop", OptimizerKind::rmsprop},
  };
  return kinds;
}

namespace {

std::vector<Slot> own_slots(OptimizerKind kind, const std::vector<std::int64_t>& sizes) {
  switch (kind) {
    case OptimizerKind::sgd_momentum:
    case OptimizerKind::lars:
      return {{"momentum", sizes}};
    case OptimizerKind::adam:
    case OptimizerKind::lamb:
      return {{"first_moment", sizes}, {"second_moment", sizes}};
    case OptimizerKind::rmsprop:
      return {{"mean_square", sizes}, {"momentum", sizes}};
    case OptimizerKind::adafactor:
      break;
  }
  if (sizes.size() < 2) return {{"second_moment", sizes}};
  std::vector<std::int64_t> rows(sizes.begin(), sizes.end() - 1), columns(sizes.begin(), sizes.end() - 2);
  columns.push_back(sizes.back());
  return {{"row_moment", rows}, {"column_moment", columns}};
}

Update own_update(const TensorUpdate& updated, OptimizerKind kind) {
  switch (kind) {
    case OptimizerKind::sgd_momentum:
      return updated.sgd_momentum();
    case OptimizerKind::lars:
      return updated.lars();
    case OptimizerKind::adam:
      return updated.adam();
    case OptimizerKind::lamb:
      return updated.lamb();
    case OptimizerKind::adafactor:
      return updated.adafactor();
    case OptimizerKind::rmsprop:
      return updated.rmsprop();
  }
  throw std::logic_error("an optimiser of no kind");
}

}  // namespace

std::vector<Slot> slots(const Optimizer& optimizer, const std::vector<std::int64_t>& sizes) {
  std::vector<Slot> kept = own_slots(optimizer.kind, sizes);
  if (optimizer.average_decay > 0) kept.push_back({"average", sizes});
  return kept;
}

InstructionId sum_of_squares(hlo::build::GraphBuilder& b, InstructionId x) {
  std::vector<std::int64_t> all(b.shape(x).rank());
  std::iota(all.begin(), all.end(), 0);
  return b.reduce_add(b.multiply(x, x), all);
}

InstructionId clipping_factor(hlo::build::GraphBuilder& b, InstructionId squares, double most) {
  const InstructionId norm = b.sqrt(squares), bound = b.full_like(norm, most);
  return b.divide(bound, b.maximum(norm, bound));
}

std::vector<InstructionId> clipped(hlo::build::GraphBuilder& b, const std::vector<InstructionId>& gradients,
                                   double most) {
  InstructionId sum = -1;
  for (const InstructionId gradient : gradients) {
    const InstructionId squares = sum_of_squares(b, gradient);
    sum = sum < 0 ? squares : b.add(sum, squares);
  }
  const InstructionId factor = clipping_factor(b, sum, most);
  std::vector<InstructionId> scaled;
  for (const InstructionId gradient : gradients) {
    scaled.push_back(b.multiply(gradient, b.broadcast(factor, b.shape(gradient).dimensions)));
  }
  return scaled;
}

bool counts_steps(const Optimizer& optimizer) {
  return optimizer.kind != OptimizerKind::sgd_momentum && optimizer.kind != OptimizerKind::lars &&
         optimizer.kind != OptimizerKind::rmsprop;
}

Update update(hlo::build::GraphBuilder& b, const Optimizer& optimizer, const TrainedTensor& tensor,
              InstructionId gradient, std::span<const InstructionId> slots, const StepScalars& scalars) {
  const TensorUpdate updated(b, optimizer, tensor, gradient, slots, scalars);
  Update result = own_update(updated, optimizer.kind);
  return optimizer.average_decay > 0 ? updated.averaged(std::move(result)) : result;
}

}  // namespace podsim::workloads
