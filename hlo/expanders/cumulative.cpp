// SPDX-License-Identifier: Apache-2.0
#include "hlo/expanders/cumulative.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/expanders/replace.h"
#include "hlo/transform/formulas/array_function.h"

namespace podsim::hlo::expanders {
namespace {

using build::GraphBuilder;

/// The dimension along which every element is combined with all before it, or with all behind it.
struct Direction {
  std::size_t along = 0;
  bool from_front = true;
};

std::optional<Direction> direction_of(const Instruction& windows, const Shape& x) {
  std::optional<Direction> found;
  for (std::size_t d = 0; d < windows.window.size(); ++d) {
    const WindowDimension& window = windows.window[d];
    if (window == WindowDimension{}) continue;
    WindowDimension front{.size = x.dimensions[d], .padding_low = x.dimensions[d] - 1};
    WindowDimension back{.size = x.dimensions[d], .padding_high = x.dimensions[d] - 1};
    if (found || (window != front && window != back)) return std::nullopt;
    found = Direction{d, window == front};
  }
  return found;
}

class Cumulative {
 public:
  Cumulative(GraphBuilder& b, const Module& module, ComputationId combiner, InstructionId initial, bool from_front)
      : b_(b), module_(module), combiner_(combiner), initial_(initial), from_front_(from_front) {
    called_ = b.copy_computation(module, combiner);
  }

  /// Along dimension `along` of x.
  std::optional<InstructionId> along(InstructionId x, std::size_t along) {
    const std::vector<std::int64_t> sizes = b_.shape(x).dimensions;
    const std::int64_t length = sizes[along];
    if (length <= cumulative_base) return windows(x, along);
    const std::int64_t rows = (length + cumulative_base - 1) / cumulative_base;
    std::vector<std::int64_t> by_rows = sizes;
    by_rows[along] = rows;
    by_rows.insert(by_rows.begin() + std::ptrdiff_t(along) + 1, cumulative_base);
    // Within rows; what is padded is behind what is read, whichever end the sums begin at.
    const std::int64_t missing = rows * cumulative_base - length;
    const InstructionId full = padded(x, along, from_front_ ? 0 : missing, from_front_ ? missing : 0);
    const InstructionId inner = windows(b_.reshape(full, by_rows), along + 1);
    // What is before each row.
    const std::int64_t end = from_front_ ? cumulative_base - 1 : 0;
    const InstructionId ends = b_.reshape(part(inner, along + 1, end, end + 1), without(by_rows, along + 1));
    const std::optional<InstructionId> sums = this->along(ends, along);
    if (!sums) return std::nullopt;
    const InstructionId before = from_front_ ? padded(part(*sums, along, 0, rows - 1), along, 1, 0)
                                             : padded(part(*sums, along, 1, rows), along, 0, 1);
    std::vector<std::int64_t> kept;
    for (std::size_t d = 0; d < by_rows.size(); ++d) {
      if (d != along + 1) kept.push_back(std::int64_t(d));
    }
    const InstructionId spread = b_.broadcast(before, by_rows, kept);
    const std::array<InstructionId, 2> both{from_front_ ? spread : inner, from_front_ ? inner : spread};
    const auto combined = transform::formulas::on_arrays(b_, module_.computations, combiner_, both);
    if (!combined || combined->size() != 1) return std::nullopt;
    std::vector<std::int64_t> joined = sizes;
    joined[along] = rows * cumulative_base;
    const InstructionId result = b_.reshape(combined->front(), joined);
    return from_front_ ? part(result, along, 0, length) : part(result, along, missing, missing + length);
  }

 private:
  static std::vector<std::int64_t> without(std::vector<std::int64_t> sizes, std::size_t dimension) {
    sizes.erase(sizes.begin() + std::ptrdiff_t(dimension));
    return sizes;
  }

  InstructionId windows(InstructionId x, std::size_t along) {
    const std::vector<std::int64_t>& sizes = b_.shape(x).dimensions;
    std::vector<WindowDimension> window(sizes.size());
    window[along].size = sizes[along];
    (from_front_ ? window[along].padding_low : window[along].padding_high) = sizes[along] - 1;
    return b_.reduce_window(x, initial_, std::move(window), called_);
  }

  InstructionId padded(InstructionId x, std::size_t along, std::int64_t low, std::int64_t high) {
    if (low == 0 && high == 0) return x;
    std::vector<PadDimension> padding(b_.shape(x).dimensions.size());
    padding[along] = {low, high, 0};
    return b_.pad(x, initial_, std::move(padding));
  }

  InstructionId part(InstructionId x, std::size_t along, std::int64_t start, std::int64_t limit) {
    std::vector<SliceDimension> slice;
    for (const std::int64_t size : b_.shape(x).dimensions) slice.push_back({0, size, 1});
    if (slice[along].limit == limit - start) return x;
    slice[along] = {start, limit, 1};
    return b_.slice(x, std::move(slice));
  }

  GraphBuilder& b_;
  const Module& module_;
  ComputationId combiner_;
  InstructionId initial_;
  bool from_front_;
  ComputationId called_ = -1;
};

}  // namespace

void expand_cumulative_windows(Module& module) {
  replace_instructions(module, [&](const Computation& computation, InstructionId id) -> std::optional<Module> {
    const Instruction& windows = computation[id];
    if (windows.opcode != Opcode::reduce_window || windows.operands.size() != 2) return std::nullopt;
    const Shape& shape = computation[windows.operands[0]].shape;
    const std::optional<Direction> direction = direction_of(windows, shape);
    if (!direction || shape.dimensions[direction->along] <= cumulative_base) return std::nullopt;
    GraphBuilder b("cumulative");
    const InstructionId x = b.parameter(shape, "x");
    const InstructionId initial = b.parameter(computation[windows.operands[1]].shape, "initial");
    const auto result =
        Cumulative(b, module, windows.called.at(0), initial, direction->from_front).along(x, direction->along);
    if (!result) return std::nullopt;
    return std::move(b).build(*result);
  });
}

}  // namespace podsim::hlo::expanders
