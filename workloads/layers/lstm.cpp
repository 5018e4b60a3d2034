// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/lstm.h"

#include <numeric>
#include <utility>
#include <vector>

#include "hlo/build/counted_loop.h"
#include "workloads/layers/lstm_cell.h"

namespace podsim::workloads::layers {

using hlo::InstructionId;
using hlo::build::GraphBuilder;
using Ids = std::vector<InstructionId>;
using Sizes = std::vector<std::int64_t>;

namespace {

/// [T, B, F] with weights [F, G] -> [T, B, G]
InstructionId multiplied(hlo::build::GraphBuilder& b, InstructionId x, InstructionId w) {
  return b.dot(x, w, {{}, {}, {b.shape(x).rank() - 1}, {0}});
}
/// [B, G] with the transposed weights [F, G] -> [B, F]
InstructionId transposed_product(hlo::build::GraphBuilder& b, InstructionId g, InstructionId w) {
  return b.dot(g, w, {{}, {}, {1}, {1}});
}
/// The gradient of weights: [T, B, F] with [T, B, G] -> [F, G]
InstructionId weight_gradient(hlo::build::GraphBuilder& b, InstructionId x, InstructionId g) {
  return b.dot(x, g, {{}, {}, {0, 1}, {0, 1}});
}

InstructionId zeros(hlo::build::GraphBuilder& b, InstructionId like, Sizes sizes) {
  return b.full(hlo::make_shape(b.type(like), std::move(sizes)), 0);
}

/// x_{t-1} at every t, 0 at first.
InstructionId earlier(hlo::build::GraphBuilder& b, InstructionId x) {
  return b.pad(x, b.constant(b.type(x), 0), {{1, -1, 0}, {}, {}});
}

InstructionId last_part(hlo::build::GraphBuilder& b, InstructionId x, std::int64_t begin, std::int64_t end) {
  std::vector<hlo::SliceDimension> kept;
  for (const std::int64_t size : b.shape(x).dimensions) kept.push_back({0, size, 1});
  kept.back() = {begin, end, 1};
  return b.slice(x, std::move(kept));
}

/// x w_in + b for all times.
InstructionId inputs_of_gates(TrainedTensors& tensors, InstructionId x, std::int64_t units) {
  hlo::build::GraphBuilder& b = tensors.builder();
  const InstructionId w = tensors.weight("w_in", {b.shape(x).dimensions.back(), 4 * units});
  const InstructionId bias = b.convert(tensors.vector("b", {4 * units}), b.type(x));
  const hlo::build::GraphBuilder::Scope scope(b, "inputs");
  const InstructionId gates = multiplied(b, x, w);
  return b.add(gates, b.broadcast(bias, b.shape(gates).dimensions, {b.shape(gates).rank() - 1}));
}

/// The time of a trip backwards.
InstructionId time_of(hlo::build::GraphBuilder& b, InstructionId trip, std::int64_t trips) {
  return b.subtract(b.constant(hlo::ElementType::s32, double(trips - 1)), trip);
}

/// A softmax over the first dimension of [S, B].
InstructionId softmax(hlo::build::GraphBuilder& b, InstructionId scores) {
  const Sizes sizes = b.shape(scores).dimensions;
  const InstructionId most = b.reduce_max(scores, {0});
  const InstructionId power = b.exponential(b.subtract(scores, b.broadcast(most, sizes, {1})));
  return b.divide(power, b.broadcast(b.reduce_add(power, {0}), sizes, {1}));
}

/// What a query [B, H] finds in a memory.
struct Found {
  InstructionId p = -1;        ///< [S, B]
  InstructionId context = -1;  ///< [B, M]
};

Found found_by(GraphBuilder& b, InstructionId query, InstructionId keys, InstructionId memory, InstructionId v) {
  const Sizes whole = b.shape(keys).dimensions, wide = b.shape(memory).dimensions;
  const InstructionId bent = b.tanh(b.add(keys, b.broadcast(query, whole, {1, 2})));
  const InstructionId p = softmax(b, b.reduce_add(b.multiply(bent, b.broadcast(v, whole, {2})), {2}));
  const InstructionId weighted = b.multiply(memory, b.broadcast(p, wide, {0, 1}));
  return {p, b.reduce_add(weighted, {0})};
}

/// The normalised v of the scores, in the type of x.
InstructionId score_vector(TrainedTensors& tensors, InstructionId raw, InstructionId gain, hlo::ElementType type) {
  hlo::build::GraphBuilder& b = tensors.builder();
  const hlo::build::GraphBuilder::Scope scope(b, "v");
  const InstructionId scale = b.multiply(gain, b.rsqrt(b.reduce_add(b.multiply(raw, raw), {0})));
  return b.convert(b.multiply(raw, b.broadcast(scale, b.shape(raw).dimensions)), type);
}

InstructionId keys_of(GraphBuilder& b, InstructionId memory, InstructionId w_memory, InstructionId bias) {
  const hlo::build::GraphBuilder::Scope scope(b, "keys");
  const InstructionId made = multiplied(b, memory, w_memory);
  return b.add(made, b.broadcast(bias, b.shape(made).dimensions, {2}));
}

}  // namespace

RecurrentResult lstm(TrainedTensors& tensors, InstructionId x, const RecurrentOptions& options) {
  hlo::build::GraphBuilder& b = tensors.builder();
  const std::int64_t units = options.units, trips = options.trips;
  const std::int64_t times = b.shape(x).dimensions[0], batch = b.shape(x).dimensions[1];
  const InstructionId inputs = inputs_of_gates(tensors, x, units);
  const InstructionId w = tensors.weight("w", {units, 4 * units});
  const hlo::build::GraphBuilder::Scope scope(b, "loop");
  const InstructionId none = zeros(b, x, {batch, units});
  // h, c, inputs, w; then by time: h, c after each time (the first is that before all), gates.
  const hlo::build::LoopState end = hlo::build::counted_loop(
      b, "lstm", trips,
      {none, none, inputs, w, zeros(b, x, {times, batch, units}), zeros(b, x, {times + 1, batch, units}),
       zeros(b, x, {times, batch, 4 * units})},
      [](GraphBuilder& body, InstructionId t, const hlo::build::LoopState& s) {
        const InstructionId gates = body.add(hlo::build::element_at(body, s[2], t), multiplied(body, s[0], s[3]));
        const CellState next = lstm_cell(body, gates, s[1]);
        const InstructionId after = body.add(t, body.constant(hlo::ElementType::s32, 1));
        return hlo::build::LoopState{next.h,
                                     next.c,
                                     s[2],
                                     s[3],
                                     hlo::build::with_element_at(body, s[4], t, next.h),
                                     hlo::build::with_element_at(body, s[5], after, next.c),
                                     hlo::build::with_element_at(body, s[6], t, gates)};
      });
  const InstructionId hs = end[4], cs = end[5], gates = end[6];
  const auto rule = [=](GraphBuilder& builder, InstructionId slope) {
    // dh, dc; dh by time from the loss, w, c, gates; the gates' gradients by time.
    const hlo::build::LoopState back = hlo::build::counted_loop(
        builder, "lstm_gradient", trips, {none, none, slope, w, cs, gates, builder.full_like(gates, 0)},
        [trips](GraphBuilder& body, InstructionId trip, const hlo::build::LoopState& s) {
          const InstructionId t = time_of(body, trip, trips);
          const InstructionId after = body.add(t, body.constant(hlo::ElementType::s32, 1));
          const InstructionId dh = body.add(hlo::build::element_at(body, s[2], t), s[0]);
          const CellGradient d =
              lstm_cell_gradient(body, hlo::build::element_at(body, s[5], t), hlo::build::element_at(body, s[4], t),
                                 hlo::build::element_at(body, s[4], after), dh, s[1]);
          return hlo::build::LoopState{transposed_product(body, d.gates, s[3]),
                                       d.c,
                                       s[2],
                                       s[3],
                                       s[4],
                                       s[5],
                                       hlo::build::with_element_at(body, s[6], t, d.gates)};
        });
    return Ids{back[6], weight_gradient(builder, earlier(builder, hs), back[6])};
  };
  return {hs, {hs, {inputs, w}, rule}};
}

RecurrentResult attending_lstm(TrainedTensors& tensors, InstructionId x, InstructionId memory,
                               const RecurrentOptions& options) {
  hlo::build::GraphBuilder& b = tensors.builder();
  const std::int64_t units = options.units, trips = options.trips;
  const std::int64_t times = b.shape(x).dimensions[0], batch = b.shape(x).dimensions[1];
  const std::int64_t places = b.shape(memory).dimensions[0], width = b.shape(memory).dimensions[2];
  const InstructionId inputs = inputs_of_gates(tensors, x, units);
  const InstructionId w = tensors.weight("w", {units, 4 * units});
  const InstructionId w_context = tensors.weight("w_context", {width, 4 * units});
  const InstructionId w_query = tensors.weight("w_query", {units, units});
  const InstructionId w_memory = tensors.weight("w_memory", {width, units});
  const InstructionId raw = tensors.vector("v", {units}), gain = tensors.vector("gain", {});
  const InstructionId bias = b.convert(tensors.vector("bias", {units}), b.type(x));
  const InstructionId v = score_vector(tensors, raw, gain, b.type(x));
  const InstructionId keys = keys_of(b, memory, w_memory, bias);
  const hlo::build::GraphBuilder::Scope scope(b, "loop");
  const InstructionId none = zeros(b, x, {batch, units}), nothing = zeros(b, x, {batch, width});
  // h, c, context, inputs, weights, keys, memory, v; then by time: [h, context], c, gates, probabilities, queries.
  const hlo::build::LoopState end = hlo::build::counted_loop(
      b, "attending_lstm", trips,
      {none, none, nothing, inputs, w, w_context, w_query, keys, memory, v, zeros(b, x, {times, batch, units + width}),
       zeros(b, x, {times + 1, batch, units}), zeros(b, x, {times, batch, 4 * units}),
       zeros(b, x, {times, places, batch}), zeros(b, x, {times, batch, units})},
      [=](GraphBuilder& body, InstructionId t, const hlo::build::LoopState& s) {
        const InstructionId recurrent = body.add(multiplied(body, s[0], s[4]), multiplied(body, s[2], s[5]));
        const InstructionId gates = body.add(hlo::build::element_at(body, s[3], t), recurrent);
        const CellState next = lstm_cell(body, gates, s[1]);
        const InstructionId query = multiplied(body, next.h, s[6]);
        const Found found = found_by(body, query, s[7], s[8], s[9]);
        const InstructionId after = body.add(t, body.constant(hlo::ElementType::s32, 1));
        return hlo::build::LoopState{
            next.h,
            next.c,
            found.context,
            s[3],
            s[4],
            s[5],
            s[6],
            s[7],
            s[8],
            s[9],
            hlo::build::with_element_at(body, s[10], t, body.concatenate({next.h, found.context}, 1)),
            hlo::build::with_element_at(body, s[11], after, next.c),
            hlo::build::with_element_at(body, s[12], t, gates),
            hlo::build::with_element_at(body, s[13], t, found.p),
            hlo::build::with_element_at(body, s[14], t, query)};
      });
  const InstructionId found = end[10], cs = end[11], gates = end[12], ps = end[13], queries = end[14];
  const auto rule = [=](GraphBuilder& builder, InstructionId slope) {
    // dh, dc, dcontext; what the loss and the first loop gave; gradients of keys and memory, and that of v for each
    // sample, so that samples are added up once; then by time: the gates' gradients and the queries'.
    const hlo::build::LoopState back = hlo::build::counted_loop(
        builder, "attending_lstm_gradient", trips,
        {none, none, nothing, slope, w, w_context, w_query, keys, memory, v, cs, gates, ps, queries,
         builder.full_like(keys, 0), builder.full_like(memory, 0), none, builder.full_like(gates, 0),
         builder.full_like(queries, 0)},
        [=](GraphBuilder& body, InstructionId trip, const hlo::build::LoopState& s) {
          const InstructionId t = time_of(body, trip, trips);
          const InstructionId after = body.add(t, body.constant(hlo::ElementType::s32, 1));
          const Sizes whole = {places, batch, units}, wide = {places, batch, width};
          const InstructionId both = hlo::build::element_at(body, s[3], t), p = hlo::build::element_at(body, s[12], t);
          const InstructionId dcontext = body.add(last_part(body, both, units, units + width), s[2]);
          const InstructionId spread = body.broadcast(dcontext, wide, {1, 2});
          const InstructionId dmemory = body.add(s[15], body.multiply(spread, body.broadcast(p, wide, {0, 1})));
          const InstructionId dp = body.reduce_add(body.multiply(s[8], spread), {2});
          const InstructionId mean = body.reduce_add(body.multiply(dp, p), {0});
          const InstructionId dscores = body.multiply(p, body.subtract(dp, body.broadcast(mean, {places, batch}, {1})));
          const InstructionId query = hlo::build::element_at(body, s[13], t);
          const InstructionId bent = body.tanh(body.add(s[7], body.broadcast(query, whole, {1, 2})));
          const InstructionId dspread = body.broadcast(dscores, whole, {0, 1});
          const InstructionId dv = body.add(s[16], body.reduce_add(body.multiply(dspread, bent), {0}));
          const InstructionId bend = body.subtract(body.full_like(bent, 1), body.multiply(bent, bent));
          const InstructionId dsum = body.multiply(body.multiply(dspread, body.broadcast(s[9], whole, {2})), bend);
          const InstructionId dquery = body.reduce_add(dsum, {0});
          const InstructionId dh =
              body.add(body.add(last_part(body, both, 0, units), s[0]), transposed_product(body, dquery, s[6]));
          const CellGradient d =
              lstm_cell_gradient(body, hlo::build::element_at(body, s[11], t), hlo::build::element_at(body, s[10], t),
                                 hlo::build::element_at(body, s[10], after), dh, s[1]);
          return hlo::build::LoopState{transposed_product(body, d.gates, s[4]),
                                       d.c,
                                       transposed_product(body, d.gates, s[5]),
                                       s[3],
                                       s[4],
                                       s[5],
                                       s[6],
                                       s[7],
                                       s[8],
                                       s[9],
                                       s[10],
                                       s[11],
                                       s[12],
                                       s[13],
                                       body.add(s[14], dsum),
                                       dmemory,
                                       dv,
                                       hlo::build::with_element_at(body, s[17], t, d.gates),
                                       hlo::build::with_element_at(body, s[18], t, dquery)};
        });
    const InstructionId dgates = back[17], dqueries = back[18];
    const InstructionId hs = last_part(builder, found, 0, units);
    const InstructionId contexts = last_part(builder, found, units, units + width);
    return Ids{dgates,
               weight_gradient(builder, earlier(builder, hs), dgates),
               weight_gradient(builder, earlier(builder, contexts), dgates),
               weight_gradient(builder, hs, dqueries),
               back[14],
               back[15],
               builder.reduce_add(back[16], {0})};
  };
  return {found, {found, {inputs, w, w_context, w_query, keys, memory, v}, rule}};
}

RecurrentState lstm_step(TrainedTensors& tensors, InstructionId x, const RecurrentState& before) {
  hlo::build::GraphBuilder& b = tensors.builder();
  const std::int64_t units = b.shape(before.h).dimensions[1];
  const InstructionId inputs = inputs_of_gates(tensors, x, units);
  const InstructionId w = tensors.weight("w", {units, 4 * units});
  const CellState next = lstm_cell(b, b.add(inputs, multiplied(b, before.h, w)), before.c);
  return {next.h, next.c};
}

InstructionId attention_keys(TrainedTensors& tensors, InstructionId memory, std::int64_t units) {
  hlo::build::GraphBuilder& b = tensors.builder();
  const InstructionId w_memory = tensors.weight("w_memory", {b.shape(memory).dimensions[2], units});
  return keys_of(b, memory, w_memory, b.convert(tensors.vector("bias", {units}), b.type(memory)));
}

RecurrentState attending_lstm_step(TrainedTensors& tensors, InstructionId x, const RecurrentState& before,
                                   InstructionId keys, InstructionId memory) {
  hlo::build::GraphBuilder& b = tensors.builder();
  const std::int64_t units = b.shape(before.h).dimensions[1], width = b.shape(memory).dimensions[2];
  const InstructionId inputs = inputs_of_gates(tensors, x, units);
  const InstructionId w = tensors.weight("w", {units, 4 * units});
  const InstructionId w_context = tensors.weight("w_context", {width, 4 * units});
  const InstructionId w_query = tensors.weight("w_query", {units, units});
  const InstructionId raw = tensors.vector("v", {units}), gain = tensors.vector("gain", {});
  const InstructionId recurrent = b.add(multiplied(b, before.h, w), multiplied(b, before.context, w_context));
  const CellState next = lstm_cell(b, b.add(inputs, recurrent), before.c);
  const InstructionId v = score_vector(tensors, raw, gain, b.type(x));
  return {next.h, next.c, found_by(b, multiplied(b, next.h, w_query), keys, memory, v).context};
}

}  // namespace podsim::workloads::layers
