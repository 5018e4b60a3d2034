// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/matrix/row_trace.h"

#include <fmt/format.h>

#include <algorithm>

namespace podsim::hw::bundle::matrix {

std::unique_ptr<RowTrace> RowTrace::make(const CoreTime& time, const Trace& trace) {
  auto result = std::make_unique<RowTrace>(time, trace);
  return result->active() ? std::move(result) : nullptr;
}

RowTrace::RowTrace(const CoreTime& time, const Trace& trace) : time_(time) {
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    rows_[row].probe = trace.probe<std::string>(fmt::format("row{:03}", row).c_str());
    pending_.push_back({base::Cycles(0), row, ""});
  }
}

bool RowTrace::active() const {
  return std::any_of(rows_.begin(), rows_.end(), [](const Row& row) { return row.probe.active(); });
}

void RowTrace::step(const ArrayControl& control, base::Cycles cycle) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    Row& row = rows_[i];
    const ArrayWave& wave = control.wave(int(i));
    if (wave == row.wave) continue;
    row.wave = wave;
    pending_.push_back({cycle, i, text(row)});
  }
}

std::string RowTrace::text(Row& row) {
  const ArrayWave& wave = row.wave;
  if (wave.latch) {
    ++row.tile;
    row.first_row = -1;
  }
  std::string text;
  if (wave.lhs_row >= 0) {
    if (row.first_row < 0) row.first_row = wave.lhs_row;
    text = fmt::format("{} w{}", wave.lhs_row - row.first_row, row.tile);
  }
  if (wave.weight_tile >= 0) text += fmt::format("{}+w{}", text.empty() ? "" : " ", wave.weight_tile + 1);
  return text;
}

void RowTrace::show_until(base::Cycles now) {
  for (; !pending_.empty() && pending_.front().cycle <= now; pending_.pop_front()) {
    const Change& change = pending_.front();
    rows_[change.row].probe.set(time_.time_of(change.cycle), change.text);
  }
}

}  // namespace podsim::hw::bundle::matrix
