// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/matrix/matrix_unit_trace.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace podsim::hw::bundle::matrix {

using isa::Opcode;

namespace {
constexpr const char* stream_state = "stream";
constexpr const char* idle_state = "idle";
constexpr base::Cycles unknown{std::numeric_limits<std::int64_t>::max()};
}  // namespace

MatrixUnitTrace::Entry MatrixUnitTrace::Fifo::take() {
  const Entry entry = entries.front();
  entries.pop_front();
  --known;
  return entry;
}

std::int64_t MatrixUnitTrace::Fifo::waiting(base::Cycles cycle) const {
  return std::count_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.push <= cycle; });
}

std::unique_ptr<MatrixUnitTrace> MatrixUnitTrace::make(const ArrayParameters& array, const CoreTime& time,
                                                       const Trace& trace) {
  auto result = std::make_unique<MatrixUnitTrace>(array, time, trace);
  return result->active() ? std::move(result) : nullptr;
}

MatrixUnitTrace::MatrixUnitTrace(const ArrayParameters& array, const CoreTime& time, const Trace& trace)
    : array_(array),
      time_(time),
      state_(trace.probe<std::string>("state")),
      lhs_fifo_(trace.probe<std::int64_t>("lhs_fifo")),
      weight_fifo_(trace.probe<std::int64_t>("weight_fifo")),
      result_fifo_(trace.probe<std::int64_t>("result_fifo")),
      tile_(trace.probe<std::int64_t>("tile")),
      utilisation_(trace.probe<double>("utilisation")),
      timeline_(trace.timeline) {
  if (timeline_ != nullptr) track_ = timeline_->track(trace.scope, "matrix unit");
}

MatrixUnitTrace::~MatrixUnitTrace() { end_span(next_); }

bool MatrixUnitTrace::active() const {
  return state_.active() || lhs_fifo_.active() || weight_fifo_.active() || result_fifo_.active() || tile_.active() ||
         utilisation_.active() || timeline_ != nullptr;
}

void MatrixUnitTrace::pushed(isa::Opcode opcode, base::Cycles now) {
  const bool weights = opcode == isa::Opcode::mxu_weights || opcode == isa::Opcode::mxu_weights_transposed;
  (weights ? weights_ : lhs_).entries.push_back({opcode, now, unknown});
}

void MatrixUnitTrace::show_until(base::Cycles now) {
  for (; next_ <= now; next_ += base::Cycles(1)) show(next_);
}

void MatrixUnitTrace::show(base::Cycles cycle) {
  advance(cycle);
  const base::Time time = time_.time_of(cycle);
  show_state(state(cycle), cycle);
  lhs_fifo_.set(time, lhs_.waiting(cycle));
  weight_fifo_.set(time, weights_.waiting(cycle));
  result_fifo_.set(time, results_);
  tile_.set(time, tiles_);
  show_utilisation(cycle);
}

void MatrixUnitTrace::advance(base::Cycles cycle) {
  while (lhs_.starts(cycle)) {
    const Entry entry = lhs_.take();
    if (entry.opcode == isa::Opcode::mxu_latch) {
      ++tiles_;
    } else {
      stream_end_ = entry.start + lhs_interval;
      ready_.push_back(entry.start + array_.result_latency);
    }
  }
  while (weights_.starts(cycle)) {
    const Entry entry = weights_.take();
    shift_ = (shift_ + 1) % tile_registers;
    load_end_ = entry.start + array_.weight_interval;
    if (shift_ == 0 && entry.opcode == isa::Opcode::mxu_weights_transposed) {
      load_end_ += array_.weight_interval * tile_registers;
    }
  }
  for (; !ready_.empty() && ready_.front() <= cycle; ready_.pop_front()) ++results_;
  for (; !pops_.empty() && pops_.front() <= cycle; pops_.pop_front()) --results_;
}

const char* MatrixUnitTrace::state(base::Cycles cycle) const {
  if (cycle < stream_end_) return stream_state;
  if (!lhs_.entries.empty() && lhs_.entries.front().push < cycle) {
    return lhs_.entries.front().opcode == isa::Opcode::mxu_latch ? "wait weights" : "results full";
  }
  if (cycle < load_end_) return "load weights";
  return ready_.empty() ? idle_state : "drain";
}

void MatrixUnitTrace::show_state(const char* state, base::Cycles cycle) {
  const bool another_tile = state == stream_state && span_tile_ != tiles_;
  if (state == shown_state_ && !another_tile) return;
  state_.set(time_.time_of(cycle), state);
  end_span(cycle);
  shown_state_ = state;
  span_tile_ = tiles_;
  span_begin_ = cycle;
}

void MatrixUnitTrace::end_span(base::Cycles cycle) {
  if (timeline_ == nullptr || shown_state_ == nullptr || shown_state_ == idle_state) return;
  const std::string name = shown_state_ == stream_state ? "tile " + std::to_string(span_tile_) : shown_state_;
  timeline_->span(track_, name, "matrix", time_.time_of(span_begin_), time_.time_of(cycle));
}

void MatrixUnitTrace::show_utilisation(base::Cycles cycle) {
  const std::int64_t block = cycle.value() / block_cycles % window_blocks;
  std::int64_t& busy = busy_[std::size_t(block)];
  if (cycle.value() % block_cycles == 0) {
    const std::int64_t sum = std::accumulate(busy_.begin(), busy_.end(), std::int64_t(0));
    utilisation_.set(time_.time_of(cycle), double(sum) / double(window_blocks * block_cycles));
    busy = 0;
  }
  if (cycle < stream_end_) ++busy;
}

}  // namespace podsim::hw::bundle::matrix
