// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/stream_agreement.h"

#include <algorithm>
#include <array>

#include "base/dice.h"
#include "base/host/interrupt.h"
#include "hw/memory/banks/bank_stream.h"
#include "hw/timing/hbm_stream.h"

namespace podsim::hw::memory::banks {
namespace {

using base::Dice;

AccessShape random_shape(Dice& dice) {
  enum Kind { contiguous, rows, short_rows, scattered };
  const auto kind = Kind(dice.between(contiguous, scattered));
  switch (kind) {
    case contiguous:
      return {};
    case rows: {
      const std::int64_t row = 512 * dice.between(1, 32);
      return AccessShape::rows(base::Bytes(row),
                               row * dice.between(1, 8) + (dice.one_in(2) ? 512 * dice.between(0, 7) : 0));
    }
    case short_rows: {
      const std::int64_t row = 32 << dice.between(0, 3);
      return AccessShape::rows(base::Bytes(row), 32 * dice.between(row / 32, 256));
    }
    case scattered:
      return AccessShape::scattered(base::Bytes(32 << dice.between(0, 5)),
                                    base::Bytes(std::int64_t(1) << dice.between(24, 31)));
  }
  return {};
}

/// Size for which the banks take long enough to measure.
base::Bytes random_size(const AccessShape& shape, std::int64_t scale, Dice& dice) {
  if (shape.contiguous()) return base::Bytes(4096 * scale * dice.between(256, 1024));
  const std::int64_t bytes = scale * dice.between(512, 2048) * std::min<std::int64_t>(shape.row.value(), 1024);
  return shape.row * std::max<std::int64_t>(1, bytes / shape.row.value());
}

template <class Memory>
base::Cycles last_completion(Memory& memory, const std::vector<StreamRequest>& requests) {
  std::vector<timing::HbmStream::Completion> completed;
  for (const StreamRequest& request : requests) {
    memory.submit(request.direction, request.bytes, request.arrival, 0, request.shape);
  }
  while (!memory.idle()) {
    base::host::end_if_interrupted();
    memory.complete_next(completed);
  }
  return completed.back().cycle;
}

}  // namespace

std::vector<StreamRequest> random_requests(std::uint64_t seed) {
  Dice dice(seed);
  std::vector<StreamRequest> requests(std::size_t(dice.between(1, 8)));
  const std::int64_t reads = dice.between(0, 4);  // reads per four requests, on average
  const std::int64_t scale = base::divide_round_up(12, std::int64_t(requests.size()));
  base::Cycles arrival;
  for (StreamRequest& request : requests) {
    request.direction = dice.between(1, 4) <= reads ? Direction::read : Direction::write;
    request.shape = random_shape(dice);
    request.bytes = random_size(request.shape, scale, dice);
    request.arrival = arrival;
    if (dice.one_in(4)) arrival += base::Cycles(dice.between(0, 20'000));
  }
  return requests;
}

StreamComparison compare_streams(const Machine& machine, const std::vector<StreamRequest>& requests) {
  timing::HbmStream streams(machine);
  BankStream banks(machine);
  return {requests, last_completion(streams, requests), last_completion(banks, requests)};
}

std::string to_string(const std::vector<StreamRequest>& requests) {
  std::string text;
  for (const StreamRequest& request : requests) {
    if (!text.empty()) text += " + ";
    text += request.direction == Direction::read ? "read " : "write ";
    text += base::to_string(request.bytes);
    if (request.shape.contiguous()) continue;
    text += " of " + base::to_string(request.shape.row);
    text += request.shape.span > base::Bytes(0) ? " in " + base::to_string(request.shape.span)
                                                : " / " + base::to_string(base::Bytes(request.shape.pitch));
  }
  return text;
}

}  // namespace podsim::hw::memory::banks
