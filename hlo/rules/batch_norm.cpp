// SPDX-License-Identifier: Apache-2.0
#include "hlo/rules/batch_norm.h"

#include <cmath>
#include <vector>

namespace podsim::hlo::rules {

namespace {

void round_all(Literal& literal) {
  for (double& value : literal.values) value = round_to(literal.shape.element_type, value);
}

/// Maps the elements of an array to their features.
class Features {
 public:
  Features(const Shape& shape, std::int64_t dimension) : size_(shape.dimensions[std::size_t(dimension)]) {
    for (std::size_t i = std::size_t(dimension) + 1; i < shape.dimensions.size(); ++i) step_ *= shape.dimensions[i];
  }
  std::size_t of(std::size_t element) const { return std::size_t(std::int64_t(element) / step_ % size_); }
  /// Sums `term(element, feature)` per feature.
  template <class Term>
  std::vector<double> sums(std::size_t elements, Term&& term) const {
    std::vector<double> result(std::size_t(size_), 0.0);
    for (std::size_t i = 0; i < elements; ++i) result[of(i)] += term(i, of(i));
    return result;
  }

 private:
  std::int64_t size_, step_ = 1;
};

void divide(std::vector<double>& values, double divisor) {
  for (double& value : values) value /= divisor;
}

std::vector<double> normalised(const std::vector<double>& x, const Features& features, const std::vector<double>& mean,
                               const std::vector<double>& variance, double epsilon, const std::vector<double>& scale,
                               const std::vector<double>& offset) {
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t f = features.of(i);
    y[i] = (x[i] - mean[f]) / std::sqrt(variance[f] + epsilon) * scale[f] + offset[f];
  }
  return y;
}

Literal tuple_of(const Shape& shape, std::vector<std::vector<double>> values) {
  Literal tuple{shape, {}, {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    tuple.elements.push_back({shape.tuple_shapes[i], std::move(values[i]), {}});
    round_all(tuple.elements.back());
  }
  return tuple;
}

Literal train(const Instruction& instruction, std::span<const Literal* const> operands, const Features& features) {
  const std::vector<double>& x = operands[0]->values;
  std::vector<double> mean = features.sums(x.size(), [&](std::size_t i, std::size_t) { return x[i]; });
  const double count = double(x.size()) / double(mean.size());
  divide(mean, count);
  std::vector<double> variance =
      features.sums(x.size(), [&](std::size_t i, std::size_t f) { return (x[i] - mean[f]) * (x[i] - mean[f]); });
  divide(variance, count);
  std::vector<double> y =
      normalised(x, features, mean, variance, instruction.epsilon, operands[1]->values, operands[2]->values);
  return tuple_of(instruction.shape, {std::move(y), std::move(mean), std::move(variance)});
}

Literal differentiate(const Instruction& instruction, std::span<const Literal* const> operands,
                      const Features& features) {
  const std::vector<double>&x = operands[0]->values, &scale = operands[1]->values, &mean = operands[2]->values,
        &variance = operands[3]->values, &dy = operands[4]->values;
  std::vector<double> inverse;
  for (const double value : variance) inverse.push_back(1 / std::sqrt(value + instruction.epsilon));
  std::vector<double> offsets = features.sums(x.size(), [&](std::size_t i, std::size_t) { return dy[i]; });
  std::vector<double> scales =
      features.sums(x.size(), [&](std::size_t i, std::size_t f) { return dy[i] * (x[i] - mean[f]) * inverse[f]; });
  const double count = double(x.size()) / double(scale.size());
  std::vector<double> dx(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t f = features.of(i);
    const double centred = (x[i] - mean[f]) * inverse[f];
    dx[i] = scale[f] * inverse[f] * (dy[i] - (offsets[f] + centred * scales[f]) / count);
  }
  return tuple_of(instruction.shape, {std::move(dx), std::move(scales), std::move(offsets)});
}

}  // namespace

Literal evaluate_batch_norm(const Instruction& instruction, std::span<const Literal* const> operands) {
  const Features features(operands[0]->shape, instruction.index);
  if (instruction.opcode == Opcode::batch_norm_training) return train(instruction, operands, features);
  if (instruction.opcode == Opcode::batch_norm_grad) return differentiate(instruction, operands, features);
  Literal result{instruction.shape,
                 normalised(operands[0]->values, features, operands[3]->values, operands[4]->values,
                            instruction.epsilon, operands[1]->values, operands[2]->values),
                 {}};
  round_all(result);
  return result;
}

}  // namespace podsim::hlo::rules
