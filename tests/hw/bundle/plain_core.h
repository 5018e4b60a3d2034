// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "hw/bundle/bundle_run.h"
#include "hw/bundle/vector/vector_functions.h"
#include "hw/isa/dma_descriptor.h"
#include "hw/isa/latency.h"
#include "hw/isa/legality.h"
#include "hw/timing/dma_timing.h"
#include "hw/timing/hbm_stream.h"

namespace podsim::hw::bundle {

/// The core as a plain program that looks at every cycle: no events, nothing decoded ahead, no running ahead, no order
/// among slots (they read a copy of the state). Knows a part of the operations. The slow reference for BundleCore.
class PlainCore {
 public:
  PlainCore(const Machine& machine, const isa::Program& program)
      : machine_(machine), bundles_(program.segments.at(0).bundles), stream_(machine), dma_timing_(machine) {
    last_missed_.fill(-1);
    state_.predicates[0] = true;
    state_.masks[0] = vector::MaskRegister::all();
    units_[isa::cross_lane_unit] = {
        machine.cross_lane.interval, machine.cross_lane.latency, machine.cross_lane.result_fifo, {}};
    units_[isa::transcendental_unit] = {machine.vector.transcendental_interval,
                                        machine.vector.transcendental_latency,
                                        machine.vector.transcendental_fifo,
                                        {}};
    units_[isa::scalar_path] = {
        base::Cycles(1), machine.scalar.from_vector_latency, machine.scalar.from_vector_fifo, {}};
    for (const isa::DataBlock& block : program.data) {
      for (std::size_t i = 0; i < block.words.size(); ++i) words(block.space)[block.address + i] = block.words[i];
    }
  }

  /// Until the halt, or a mistake of the program.
  void run() {
    while (!done && !failed) {
      complete_transfers();
      attempt();
      if (!failed) ++now_;
    }
  }

  bool done = false, failed = false;
  std::array<base::Cycles, stall_reasons> stalls{};
  base::Cycles cycles() const { return base::Cycles(now_); }  ///< taken, or that of the mistake
  std::uint32_t pc() const { return pc_; }
  std::map<std::uint64_t, std::uint32_t>& words(isa::MemorySpace space) { return memory_[std::size_t(space)]; }

 private:
  using Instruction = isa::Instruction;
  using Opcode = isa::Opcode;
  using Words = std::map<std::uint64_t, std::uint32_t>;

  struct State {
    std::array<std::uint32_t, isa::scalar_registers> scalars{};
    std::array<bool, isa::predicate_registers> predicates{};
    std::array<vector::VectorRegister, isa::vector_registers> vectors{};
    std::array<vector::MaskRegister, isa::mask_registers> masks{};
  };
  struct Unit {
    base::Cycles interval{}, latency{};
    std::int64_t places = 0;
    std::deque<std::pair<std::int64_t, vector::VectorRegister>> results{};  ///< when they can be popped
    std::int64_t entered = -1'000'000;                                      ///< the last time
    std::int64_t last_ready = -1'000'000;
  };
  struct Transfer {
    isa::DmaDescriptor descriptor;
    bool second_half = false;
  };
  using Register = std::pair<isa::RegisterFile, int>;

  // Registers.
  static std::optional<isa::RegisterFile> file_of(isa::OperandKind kind) {
    switch (kind) {
      case isa::OperandKind::scalar:
      case isa::OperandKind::scalar_or_literal:
        return isa::RegisterFile::scalar;
      case isa::OperandKind::vector:
      case isa::OperandKind::vector_or_literal:
        return isa::RegisterFile::vector;
      case isa::OperandKind::mask:
        return isa::RegisterFile::mask;
      default:
        return std::nullopt;
    }
  }
  /// Returns true if every register that the operation reads or writes is ready now.
  bool registers_ready(const Instruction& i) const {
    const isa::OpcodeInfo& info = isa::info(i.opcode);
    std::vector<Register> used;
    for (const auto& [kind, value] : {std::pair(info.x, i.x), std::pair(info.y, i.y), std::pair(info.z, i.z)}) {
      if (const auto file = file_of(kind); file && !value.literal) used.emplace_back(*file, value.value);
    }
    if (info.masked) used.emplace_back(isa::RegisterFile::mask, i.mask);
    if (info.reads_destination) used.emplace_back(*file_of(info.destination), i.destination);
    if (const auto written = isa::written_register(i)) used.emplace_back(written->file, written->number);
    return std::ranges::all_of(used, [&](const Register& r) { return ready_at(r) <= now_; });
  }
  std::int64_t ready_at(const Register& r) const {
    const auto found = ready_.find(r);
    return found == ready_.end() ? 0 : found->second;
  }
  std::int64_t number(isa::Value value) const {
    return value.literal ? value.value : std::int32_t(state_.scalars[std::size_t(value.value)]);
  }

  // An attempt to issue.
  void attempt() {
    if (now_ < resume_) {
      stalls[std::size_t(Stall::branch)] += base::Cycles(1);
      return;
    }
    if (pc_ >= bundles_.size()) return fail();
    std::vector<Instruction> active;
    for (const auto& slot : bundles_[pc_].slot) {
      if (!slot) continue;
      if (ready_at({isa::RegisterFile::predicate, slot->predicate.reg}) > now_) return fail();
      if (state_.predicates[slot->predicate.reg] != slot->predicate.negated) active.push_back(*slot);
    }
    const bool waits = something_is_missing(active);
    if (failed) return;
    if (waits) {
      ++waited_;
    } else {
      issue(active);
    }
  }

  bool something_is_missing(const std::vector<Instruction>& active) {
    for (const Instruction& i : active) {
      if (i.opcode != Opcode::sync_wait && i.opcode != Opcode::dma) continue;
      if (is_missing(i)) return true;
      if (failed) return false;
    }
    if (std::ranges::count_if(active, pushes_from_a_vector_slot) > 1) return fail(), false;
    if (std::ranges::count(active, Opcode::s_pop, &Instruction::opcode) > 1) return fail(), false;
    bool missing = false;
    for (const Instruction& i : active) {
      if (i.opcode != Opcode::sync_wait && i.opcode != Opcode::dma) missing |= is_missing(i);
    }
    return missing;
  }
  bool miss(Stall reason) {
    last_missed_[std::size_t(reason)] = now_;
    return true;
  }
  bool is_missing(const Instruction& i) {
    const isa::OpcodeInfo& info = isa::info(i.opcode);
    if (i.opcode == Opcode::sync_wait) {
      if (!registers_ready(i)) return fail(), false;
      if (flags_[number(i.x)] >= number(i.y)) return false;
      std::int64_t coming = 0;
      for (const auto& [tag, transfer] : transfers_) coming += transfer.descriptor.flag == number(i.x);
      if (flags_[number(i.x)] + coming < number(i.y)) return fail(), false;
      return miss(Stall::sync_flag);
    }
    if (i.opcode == Opcode::dma) {
      return std::int64_t(transfers_.size()) >= machine_.dma.queue_depth && miss(Stall::dma_queue);
    }
    if (i.opcode == Opcode::fence) return last_store_ + store_to_load() > now_ && miss(Stall::fence);
    if (info.slot == isa::SlotKind::load || info.slot == isa::SlotKind::store) {
      return waited_ < bank_cycles(i) - 1 && miss(Stall::vmem_bank);
    }
    if (info.slot == isa::SlotKind::pop || info.slot == isa::SlotKind::push || pushes_from_a_vector_slot(i) ||
        i.opcode == Opcode::s_pop) {
      return unit_is_missing(i);
    }
    return false;
  }
  static bool pushes_from_a_vector_slot(const Instruction& i) {
    return isa::info(i.opcode).slot == isa::SlotKind::vector &&
           isa::info(i.opcode).destination == isa::OperandKind::none;
  }
  static std::size_t unit_of(const Instruction& i) {
    if (i.opcode == Opcode::pop) return i.unit;
    if (i.opcode == Opcode::s_pop || i.opcode == Opcode::push_scalar) return isa::scalar_path;
    return pushes_from_a_vector_slot(i) ? isa::transcendental_unit : isa::cross_lane_unit;
  }
  bool unit_is_missing(const Instruction& i) {
    Unit& unit = units_[unit_of(i)];
    const Stall reason = unit_of(i) == isa::cross_lane_unit ? Stall::cross_lane
                         : unit_of(i) == isa::scalar_path   ? Stall::scalar_path
                                                            : Stall::transcendental;
    if (i.opcode == Opcode::pop || i.opcode == Opcode::s_pop) {
      if (unit.results.empty()) return fail(), false;
      return unit.results.front().first > now_ && miss(reason);
    }
    if (std::int64_t(unit.results.size()) >= unit.places) return fail(), false;
    return now_ < unit.entered + unit.interval.value() && miss(reason);
  }

  // Rows of VMEM.
  static std::int64_t stride(const Instruction& i) { return i.z.value; }  // a literal
  std::vector<std::int64_t> rows(const Instruction& i) const {
    std::vector<std::int64_t> rows;
    for (int s = 0; s < vector::sublanes; ++s) rows.push_back(number(i.x) + number(i.y) + s * stride(i));
    return rows;
  }
  std::int64_t bank_cycles(const Instruction& i) const {
    std::map<std::int64_t, std::vector<std::int64_t>> banks;
    std::size_t most = 0;
    for (const std::int64_t row : rows(i)) {
      auto& bank = banks[row & 7];
      if (std::ranges::find(bank, row) == bank.end()) bank.push_back(row);
      most = std::max(most, bank.size());
    }
    return std::int64_t(most);
  }
  std::int64_t store_to_load() const { return machine_.vector.store_to_load.value(); }

  /// The words that a transfer in flight writes (or reads) in a memory.
  static std::vector<std::uint64_t> side(const isa::DmaDescriptor& d, bool destination) {
    std::vector<std::uint64_t> words;
    for (std::uint64_t r = 0; r < d.rows; ++r) {
      for (std::uint64_t w = 0; w < d.words; ++w) {
        words.push_back(destination ? d.destination + r * d.destination_stride + w
                                    : d.source + r * d.source_stride + w);
      }
    }
    return words;
  }
  static isa::MemorySpace space(isa::DmaRoute route, bool destination) {
    using isa::DmaRoute, isa::MemorySpace;
    if (route == (destination ? isa::DmaRoute::hbm_to_vmem : isa::DmaRoute::vmem_to_hbm)) return isa::MemorySpace::vmem;
    if (route == (destination ? isa::DmaRoute::hbm_to_smem : isa::DmaRoute::smem_to_hbm)) return isa::MemorySpace::smem;
    return isa::MemorySpace::hbm;
  }
  /// Returns true if a DMA in flight moves one of the units (rows or words of a memory): to there, or also from there.
  bool in_motion(isa::MemorySpace where, std::uint64_t unit, std::uint64_t words_per_unit, bool sources_too) const {
    for (const auto& [tag, transfer] : transfers_) {
      for (const bool destination : {true, false}) {
        if (!destination && !sources_too) continue;
        if (space(transfer.descriptor.route, destination) != where) continue;
        for (const std::uint64_t word : side(transfer.descriptor, destination)) {
          if (word / words_per_unit == unit) return true;
        }
      }
    }
    return false;
  }

  // Mistakes of programs.
  bool allowed(const Instruction& i) {
    if (!registers_ready(i)) return false;
    const isa::SlotKind slot = isa::info(i.opcode).slot;
    if (slot == isa::SlotKind::load || slot == isa::SlotKind::store) {
      for (const std::int64_t row : rows(i)) {
        if (row < 0 || row >= machine_.vmem.value() / 512) return false;
        if (in_motion(isa::MemorySpace::vmem, std::uint64_t(row), vector::lanes, slot == isa::SlotKind::store))
          return false;
        if (slot == isa::SlotKind::load && stored_at_.contains(row) && stored_at_[row] + store_to_load() > now_)
          return false;
      }
    }
    if (i.opcode == Opcode::s_load || i.opcode == Opcode::s_store) {
      const auto word = std::uint32_t(number(i.x) + number(i.y));
      if (word >= machine_.scalar.smem.value() / 4) return false;
      if (in_motion(isa::MemorySpace::smem, word, 1, i.opcode == Opcode::s_store)) return false;
    }
    if (i.opcode == Opcode::dma) return dma_allowed(i);
    return i.opcode != Opcode::halt || transfers_.empty();
  }
  isa::DmaDescriptor descriptor(const Instruction& i) {
    std::array<std::uint32_t, isa::descriptor_words> words{};
    for (std::size_t w = 0; w < words.size(); ++w)
      words[w] = this->words(isa::MemorySpace::smem)[std::uint64_t(number(i.x)) + w];
    return isa::descriptor_of(words);
  }
  bool dma_allowed(const Instruction& i) {
    for (int w = 0; w < isa::descriptor_words; ++w) {
      if (in_motion(isa::MemorySpace::smem, std::uint64_t(number(i.x) + w), 1, false)) return false;
    }
    const isa::DmaDescriptor d = descriptor(i);
    if (d.route == isa::DmaRoute::vmem_to_hbm) {
      for (const std::uint64_t word : side(d, false)) {
        const auto row = std::int64_t(word / vector::lanes);
        if (stored_at_.contains(row) && stored_at_[row] + store_to_load() > now_) return false;
      }
    }
    for (const std::uint64_t word : side(d, false)) {
      if (in_motion(space(d.route, false), word, 1, false)) return false;
    }
    for (const std::uint64_t word : side(d, true)) {
      if (in_motion(space(d.route, true), word, 1, true)) return false;
    }
    return true;
  }

  // Issue. Registers are read in `old`.
  void issue(const std::vector<Instruction>& active) {
    for (const Instruction& i : active) {
      // A store of this bundle comes before its DMA, and does not concern its load.
      if (i.opcode == Opcode::dma) {
        for (const Instruction& other : active) {
          if (isa::info(other.opcode).slot == isa::SlotKind::store) mark_stored(other);
        }
      }
      if (!allowed(i)) return fail();
    }
    account();
    const State old = state_;
    std::uint32_t next = pc_ + 1;
    for (const Instruction& i : active) {
      if (isa::is_branch(i.opcode) && (i.opcode == Opcode::s_branch || number_of(old, i.x) != 1)) {
        next = std::uint32_t(i.y.value);
        resume_ = now_ + 1 + machine_.scalar.branch_penalty.value();
      }
    }
    // Memories are not copied: they are read first and written then.
    for (const Instruction& i : active) {
      if (!isa::info(i.opcode).reads_destination) perform(i, old);
    }
    for (const Instruction& i : active) {
      if (isa::info(i.opcode).reads_destination) perform(i, old);
    }
    pc_ = next;
  }
  void account() {
    if (waited_ > 0) {
      const auto longest = std::ranges::max_element(last_missed_);  // the first of them
      stalls[std::size_t(longest - last_missed_.begin())] += base::Cycles(waited_);
    }
    waited_ = 0;
    last_missed_.fill(-1);
  }
  void mark_stored(const Instruction& i) {
    for (const std::int64_t row : rows(i)) stored_at_[row] = now_;
    last_store_ = now_;
  }
  static std::int64_t number_of(const State& old, isa::Value value) {
    return value.literal ? value.value : std::int32_t(old.scalars[std::size_t(value.value)]);
  }
  static vector::VectorRegister vector_of(const State& old, isa::Value value) {
    if (!value.literal) return old.vectors[std::size_t(value.value)];
    vector::VectorRegister all;
    all.words.fill(std::uint32_t(value.value));
    return all;
  }
  static bool in(const vector::MaskRegister& mask, std::size_t word) {
    return (mask.bits[word / 64] >> (word % 64) & 1) != 0;
  }

  void perform(const Instruction& i, const State& old) {
    if (const auto written = isa::written_register(i)) {
      ready_[{written->file, written->number}] = now_ + isa::result_latency(machine_, i.opcode).value();
    }
    switch (isa::info(i.opcode).slot) {
      case isa::SlotKind::scalar:
        return perform_scalar(i, old);
      case isa::SlotKind::vector:
      case isa::SlotKind::push:
        return perform_vector(i, old);
      case isa::SlotKind::load:
      case isa::SlotKind::store:
        return perform_memory(i, old);
      case isa::SlotKind::pop: {
        auto& results = units_[i.unit].results;
        state_.vectors[i.destination] = results.front().second;
        results.pop_front();
        return;
      }
      case isa::SlotKind::misc:
        return perform_misc(i, old);
    }
  }
  void perform_scalar(const Instruction& i, const State& old) {
    const auto x = std::uint32_t(number_of(old, i.x));
    const auto y = std::uint32_t(number_of(old, i.y));
    std::uint32_t& d = state_.scalars[i.destination];
    const Words& smem = words(isa::MemorySpace::smem);
    if (i.opcode == Opcode::s_add) d = x + y;
    if (i.opcode == Opcode::s_mov) d = y;
    if (i.opcode == Opcode::s_pop) {
      auto& sent = units_[isa::scalar_path].results;
      d = sent.front().second.words[0];
      sent.pop_front();
    }
    if (i.opcode == Opcode::s_load) d = smem.contains(x + y) ? smem.at(x + y) : 0;
    if (i.opcode == Opcode::s_store) words(isa::MemorySpace::smem)[x + y] = old.scalars[i.destination];
    if (i.opcode == Opcode::s_eq) state_.predicates[i.destination] = x == y;
    if (i.opcode == Opcode::s_loop) state_.scalars[std::size_t(i.x.value)] = x - 1;
  }
  void perform_vector(const Instruction& i, const State& old) {
    const vector::MaskRegister& mask = old.masks[i.mask];
    const vector::VectorRegister x = vector_of(old, i.x);
    const vector::VectorRegister y = i.opcode == Opcode::v_splat ? vector::VectorRegister{} : vector_of(old, i.y);
    if (isa::info(i.opcode).destination == isa::OperandKind::none) {
      Unit& unit = units_[unit_of(i)];
      vector::VectorRegister result;
      if (pushes_from_a_vector_slot(i)) {
        vector::transcendental_operation(i.opcode, result, y);
      } else if (i.opcode == Opcode::push_scalar) {
        result = x;
      } else {
        vector::cross_lane_operation(i.opcode, result, x, 0);
      }
      unit.entered = now_;
      unit.last_ready = std::max(now_ + unit.latency.value(), unit.last_ready + unit.interval.value());
      unit.results.emplace_back(unit.last_ready, result);
      return;
    }
    for (std::size_t w = 0; w < vector::register_words; ++w) {
      if (i.opcode == Opcode::v_lt_s32) {
        const bool less = in(mask, w) && std::int32_t(x.words[w]) < std::int32_t(y.words[w]);
        std::uint64_t& bits = state_.masks[i.destination].bits[w / 64];
        bits = (bits & ~(std::uint64_t(1) << w % 64)) | std::uint64_t(less) << w % 64;
      } else if (in(mask, w)) {
        std::uint32_t& d = state_.vectors[i.destination].words[w];
        if (i.opcode == Opcode::v_add_s32) d = x.words[w] + y.words[w];
        if (i.opcode == Opcode::v_mov) d = y.words[w];
        if (i.opcode == Opcode::v_splat) d = std::uint32_t(number_of(old, i.y));
      }
    }
  }
  void perform_memory(const Instruction& i, const State& old) {
    const bool stores = isa::info(i.opcode).slot == isa::SlotKind::store;
    const Words& vmem = words(isa::MemorySpace::vmem);
    std::vector<std::int64_t> rows;
    for (int s = 0; s < vector::sublanes; ++s)
      rows.push_back(number_of(old, i.x) + number_of(old, i.y) + s * stride(i));
    for (std::size_t w = 0; w < vector::register_words; ++w) {
      const auto word = std::uint64_t(rows[w / vector::lanes]) * vector::lanes + w % vector::lanes;
      const bool chosen = in(old.masks[i.mask], w);
      if (stores && chosen) words(isa::MemorySpace::vmem)[word] = old.vectors[i.destination].words[w];
      if (!stores) state_.vectors[i.destination].words[w] = chosen && vmem.contains(word) ? vmem.at(word) : 0;
    }
    if (!stores) return;
    for (const std::int64_t row : rows) stored_at_[row] = now_;
    last_store_ = now_;
  }
  void perform_misc(const Instruction& i, const State& old) {
    if (i.opcode == Opcode::halt) done = true;
    if (i.opcode == Opcode::sync_set) flags_[number_of(old, i.x)] = number_of(old, i.y);
    if (i.opcode == Opcode::dma) {
      std::array<std::uint32_t, isa::descriptor_words> read{};
      const Words& smem = words(isa::MemorySpace::smem);
      for (std::size_t w = 0; w < read.size(); ++w) read[w] = smem.at(std::uint64_t(number_of(old, i.x)) + w);
      transfers_[++last_tag_] = {isa::descriptor_of(read), false};
      submit(last_tag_);
    }
  }

  // DMA.
  void submit(std::uint64_t tag) {
    const Transfer& transfer = transfers_[tag];
    const isa::DmaDescriptor& d = transfer.descriptor;
    const bool writes = transfer.second_half || space(d.route, false) != isa::MemorySpace::hbm;
    const Direction direction = writes ? Direction::write : Direction::read;
    const base::Bytes bytes((std::int64_t(d.words) * 4 + 31) / 32 * 32 * d.rows);
    stream_.submit(direction, bytes, dma_timing_.arrival(base::Cycles(now_), direction, level::hbm), tag);
  }
  void complete_transfers() {
    std::vector<timing::HbmStream::Completion> completed;
    stream_.advance(base::Cycles(now_), completed);
    for (const timing::HbmStream::Completion& completion : completed) {
      Transfer& transfer = transfers_[completion.tag];
      const isa::DmaDescriptor d = transfer.descriptor;
      if (d.route == isa::DmaRoute::hbm_to_hbm && !transfer.second_half) {
        transfer.second_half = true;
        submit(completion.tag);
        continue;
      }
      const std::vector<std::uint64_t> from = side(d, false);
      const std::vector<std::uint64_t> to = side(d, true);
      for (std::size_t w = 0; w < from.size(); ++w) {
        words(space(d.route, true))[to[w]] = words(space(d.route, false))[from[w]];
      }
      transfers_.erase(completion.tag);
      ++flags_[d.flag];
    }
  }
  void fail() { failed = true; }

  const Machine& machine_;
  const std::vector<isa::Bundle>& bundles_;
  timing::HbmStream stream_;
  timing::DmaTiming dma_timing_;
  State state_;
  std::array<Words, 3> memory_;  ///< by isa::MemorySpace
  std::map<Register, std::int64_t> ready_;
  std::map<std::int64_t, std::int64_t> stored_at_;  ///< by row
  std::int64_t last_store_ = -1'000'000;
  std::map<std::size_t, Unit> units_;
  std::map<std::int64_t, std::int64_t> flags_;
  std::map<std::uint64_t, Transfer> transfers_;
  std::uint64_t last_tag_ = 0;

  std::int64_t now_ = 0, resume_ = 0;
  std::uint32_t pc_ = 0;
  std::int64_t waited_ = 0;                                ///< cycles that the bundle at pc_ has waited
  std::array<std::int64_t, stall_reasons> last_missed_{};  ///< cycle in which it last missed something
};

}  // namespace podsim::hw::bundle
