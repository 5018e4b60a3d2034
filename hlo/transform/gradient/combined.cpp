// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/gradient/combined.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "hlo/transform/formulas/array_function.h"

namespace podsim::hlo::transform::gradient {

namespace {

using Sizes = std::vector<std::int64_t>;

Arrays sliced_along(build::GraphBuilder& b, const Arrays& arrays, std::size_t along, SliceDimension range) {
  Arrays parts;
  for (const InstructionId array : arrays) {
    std::vector<SliceDimension> slice;
    for (const std::int64_t size : b.shape(array).dimensions) slice.push_back({0, size, 1});
    const bool is_whole = range.start == 0 && range.stride == 1 && range.limit == slice[along].limit;
    slice[along] = range;
    parts.push_back(is_whole ? array : b.slice(array, std::move(slice)));
  }
  return parts;
}

/// One element is left along the dimension, which has some.
Arrays pairs_along(build::GraphBuilder& b, Arrays arrays, std::size_t along, const Combine& combine) {
  for (std::int64_t size = b.shape(arrays[0]).dimensions[along]; size > 1; size = size / 2 + size % 2) {
    const std::int64_t even = size - size % 2;
    Arrays pairs = combine(sliced_along(b, arrays, along, {0, even, 2}), sliced_along(b, arrays, along, {1, even, 2}));
    if (size > even) {
      const Arrays last = sliced_along(b, arrays, along, {even, size, 1});
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        pairs[k] = b.concatenate({pairs[k], last[k]}, std::int64_t(along));
      }
    }
    arrays = std::move(pairs);
  }
  return arrays;
}

Arrays initial_values(build::GraphBuilder& b, const Instruction& reduction, const Sizes& sizes) {
  Arrays initial;
  const std::size_t count = reduction.operands.size() / 2;
  for (std::size_t k = 0; k < count; ++k) initial.push_back(b.broadcast(reduction.operands[count + k], sizes));
  return initial;
}

const Sizes& result_sizes(const Instruction& reduction) {
  return reduction.shape.is_tuple() ? reduction.shape.tuple_shapes[0].dimensions : reduction.shape.dimensions;
}

/// All windows of a size along a dimension, one for each position at which they fit.
Arrays windows_along(build::GraphBuilder& b, Arrays chunk, std::size_t along, const WindowDimension& window,
                     const Combine& combine) {
  const std::int64_t step = window.window_dilation;
  const std::int64_t count = b.shape(chunk[0]).dimensions[along] - (window.size - 1) * step;
  Arrays combined;
  std::int64_t done = 0;
  // `chunk` has windows of `size`; the bits of the window's size say which of them are parts of it.
  for (std::int64_t size = 1;; size *= 2) {
    if ((window.size & size) != 0) {
      const Arrays part = sliced_along(b, chunk, along, {done * step, done * step + count, 1});
      combined = combined.empty() ? part : combine(combined, part);
      done += size;
    }
    if (done == window.size) return combined;
    const std::int64_t longer = b.shape(chunk[0]).dimensions[along] - size * step;
    chunk = combine(sliced_along(b, chunk, along, {0, longer, 1}),
                    sliced_along(b, chunk, along, {size * step, size * step + longer, 1}));
  }
}

/// Arrays followed by a predicate that is true where they have an element.
class Guarded {
 public:
  Guarded(build::GraphBuilder& b, const Combine& combine) : b_(b), combine_(combine) {}

  Arrays operator()(const Arrays& x, const Arrays& y) const {
    const Arrays arrays_x(x.begin(), x.end() - 1), arrays_y(y.begin(), y.end() - 1);
    const Arrays both = combine_(arrays_x, arrays_y);
    Arrays chosen;
    for (std::size_t k = 0; k < both.size(); ++k) {
      chosen.push_back(b_.select(x.back(), b_.select(y.back(), both[k], arrays_x[k]), arrays_y[k]));
    }
    chosen.push_back(b_.logical_or(x.back(), y.back()));
    return chosen;
  }

 private:
  build::GraphBuilder& b_;
  const Combine& combine_;
};

bool leaves_gaps(const WindowDimension& window) {
  return window.padding_low > 0 || window.padding_high > 0 || window.base_dilation > 1;
}

/// The arrays as the windows see them, with 1 at positions that are no elements, and where these are if there are any.
Arrays spread_arrays(build::GraphBuilder& b, const Instruction& reduction) {
  std::vector<PadDimension> padding;
  bool has_gaps = false, changes = false;
  for (const WindowDimension& window : reduction.window) {
    padding.push_back({window.padding_low, window.padding_high, window.base_dilation - 1});
    has_gaps = has_gaps || leaves_gaps(window);
    changes = changes || window.padding_low != 0 || window.padding_high != 0 || window.base_dilation > 1;
  }
  const std::size_t count = reduction.operands.size() / 2;
  Arrays arrays(reduction.operands.begin(), reduction.operands.begin() + std::ptrdiff_t(count));
  if (has_gaps) {
    const InstructionId all = b.full(make_shape(ElementType::pred, b.shape(arrays[0]).dimensions), 1);
    arrays.push_back(all);
  }
  if (!changes) return arrays;
  for (InstructionId& array : arrays) {
    const ElementType type = b.type(array);
    array = b.pad(array, b.constant(type, type == ElementType::pred ? 0 : 1), padding);
  }
  return arrays;
}

}  // namespace

Combine combiner_on_arrays(const Backward& reduction) {
  return [&reduction](const Arrays& x, const Arrays& y) {
    build::GraphBuilder& b = reduction.b;
    Arrays both = x;
    both.insert(both.end(), y.begin(), y.end());
    const std::optional<Arrays> combined =
        formulas::on_arrays(b, b.called_computations(), reduction.forward.called[0], both);
    if (!combined) reduction.refuse("its combiner has other than elementwise operations");
    return *combined;
  };
}

Arrays reduced_by_pairs(build::GraphBuilder& builder, const Instruction& reduce, const Combine& combine) {
  const std::size_t count = reduce.operands.size() / 2;
  Arrays arrays(reduce.operands.begin(), reduce.operands.begin() + std::ptrdiff_t(count));
  const Sizes& sizes = result_sizes(reduce);
  const Arrays initial = initial_values(builder, reduce, sizes);
  Sizes dimensions = reduce.dimensions;
  std::ranges::sort(dimensions, std::greater());
  for (const std::int64_t along : dimensions) {
    if (builder.shape(arrays[0]).dimensions[std::size_t(along)] == 0) return initial;
    arrays = pairs_along(builder, std::move(arrays), std::size_t(along), combine);
  }
  for (InstructionId& array : arrays) array = builder.reshape(array, sizes);
  return combine(initial, arrays);
}

Arrays windows_by_doubling(build::GraphBuilder& builder, const Instruction& reduce_window, const Combine& combine) {
  const std::size_t count = reduce_window.operands.size() / 2;
  const Arrays initial = initial_values(builder, reduce_window, result_sizes(reduce_window));
  if (builder.shape(initial[0]).element_count() == 0) return initial;
  Arrays arrays = spread_arrays(builder, reduce_window);
  const bool has_gaps = arrays.size() > count;
  const Combine guarded = has_gaps ? Combine(Guarded(builder, combine)) : combine;
  for (std::size_t along = reduce_window.window.size(); along-- > 0;) {
    const WindowDimension& window = reduce_window.window[along];
    arrays = windows_along(builder, std::move(arrays), along, window, guarded);
    const std::int64_t positions = builder.shape(arrays[0]).dimensions[along];
    arrays = sliced_along(builder, arrays, along, {0, positions, window.stride});
  }
  Arrays results = combine(initial, Arrays(arrays.begin(), arrays.begin() + std::ptrdiff_t(count)));
  for (std::size_t k = 0; has_gaps && k < count; ++k)
    results[k] = builder.select(arrays.back(), results[k], initial[k]);
  return results;
}

}  // namespace podsim::hlo::transform::gradient
