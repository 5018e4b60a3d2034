// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/bundle_dma.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hw/bundle/hazard_text.h"
#include "hw/isa/encoding.h"

namespace podsim::hw::bundle {

using isa::DmaRoute;

BundleDma::BundleDma(sc_core::sc_module_name name, const Machine& machine, const CoreTime& time, core::SyncFlags& flags,
                     const DmaMemories& memories, const isa::Program& program, const Trace& trace)
    : sc_module(name),
      time_(time),
      flags_(flags),
      memories_(memories),
      program_(program),
      engine_("engine", machine, time, flags, {}),
      trace_(trace),
      states_{trace.probe<std::string>("read"), trace.probe<std::string>("write")},
      outstanding_(trace.probe<std::int64_t>("outstanding")) {
  const auto per_cycle = [&](base::Bandwidth rate) {
    return std::llround(rate.si() / machine.clock.si() * double(vector::VmemPorts::row));
  };
  alone_ = {per_cycle(machine.hbm.read_rate()), per_cycle(machine.hbm.write_rate())};
  shared_ = per_cycle(machine.hbm.mixed_rate());
  engine_.on_completion([this](std::size_t number) { completed(number); });
  if (trace_.timeline != nullptr) {
    tracks_ = {trace_.timeline->track(trace_.scope, "read"), trace_.timeline->track(trace_.scope, "write")};
  }
  show(Direction::read);
  show(Direction::write);
}

std::optional<std::string> BundleDma::start(base::Cycles now, const isa::DmaDescriptor& descriptor,
                                            std::uint32_t bundle) {
  if (int(descriptor.route) >= isa::dma_routes) {
    return fmt::format("DMA '{}' has route {}, which does not exist", name(descriptor), int(descriptor.route));
  }
  DmaTransfer transfer(descriptor, bundle);
  if (auto why = refusal(transfer, now)) return fmt::format("DMA '{}' {}", name(descriptor), *why);

  transfer.vmem_rows = transfer.count_vmem_rows();
  const std::size_t number = new_transfer();
  transfers_[number] = transfer;
  active_.push_back(number);
  ++started_;
  mark(transfer, true);
  issue(number, now);
  return std::nullopt;
}

std::size_t BundleDma::new_transfer() {
  if (free_.empty()) {
    transfers_.emplace_back();
    return transfers_.size() - 1;
  }
  const std::size_t number = free_.back();
  free_.pop_back();
  return number;
}

/// Returns the reason why a transfer cannot start, as the end of a sentence that begins with its name.
std::optional<std::string> BundleDma::refusal(const DmaTransfer& transfer, base::Cycles now) const {
  if (auto why = range_refusal(transfer)) return why;
  if (transfer.from == DmaSpace::vmem) {
    const vector::VmemGuard::Finding finding = memories_.guard.check_dma_read(transfer.source, now);
    if (finding.fault == vector::VmemGuard::Fault::store_not_seen) {
      return fmt::format("reads VMEM row {}, {} before what was stored there can be seen; a fence waits for it",
                         finding.row, HazardText::cycles(finding.seen - now));
    }
  }
  return conflict(transfer);
}

std::optional<std::string> BundleDma::range_refusal(const DmaTransfer& transfer) const {
  const isa::DmaDescriptor& d = transfer.descriptor;
  const auto size = [&](DmaSpace space) -> std::uint64_t {
    switch (space) {
      case DmaSpace::hbm:
        return memories_.hbm.words();
      case DmaSpace::vmem:
        return std::uint64_t(memories_.guard.rows()) * vector::lanes;
      case DmaSpace::smem:
        return memories_.smem.size();
      case DmaSpace::instructions:
        return memories_.instructions.capacity();
    }
    return 0;
  };
  if (d.flag >= std::uint32_t(flags_.count())) {
    return fmt::format("raises flag {}; there are {}", d.flag, flags_.count());
  }
  for (const auto& [space, region, does] :
       {std::tuple(transfer.from, transfer.source, "reads"), std::tuple(transfer.to, transfer.destination, "writes")}) {
    if (region.end() <= size(space)) continue;
    return fmt::format("{} {} up to {} {}; there are {}", does, to_string(space),
                       space == DmaSpace::instructions ? "bundle" : "word", region.end() - 1, size(space));
  }
  if (std::uint64_t(d.words) * d.rows > memories_.hbm.words()) {
    return fmt::format("moves {} rows of {} words, more than HBM holds", d.rows, d.words);
  }
  if (d.rows > 1 && transfer.destination.stride < transfer.destination.words) {
    return fmt::format("writes rows of {} {} that are only {} apart", transfer.destination.words,
                       transfer.to == DmaSpace::instructions ? "bundles" : "words", transfer.destination.stride);
  }
  if (transfer.to == DmaSpace::instructions && d.words % isa::bundle_words != 0) {
    return fmt::format("brings rows of {} words to instruction memory; a bundle has {}", d.words, isa::bundle_words);
  }
  return std::nullopt;
}

/// Returns the conflict with another transfer in flight, if any. Two transfers may read the same words. The result of
/// any other overlap would depend on which transfer is faster.
std::optional<std::string> BundleDma::conflict(const DmaTransfer& transfer) const {
  for (const std::size_t number : active_) {
    const DmaTransfer& other = transfers_[number];
    const char* what = nullptr;
    DmaSpace where = transfer.to;
    if (transfer.from == other.to && vector::overlap(transfer.source, other.destination)) {
      what = "reads {} that {} still writes";
      where = transfer.from;
    } else if (transfer.to == other.to && vector::overlap(transfer.destination, other.destination)) {
      what = "writes {} that {} writes too";
    } else if (transfer.to == other.from && vector::overlap(transfer.destination, other.source)) {
      what = "writes {} that {} still reads";
    }
    if (what != nullptr) return fmt::format(fmt::runtime(what), to_string(where), text(other));
  }
  return std::nullopt;
}

void BundleDma::issue(std::size_t number, base::Cycles now) {
  DmaTransfer& transfer = transfers_[number];
  const Direction direction = transfer.direction();
  by_direction_[std::size_t(direction)].push_back(number);
  transfer.arrival = engine_.issue(now, direction, transfer.bytes(), number);
  update_ports();
  show(direction);
}

void BundleDma::completed(std::size_t number) {
  DmaTransfer& transfer = transfers_[number];
  const Direction direction = transfer.direction();
  by_direction_[std::size_t(direction)].pop_front();
  const base::Cycles now = time_.now();
  if (trace_.timeline != nullptr) {
    base::Cycles& served = served_until_[std::size_t(direction)];
    trace_.timeline->span(tracks_[std::size_t(direction)], name(transfer.descriptor), "dma",
                          time_.time_of(std::max(served, transfer.arrival)), time_.time_of(now));
    served = now;
  }
  show(direction);
  if (transfer.within_hbm() && !transfer.second_half) {
    transfer.second_half = true;
    issue(number, now);
    return;
  }
  mark(transfer, false);
  active_.erase(std::find(active_.begin(), active_.end(), number));
  move(transfer);
  update_ports();
  free_.push_back(number);
  outstanding_.set(base::systemc::now(), std::int64_t(active_.size()));
  flags_.add(transfer.descriptor.flag, 1);
}

/// Moves the data of a completed transfer. Runs without data move nothing from or to VMEM, but always move what steers
/// programs: SMEM, instruction memory and copies within HBM.
void BundleDma::move(const DmaTransfer& transfer) {
  const bool vector_data = transfer.from == DmaSpace::vmem || transfer.to == DmaSpace::vmem;
  if (vector_data && memories_.vmem == nullptr) return;
  row_buffer_.resize(transfer.descriptor.words);
  for (std::uint64_t row = 0; row < transfer.descriptor.rows; ++row) copy_row(transfer, row);
}

void BundleDma::copy_row(const DmaTransfer& transfer, std::uint64_t row) {
  const std::uint64_t from = transfer.source.row(row);
  const std::uint64_t to = transfer.destination.row(row);
  const std::size_t words = row_buffer_.size();
  switch (transfer.descriptor.route) {
    case isa::DmaRoute::hbm_to_vmem:
      memories_.hbm.read(from, memories_.vmem->words(to, words));
      break;
    case isa::DmaRoute::vmem_to_hbm:
      memories_.hbm.write(to, memories_.vmem->words(from, words));
      break;
    case isa::DmaRoute::hbm_to_hbm:
      memories_.hbm.read(from, row_buffer_);
      memories_.hbm.write(to, row_buffer_);
      break;
    case isa::DmaRoute::hbm_to_smem:
      memories_.hbm.read(from, std::span(memories_.smem).subspan(to, words));
      break;
    case isa::DmaRoute::smem_to_hbm:
      memories_.hbm.write(to, std::span(memories_.smem).subspan(from, words));
      break;
    case isa::DmaRoute::hbm_to_imem:
      memories_.hbm.read(from, row_buffer_);
      memories_.instructions.load(std::uint32_t(to), row_buffer_, from);
      break;
  }
}

/// Marks the memory that a transfer uses when it begins, and clears the marks when it ends.
void BundleDma::mark(const DmaTransfer& transfer, bool begin) {
  const auto mark_vmem = [&](const vector::Region& words, bool writes) {
    begin ? memories_.guard.begin_dma(words, writes) : memories_.guard.end_dma(words, writes);
  };
  if (transfer.from == DmaSpace::vmem) mark_vmem(transfer.source, false);
  if (transfer.to == DmaSpace::vmem) mark_vmem(transfer.destination, true);
  if (transfer.from == DmaSpace::smem || transfer.to == DmaSpace::smem) in_smem_ += begin ? 1 : -1;
  if (transfer.to == DmaSpace::instructions && begin) {
    for (std::uint64_t row = 0; row < transfer.destination.rows; ++row) {
      memories_.instructions.unload(std::uint32_t(transfer.destination.row(row)),
                                    std::uint32_t(transfer.destination.words));
    }
  }
}

void BundleDma::update_ports() {
  memories_.ports.set_dma(vector::VmemPort::write, port_rows(Direction::read));
  memories_.ports.set_dma(vector::VmemPort::read, port_rows(Direction::write));
}

/// Returns the load on a VMEM port of the transfer that the HBM currently serves in a direction.
vector::VmemPorts::DmaRows BundleDma::port_rows(Direction direction) const {
  const auto& served = by_direction_[std::size_t(direction)];
  if (served.empty()) return {};
  const DmaTransfer& transfer = transfers_[served.front()];
  if (transfer.vmem_rows == 0) return {};
  const auto& other = by_direction_[1 - std::size_t(direction)];
  constexpr base::Cycles never{std::numeric_limits<std::int64_t>::max()};
  const auto rows_at = [&](std::int64_t bytes_per_cycle) {
    return std::max<std::int64_t>(1, bytes_per_cycle * transfer.vmem_rows / transfer.bytes().value());
  };
  return {transfer.arrival, rows_at(alone_[std::size_t(direction)]),
          other.empty() ? never : transfers_[other.front()].arrival, rows_at(shared_)};
}

const DmaTransfer* BundleDma::that_raises(std::size_t flag, std::int64_t value) const {
  std::int64_t missing = value - flags_.value(flag);
  for (const std::size_t number : active_) {
    if (transfers_[number].descriptor.flag == flag && --missing == 0) return &transfers_[number];
  }
  return nullptr;
}

const DmaTransfer& BundleDma::at_row(std::int64_t row, bool writes) const {
  const vector::Region words{std::uint64_t(row) * vector::lanes, vector::lanes, 1, 0};
  const auto touches = [&](std::size_t number) {
    const DmaTransfer& transfer = transfers_[number];
    return writes ? transfer.to == DmaSpace::vmem && vector::overlap(words, transfer.destination)
                  : transfer.from == DmaSpace::vmem && vector::overlap(words, transfer.source);
  };
  return transfers_[*std::find_if(active_.begin(), active_.end(), touches)];
}

const DmaTransfer* BundleDma::at_smem(std::uint32_t word, bool reads_too) const {
  if (in_smem_ == 0) return nullptr;
  const vector::Region words{word, 1, 1, 0};
  for (const std::size_t number : active_) {
    const DmaTransfer& transfer = transfers_[number];
    if (transfer.to == DmaSpace::smem && vector::overlap(words, transfer.destination)) return &transfer;
    if (reads_too && transfer.from == DmaSpace::smem && vector::overlap(words, transfer.source)) return &transfer;
  }
  return nullptr;
}

std::string BundleDma::name(const isa::DmaDescriptor& descriptor) const {
  const bool named = descriptor.name < program_.strings.size() && !program_.strings[descriptor.name].empty();
  return named ? program_.strings[descriptor.name] : fmt::format("to flag {}", descriptor.flag);
}

std::string BundleDma::text(const DmaTransfer& transfer) const {
  return fmt::format("DMA '{}' of {}", name(transfer.descriptor), memories_.instructions.location(transfer.bundle));
}

void BundleDma::show(Direction direction) {
  base::trace::Probe<std::string>& state = states_[std::size_t(direction)];
  if (!state.active() && !outstanding_.active()) return;
  const auto& served = by_direction_[std::size_t(direction)];
  state.set(base::systemc::now(), served.empty() ? "idle" : name(transfers_[served.front()].descriptor));
  outstanding_.set(base::systemc::now(), std::int64_t(active_.size()));
}

}  // namespace podsim::hw::bundle
