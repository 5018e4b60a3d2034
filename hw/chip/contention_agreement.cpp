// SPDX-License-Identifier: Apache-2.0
#include "hw/chip/contention_agreement.h"

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "base/diagnostic.h"
#include "base/dice.h"
#include "base/host/interrupt.h"
#include "base/systemc/fresh_context.h"
#include "base/systemc/own_stack.h"
#include "base/systemc/systemc_time.h"
#include "hw/chip/replay_chip.h"
#include "hw/chip/tile_chip.h"
#include "hw/memory/banks/bank_memory.h"
#include "hw/timing/tile_pipeline.h"

namespace podsim::hw::chip {
namespace {

constexpr std::int64_t piece_bytes = 64 << 10;
constexpr std::uint64_t traffic_base = std::uint64_t(1) << 32;  ///< beyond the regions of an op's transfers

/// Makes the traffic in pieces, of which several are in flight. `move` starts a piece; it returns its end, or
/// std::nullopt if moved() is called then. Pieces end in order.
class Traffic : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Traffic);
  using Move = std::function<std::optional<base::Time>(base::Bytes read, base::Bytes written, std::uint64_t offset)>;
  Traffic(sc_core::sc_module_name name, const TrafficBeside& traffic) : sc_module(name), traffic_(traffic) {
    SC_METHOD(work);
    sensitive << wake_;
    dont_initialize();
    wake_.notify(sc_core::sc_time(1, sc_core::SC_NS));  // when the op has begun, at every level
  }

  void set_move(Move move) { move_ = std::move(move); }
  void moved() {
    ends_.pop_front();
    end_ = base::systemc::now();
    wake_.notify(sc_core::SC_ZERO_TIME);
  }
  base::Time end() const { return end_; }

 private:
  static constexpr std::size_t max_in_flight = 4;

  void work() {
    const base::Time now = base::systemc::now();
    while (!ends_.empty() && ends_.front() && *ends_.front() <= now) ends_.pop_front(), end_ = now;
    while (ends_.size() < max_in_flight && begun_ < total() && due() <= now) {
      const base::Bytes read = next(traffic_.read), written = next(traffic_.written);
      const auto offset = std::uint64_t(begun_.value());
      begun_ += base::Bytes(piece_bytes);
      ends_.push_back(move_(read, written, offset));
    }
    if (ends_.size() < max_in_flight && begun_ < total()) wake_at(due());
    if (!ends_.empty() && ends_.front()) wake_at(*ends_.front());
  }
  void wake_at(base::Time time) { wake_.notify(base::systemc::to_sc_time(time - base::systemc::now())); }
  base::Bytes total() const { return std::max(traffic_.read, traffic_.written); }
  base::Bytes next(base::Bytes of) const { return std::clamp(of - begun_, base::Bytes(0), base::Bytes(piece_bytes)); }
  /// The earliest begin of the next piece.
  base::Time due() const {
    if (traffic_.pace.si() <= 0) return {};
    return base::to_time(base::DataSize(double(begun_.value())) / traffic_.pace);
  }

  TrafficBeside traffic_;
  Move move_;
  base::Bytes begun_;
  std::deque<std::optional<base::Time>> ends_;  ///< of the pieces in flight
  base::Time end_;
  sc_core::sc_event wake_;
};

/// Runs one op on core 0; the other cores have no program.
class OneOp : public core::CoreRuntime {
 public:
  explicit OneOp(const TileOp& op) : op_(op) {}
  base::Time end() const { return end_; }
  const std::string& verdict() const { return verdict_; }

  std::optional<Command> next_command(core::Core& core) override {
    if (core.id().core > 0 || std::exchange(begun_, true)) return std::nullopt;
    return RunOp{&op_};
  }
  void completed(core::Core& core, const CommandRecord& record) override { end_ = core.time_of(record.end); }
  void start_external(core::Core&, const External&) override {}
  void failed(core::Core&, const std::string& verdict) override { verdict_ = verdict; }

 private:
  const TileOp& op_;
  bool begun_ = false;
  base::Time end_;
  std::string verdict_;
};

ContentionTimes times_of(const OneOp& op, const Traffic& traffic) {
  base::systemc::back_on_own_stack();
  base::host::end_if_interrupted();
  if (!op.verdict().empty()) throw base::SimulationError(op.verdict());
  return {op.end(), traffic.end()};
}

/// On a chip whose HBM transfers claim.
template <class SomeChip>
ContentionTimes simulate_claims(const Machine& machine, const ContentionCase& pair) {
  const base::systemc::FreshContext context;
  OneOp op(pair.op);
  SomeChip chip("chip", machine, 0, op);
  Traffic traffic("traffic", pair.traffic);
  traffic.set_move([&](base::Bytes read, base::Bytes written, std::uint64_t) {
    base::Time end;
    if (read > base::Bytes(0))
      end = std::max(end, chip.transfers->move(base::systemc::now(), {hbm_of(0), vmem_of(0), read}).when);
    if (written > base::Bytes(0))
      end = std::max(end, chip.transfers->move(base::systemc::now(), {vmem_of(0), hbm_of(0), written}).when);
    return std::optional(end);
  });
  sc_core::sc_start();
  return times_of(op, traffic);
}

ContentionTimes simulate_banks(const Machine& machine, const ContentionCase& pair) {
  const base::systemc::FreshContext context;
  OneOp op(pair.op);
  host::HostPort host("host", machine.host, machine.cores_per_chip, {});
  memory::banks::BankMemory memory("memory", machine, host, {});
  core::TensorCore core("core0", machine, {0, 0}, op, {});
  core.to_host().bind(host.queues);
  core.dma().to_hbm.bind(memory.from_dma(0));
  core::TensorCore other("core1", machine, {0, 1}, op, {});
  other.to_host().bind(host.queues);
  other.dma().to_hbm.bind(memory.from_dma(1));
  Traffic traffic("traffic", pair.traffic);
  std::map<std::uint64_t, int> outstanding;  // transfers by piece
  memory::banks::BankDma& dma = memory.dma(1);
  dma.on_completion([&](std::uint64_t offset) {
    --outstanding.at(offset);
    while (!outstanding.empty() && outstanding.begin()->second == 0) {
      outstanding.erase(outstanding.begin());
      traffic.moved();
    }
  });
  traffic.set_move([&](base::Bytes read, base::Bytes written, std::uint64_t offset) {
    outstanding[offset] = (read > base::Bytes(0) ? 1 : 0) + (written > base::Bytes(0) ? 1 : 0);
    const memory::banks::DmaEnd source{memory.hbm(0), pair.traffic.source + offset};
    const memory::banks::DmaEnd destination{memory.hbm(0), pair.traffic.destination + offset};
    if (read > base::Bytes(0)) dma.start({source, {}, 1, read, {}}, offset);
    if (written > base::Bytes(0)) dma.start({{}, destination, 1, written, {}}, offset);
    return std::optional<base::Time>();
  });
  sc_core::sc_start();
  return times_of(op, traffic);
}

TileOp random_memory_op(base::Dice& dice) {
  const std::int64_t tiles = dice.between(16, 48);
  const std::int64_t reads = dice.between(0, 2), writes = dice.between(reads == 0 ? 1 : 0, 1);
  const auto transfers = [&](std::int64_t count) {
    std::vector<TileTransfer> list(static_cast<std::size_t>(count));
    for (TileTransfer& transfer : list) transfer.bytes = base::Bytes(4096 * dice.between(16, 96));
    return list;
  };
  TileWork work{transfers(reads), {}, transfers(writes)};
  TilePhase phase;
  phase.of<Vector>().alu_ops = dice.between(0, 4000);
  work.phases.push_back(phase);
  return {"op", {{tiles, work}}, base::Bytes(4 << 20)};
}

}  // namespace

std::string to_string(TrafficBeside::Kind kind) {
  switch (kind) {
    case TrafficBeside::Kind::collective:
      return "collective";
    case TrafficBeside::Kind::copy:
      return "copy";
    case TrafficBeside::Kind::infeed:
      break;
  }
  return "infeed";
}

ContentionCase random_contention(const Machine& machine, std::uint64_t seed) {
  using Kind = TrafficBeside::Kind;
  base::Dice dice(seed);
  ContentionCase pair{random_memory_op(dice), {}};
  TrafficBeside& traffic = pair.traffic;
  traffic.kind = std::array{Kind::collective, Kind::copy, Kind::infeed}[std::size_t(dice.between(0, 2))];
  const base::Bytes most(piece_bytes * dice.between(16, 96));
  traffic.written = most;
  traffic.source = traffic_base + 4096 * std::uint64_t(dice.between(0, 4096));
  traffic.destination = 2 * traffic_base + 4096 * std::uint64_t(dice.between(0, 4096));
  if (traffic.kind != Kind::infeed) traffic.read = most;
  if (traffic.kind == Kind::collective) traffic.pace = machine.ici.payload_rate() * double(dice.between(1, 4));
  if (traffic.kind == Kind::infeed) traffic.pace = machine.host.pcie_rate;
  return pair;
}

ContentionTimes replayed_contention(const Machine& machine, const ContentionCase& pair) {
  return simulate_claims<ReplayChip>(machine, pair);
}

ContentionTimes tiled_contention(const Machine& machine, const ContentionCase& pair) {
  return simulate_claims<TileChip>(machine, pair);
}

ContentionComparison compare_contention(const Machine& machine, const ContentionCase& pair) {
  ContentionComparison result{pair, {}, {}, {}};
  result.op_alone = machine.core_clock().time_of(timing::simulate_op(machine, pair.op).cycles);
  result.law = replayed_contention(machine, pair);
  result.banks = simulate_banks(machine, pair);
  return result;
}

}  // namespace podsim::hw::chip
