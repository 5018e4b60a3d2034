// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/lowering.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/text/counted.h"
#include "hlo/permuted_slices.h"
#include "hlo/rules/annotation.h"
#include "hlo/rules/instruction_error.h"
#include "hlo/transform/flops.h"
#include "hlo/transform/partition_branch.h"
#include "sw/collectives/engine/assumed_times.h"
#include "sw/compiler/collective_cores.h"
#include "sw/compiler/collective_op.h"
#include "sw/compiler/op_costs.h"
#include "sw/compiler/tiles/core_op.h"
#include "sw/compiler/tiles/op_work.h"
#include "sw/compiler/tiles/product_arithmetic.h"
#include "sw/compiler/tiles/tile_maker.h"
#include "sw/compiler/tiles/tile_search.h"

namespace podsim::sw::compiler {
namespace {

std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return a > most / b ? most : a * b;
}

class Lowering {
 public:
  Lowering(const hlo::Module& module, const TargetMachine& machine, OpCache* cache, const costs::PriceList& prices)
      : module_(module),
        machine_(machine),
        prices_(prices),
        costs_(machine, cache),
        collective_times_(machine, module.replicas * module.partitions),
        cores_(module.replicas, module.partitions) {
    program_.name = module.name;
  }

  Program run() {
    enter(module_.entry, nullptr);
    if (!branches_.empty()) {
      const std::string more =
          branches_.size() > 1 ? ", and of " + base::text::counted(std::int64_t(branches_.size()) - 1, "other") : "";
      program_.warnings.push_back(branches_.front() + more);
    }
    for (const ProgramItem& item : program_.items) {
      program_.flops += item.flops * double(trips_[std::size_t(&item - program_.items.data())]) * share(item.cores);
    }
    return std::move(program_);
  }

 private:
  /// Appends the items of a computation that an instruction of the current computation executes.
  void enter(hlo::ComputationId called, const hlo::Instruction* by, int branch = 0) {
    const hlo::transform::CallFrame frame{module_.computations[std::size_t(called)], by, frame_, branch};
    const hlo::transform::CallFrame* around = std::exchange(frame_, &frame);
    add(frame.computation);
    frame_ = around;
  }

  void add(const hlo::Computation& computation) {
    std::map<hlo::InstructionId, int> started;
    std::vector<std::vector<int>> makers(computation.instructions.size());
    for (hlo::InstructionId id = 0; id < hlo::InstructionId(computation.instructions.size()); ++id) {
      const hlo::Instruction& instruction = computation[id];
      sources_ = sources_of(instruction, makers);
      const std::vector<int> sources = sources_;
      const std::size_t before = program_.items.size();
      if (instruction.phase == hlo::AsyncPhase::done) {
        if (const auto at = started.find(instruction.operands.front()); at != started.end()) {
          add_done(instruction, at->second);
        }
        makers[std::size_t(id)] = maker_since(before, sources);
        continue;
      }
      hlo::rules::at_instruction(instruction.name, "compiled", [&] { add(computation, id); });
      makers[std::size_t(id)] = maker_since(before, sources);
      const bool one = program_.items.size() == before + 1;
      if (instruction.phase == hlo::AsyncPhase::start && one && may_go_on(program_.items.back())) {
        program_.items.back().phase = hlo::AsyncPhase::start;
        started[id] = int(before);
      }
    }
  }

  /// The items that make an instruction's operands.
  static std::vector<int> sources_of(const hlo::Instruction& instruction, const std::vector<std::vector<int>>& makers) {
    std::vector<int> sources;
    for (const hlo::InstructionId operand : instruction.operands) {
      const std::vector<int>& of_operand = makers[std::size_t(operand)];
      sources.insert(sources.end(), of_operand.begin(), of_operand.end());
    }
    std::ranges::sort(sources);
    sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
    return sources;
  }

  /// The item that makes a value: the last one that its instruction has added, or else those that made its operands.
  std::vector<int> maker_since(std::size_t before, const std::vector<int>& sources) const {
    for (std::size_t i = program_.items.size(); i > before; --i) {
      if (program_.items[i - 1].kind != ProgramItem::Kind::repeat) return {int(i - 1)};
    }
    return sources;
  }

  static bool may_go_on(const ProgramItem& item) {
    return item.kind == ProgramItem::Kind::op || item.kind == ProgramItem::Kind::collective;
  }

  void add(const hlo::Computation& computation, hlo::InstructionId id) {
    const hlo::Instruction& instruction = computation[id];
    if (collective_kind(instruction.opcode)) return add_collective(computation, id);
    switch (instruction.opcode) {
      case hlo::Opcode::infeed:
        return add_host_transfer(computation, id, ProgramItem::Kind::infeed, instruction.shape);
      case hlo::Opcode::outfeed:
        return add_host_transfer(computation, id, ProgramItem::Kind::outfeed,
                                 computation[instruction.operands.front()].shape);
      case hlo::Opcode::call:
      case hlo::Opcode::async_start:
        for (hlo::ComputationId called : instruction.called) enter(called, &instruction);
        return;
      case hlo::Opcode::while_loop:
        return add_loop(instruction);
      case hlo::Opcode::conditional:
        return add_branch(instruction);
      case hlo::Opcode::custom_call:
        if (const auto* annotation = hlo::rules::find_annotation(instruction.target); annotation && annotation->is_free)
          return;
        if (const auto match = prices_.find(computation, instruction)) return add_priced(computation, id, *match);
        warn(instruction, fmt::format("custom call '{}'{}", instruction.target,
                                      prices_.knows(instruction) ? ", whose arrays no price matches" : ""));
        break;
      case hlo::Opcode::unknown:
        warn(instruction, fmt::format("unknown opcode '{}'", instruction.target));
        break;
      case hlo::Opcode::send:
      case hlo::Opcode::recv:
        warn(instruction, "'" + std::string(hlo::to_string(instruction.opcode)) + "' to another program");
        return;
      default:
        if (tiles::is_core_op(instruction) && !tiles::has_modelled_work(instruction.opcode)) {
          warn(instruction, fmt::format("the work of '{}' is not modelled", hlo::to_string(instruction.opcode)));
        }
    }
    if (tiles::is_core_op(computation, id)) add_op(computation, id);
  }

  void warn(const hlo::Instruction& instruction, const std::string& what) {
    if (!warned_.insert(what).second) return;
    const bool moves = instruction.opcode != hlo::Opcode::send && instruction.opcode != hlo::Opcode::recv;
    program_.warnings.push_back(fmt::format("{} (%{}): {}", what, instruction.name,
                                            moves ? "costed by the bytes it moves" : "takes no time here"));
  }

  ProgramItem describe(const hlo::Computation& computation, hlo::InstructionId id) const {
    const hlo::Instruction& instruction = computation[id];
    ProgramItem item;
    item.hlo_name = instruction.name;
    item.op_name = instruction.op_name;
    item.category = tiles::category_of(module_, instruction);
    item.hlo_text = "%" + instruction.name + " = " + hlo::to_string(instruction.shape) + " " +
                    std::string(hlo::to_string(instruction.opcode)) + "(";
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
      const hlo::Instruction& operand = computation[instruction.operands[i]];
      item.hlo_text += (i == 0 ? "" : ", ") + hlo::to_string(operand.shape) + " %" + operand.name;
    }
    item.hlo_text += ")";
    item.flops = double(hlo::transform::cost(module_, computation, id).flops);
    return item;
  }

  void append(ProgramItem item, ProgramItem::Kind kind, int index) {
    item.kind = kind;
    item.index = index;
    item.cores = cores_now_;
    item.sources = sources_;
    program_.items.push_back(std::move(item));
    trips_.push_back(trips_now_);
  }

  /// FLOPs of multiply-accumulates as XLA counts them, without the padding that the MXU processes. Products that a cell
  /// makes more of in a cycle than in bf16 count as those in bf16 that take as long.
  double matmul_flops(const hlo::Computation& computation, const hlo::Instruction& instruction) const {
    if (hlo::transform::is_matmul(instruction.opcode)) {
      const hlo::Shape &lhs = computation[instruction.operands[0]].shape,
                       &rhs = computation[instruction.operands[1]].shape;
      const auto type = [&](int operand) {
        return tiles::entering_shape(computation, instruction.operands[std::size_t(operand)]).element_type;
      };
      const auto product = tiles::product_arithmetic(instruction, type(0), type(1), machine_.mxu).product;
      return 2.0 * double(hlo::transform::multiply_accumulates(instruction, lhs, rhs)) *
             double(machine_.mxu.bf16_products) / double(machine_.mxu.products(product));
    }
    if (instruction.opcode != hlo::Opcode::fusion) return 0;
    double flops = 0;
    const hlo::Computation& body = module_.computations[instruction.called.front()];
    for (const hlo::Instruction& inner : body.instructions) flops += matmul_flops(body, inner);
    return flops;
  }

  void add_op(const hlo::Computation& computation, hlo::InstructionId id) {
    tiles::OpWork work = tiles::op_work(module_, computation, id, machine_);
    ProgramItem item = describe(computation, id);
    item.products = tiles::products_text(module_, computation, id, machine_);
    item.bytes = (work.read_bytes() + work.stored_bytes())[hw::level::hbm];
    auto [found, inserted] = index_.try_emplace(work, int(program_.ops.size()));
    if (inserted) {
      tiles::Tiling tiling = costs_.tiling(work, item.op_name.empty() ? item.hlo_name : item.op_name);
      program_.ops.push_back({work, costs_.tiles(work, tiling, item.hlo_name)});
    }
    item.matmul_flops = matmul_flops(computation, computation[id]);
    program_.matmul_flops += item.matmul_flops * double(trips_now_) * share(cores_now_);
    append(std::move(item), ProgramItem::Kind::op, found->second);
  }

  /// Adds a custom call whose price a file says.
  void add_priced(const hlo::Computation& computation, hlo::InstructionId id, const costs::PriceList::Match& match) {
    const tiles::OpWork moved = tiles::op_work(module_, computation, id, machine_);
    ProgramItem item = describe(computation, id);
    const auto [found, inserted] = priced_.try_emplace({match.price, match.sizes, moved});
    if (inserted) {
      const auto estimate = [this](const hw::TileOp& op) { return costs_.estimate(op); };
      costs::PricedOp priced = costs::priced_op(*match.price, match.sizes, moved.read_bytes().total(),
                                                moved.stored_bytes().total(), machine_, item.hlo_name, estimate);
      found->second = {int(program_.ops.size()), priced.flops, priced.matmul_flops, priced.bytes};
      program_.ops.push_back({moved, std::move(priced.tiles)});
    }
    item.flops = found->second.flops;
    item.matmul_flops = found->second.matmul_flops;
    item.bytes = found->second.bytes;
    program_.matmul_flops += item.matmul_flops * double(trips_now_) * share(cores_now_);
    append(std::move(item), ProgramItem::Kind::op, found->second.index);
  }

  void add_done(const hlo::Instruction& instruction, int started) {
    ProgramItem item = program_.items[std::size_t(started)];
    item.hlo_name = instruction.name;
    item.flops = item.matmul_flops = 0;
    item.phase = hlo::AsyncPhase::done;
    item.started_by = started;
    const ProgramItem::Kind kind = item.kind;
    const int index = item.index;
    append(std::move(item), kind, index);
  }

  void add_collective(const hlo::Computation& computation, hlo::InstructionId id) {
    const hlo::Instruction& instruction = computation[id];
    CollectiveOp collective = collective_op(computation, id);
    if (collective.bytes == base::Bytes(0)) return;
    const CollectiveCores::Groups& cores =
        cores_now_ < 0 ? cores_.of(instruction)
                       : cores_.within(program_.core_sets[std::size_t(cores_now_)], instruction);
    if (cores_now_ >= 0 && cores.empty()) return;
    ProgramItem item = describe(computation, id);
    item.bytes = hlo::logical_bytes(instruction.shape);
    for (const hlo::InstructionId operand : instruction.operands)
      item.bytes += hlo::logical_bytes(computation[operand].shape);
    if (hlo::is_in_place(instruction)) item.bytes = 2 * collective.bytes;
    const auto [found, inserted] =
        collective_index_.try_emplace({collective, &cores}, int(program_.collectives.size()));
    if (inserted) {
      collective.groups = cores;
      program_.collectives.push_back(std::move(collective));
    }
    append(std::move(item), ProgramItem::Kind::collective, found->second);
  }

  void add_host_transfer(const hlo::Computation& computation, hlo::InstructionId id, ProgramItem::Kind kind,
                         const hlo::Shape& shape) {
    ProgramItem item = describe(computation, id);
    item.bytes = hlo::padded_bytes(shape);
    auto& transfers = kind == ProgramItem::Kind::infeed ? program_.infeeds : program_.outfeeds;
    transfers.push_back({hlo::logical_bytes(shape), tensors_in(shape), false});
    append(std::move(item), kind, int(transfers.size()) - 1);
  }

  static int tensors_in(const hlo::Shape& shape) {
    if (!shape.is_tuple()) return hlo::byte_width(shape.element_type) > 0 ? 1 : 0;
    int count = 0;
    for (const hlo::Shape& element : shape.tuple_shapes) count += tensors_in(element);
    return count;
  }

  void add_loop(const hlo::Instruction& instruction) {
    if (instruction.trip_count == 0) return;
    Loop loop;
    loop.name = instruction.name;
    loop.op_name = instruction.op_name;
    loop.trips_known = instruction.trip_count > 0;
    loop.trips = loop.trips_known ? instruction.trip_count : 1;
    loop.first = int(program_.items.size());
    const std::int64_t around = std::exchange(trips_now_, saturating_product(trips_now_, loop.trips));
    for (hlo::ComputationId called : instruction.called) enter(called, &instruction);
    if (loop.trips_known && is_one_loop_from(loop.first)) {
      Loop& only = program_.loops.back();
      only.trips = saturating_product(only.trips, loop.trips);
      trips_now_ = around;
      return;
    }
    ProgramItem item;
    item.hlo_name = instruction.name;
    item.op_name = instruction.op_name;
    item.category = "while";
    const int index = int(program_.loops.size());
    append(std::move(item), ProgramItem::Kind::repeat, index);
    trips_now_ = around;
    loop.end = int(program_.items.size());
    if (!loop.trips_known) {
      program_.warnings.push_back(
          fmt::format("how often %{0} runs is not in the text: one trip stands for all (--trips {0}=N)", loop.name));
    }
    program_.loops.push_back(std::move(loop));
  }

  /// True if the items from `first` on are one loop of known trips. Around it, another one only multiplies its trips:
  /// to execute both would take a time that grows with the product over all loops of a nest.
  bool is_one_loop_from(int first) const {
    if (program_.loops.empty()) return false;
    const Loop& last = program_.loops.back();
    return last.first == first && last.end == int(program_.items.size()) && last.trips_known;
  }

  void add_branch(const hlo::Instruction& instruction) {
    if (const auto taken = hlo::transform::branch_of_devices(module_, *frame_, instruction))
      return add_branches(instruction, *taken);
    add_longest_branch(instruction);
  }

  /// Lowers each branch for the cores that take it.
  void add_branches(const hlo::Instruction& instruction, const std::vector<int>& taken) {
    const int around = cores_now_;
    for (int branch = 0; branch < int(instruction.called.size()); ++branch) {
      std::vector<std::int32_t> cores;
      for (std::int32_t core = 0; core < std::int32_t(taken.size()); ++core) {
        if (taken[std::size_t(core)] == branch && runs(around, core)) cores.push_back(core);
      }
      if (cores.empty()) continue;
      cores_now_ = cores.size() == taken.size() ? -1 : core_set(std::move(cores));
      enter(instruction.called[std::size_t(branch)], &instruction, branch);
    }
    cores_now_ = around;
  }

  bool runs(int core_set, std::int32_t core) const {
    return core_set < 0 || std::ranges::binary_search(program_.core_sets[std::size_t(core_set)], core);
  }

  int core_set(std::vector<std::int32_t> cores) {
    const auto same = std::ranges::find(program_.core_sets, cores);
    const int index = int(same - program_.core_sets.begin());
    if (same == program_.core_sets.end()) program_.core_sets.push_back(std::move(cores));
    return index;
  }

  /// The fraction of all devices that a core set contains.
  double share(int core_set) const {
    if (core_set < 0) return 1;
    return double(program_.core_sets[std::size_t(core_set)].size()) / double(module_.replicas * module_.partitions);
  }

  /// Lowers every branch to find its time, then lowers the longest one again and keeps it.
  void add_longest_branch(const hlo::Instruction& instruction) {
    int longest = -1;
    double most = -1;
    for (int branch = 0; branch < int(instruction.called.size()); ++branch) {
      const Mark before = mark();
      enter(instruction.called[std::size_t(branch)], &instruction, branch);
      const double cycles = cycles_since(before.items);
      roll_back(before);
      if (cycles > most) {
        most = cycles;
        longest = branch;
      }
    }
    if (longest < 0) return;
    const hlo::ComputationId taken = instruction.called[std::size_t(longest)];
    enter(taken, &instruction, longest);
    if (most > 0) {
      branches_.push_back(fmt::format("conditional %{}: the longest branch, %{}, is assumed", instruction.name,
                                      module_.computations[std::size_t(taken)].name));
    }
  }

  /// A state of the program to return to. Compiled ops and collectives that are no longer used may stay.
  struct Mark {
    std::size_t items, loops, infeeds, outfeeds, warnings, branches;
    double matmul_flops;
    std::set<std::string> warned;
  };
  Mark mark() const {
    return {program_.items.size(),    program_.loops.size(), program_.infeeds.size(), program_.outfeeds.size(),
            program_.warnings.size(), branches_.size(),      program_.matmul_flops,   warned_};
  }
  void roll_back(const Mark& to) {
    program_.items.resize(to.items);
    trips_.resize(to.items);
    program_.loops.resize(to.loops);
    program_.infeeds.resize(to.infeeds);
    program_.outfeeds.resize(to.outfeeds);
    program_.warnings.resize(to.warnings);
    branches_.resize(to.branches);
    program_.matmul_flops = to.matmul_flops;
    warned_ = to.warned;
  }

  double cycles_since(std::size_t first) {
    double cycles = 0;
    for (std::size_t i = first; i < program_.items.size(); ++i) {
      const ProgramItem& item = program_.items[i];
      if (item.phase == hlo::AsyncPhase::done) continue;
      double once = 0;
      if (item.kind == ProgramItem::Kind::op) {
        once = double(costs_.estimate(program_.ops[std::size_t(item.index)].tiles).value());
      } else if (item.kind == ProgramItem::Kind::collective) {
        const CollectiveOp& collective = program_.collectives[std::size_t(item.index)];
        once = collective_times_.of(request_of(collective), collective.groups).si() * machine_.clock.si();
        program_.network_chose_branch = true;
      }
      cycles += once * double(trips_[i]);
    }
    return cycles;
  }

  /// The op of a custom call with a price, and what its items say.
  struct Priced {
    int index = 0;  ///< into Program::ops
    double flops = 0, matmul_flops = 0;
    base::Bytes bytes;
  };

  const hlo::Module& module_;
  const TargetMachine& machine_;
  const costs::PriceList& prices_;
  OpCosts costs_;
  collectives::engine::AssumedTimes collective_times_;
  Program program_;
  CollectiveCores cores_;
  std::map<tiles::OpWork, int> index_;
  std::map<std::tuple<const costs::CustomPrice*, costs::Sizes, tiles::OpWork>, Priced> priced_;
  std::map<std::pair<CollectiveOp, const CollectiveCores::Groups*>, int> collective_index_;  ///< keys without groups
  std::vector<std::int64_t> trips_;  ///< number of executions of every item in a step
  std::int64_t trips_now_ = 1;
  int cores_now_ = -1;                                ///< index into Program::core_sets
  std::vector<int> sources_;                          ///< items that make the operands of the instruction being lowered
  const hlo::transform::CallFrame* frame_ = nullptr;  ///< frame of the computation being lowered
  std::set<std::string> warned_;
  std::vector<std::string> branches_;  ///< messages about branches that were chosen by time
};

}  // namespace

Program lower(const hlo::Module& module, const TargetMachine& machine, OpCache* cache, const costs::PriceList& prices) {
  return Lowering(module, machine, cache, prices).run();
}

}  // namespace podsim::sw::compiler
