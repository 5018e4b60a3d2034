// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/compile.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/diagnostic.h"
#include "sw/compiler/all_reduce_combiner.h"
#include "sw/compiler/fusion.h"
#include "sw/compiler/layout_assignment.h"
#include "sw/compiler/tile_search.h"
#include "sw/graph/flops.h"

namespace podsim::sw {
namespace {

class Compiler {
 public:
  Compiler(const Module& fused, const hw::Machine& machine) : fused_(fused), machine_(machine) {
    program_.name = fused.name;
  }

  Program run() {
    const Computation& entry = fused_.entry_computation();
    for (InstructionId id = 0; id < InstructionId(entry.instructions.size()); ++id) {
      const Instruction& instruction = entry[id];
      if (instruction.opcode == Opcode::all_reduce) {
        add_collective(entry, id);
      } else if (instruction.opcode == Opcode::infeed) {
        add_infeed(entry, id);
      } else if (instruction.opcode == Opcode::outfeed) {
        add_outfeed(entry, id);
      } else if (is_core_op(instruction)) {
        add_op(entry, id);
      }
    }
    return std::move(program_);
  }

 private:
  ProgramItem describe(const Computation& entry, InstructionId id) const {
    const Instruction& instruction = entry[id];
    ProgramItem item;
    item.hlo_name = instruction.name;
    item.op_name = instruction.op_name;
    item.category = category_of(fused_, instruction);
    item.hlo_text = "%" + instruction.name + " = " + to_string(instruction.shape) + " " +
                    std::string(to_string(instruction.opcode)) + "(";
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
      const Instruction& operand = entry[instruction.operands[i]];
      item.hlo_text += (i == 0 ? "" : ", ") + to_string(operand.shape) + " %" + operand.name;
    }
    item.hlo_text += ")";
    item.flops = double(cost(fused_, entry, id).flops);
    return item;
  }

  /// Of the multiply-accumulates that XLA counts, without the padding that the MXU computes with them.
  double matmul_flops(const Instruction& instruction) const {
    if (instruction.opcode != Opcode::fusion) return 0;
    double flops = 0;
    const Computation& body = fused_.computations[instruction.called.front()];
    for (const Instruction& inner : body.instructions) {
      if (!is_matmul(inner.opcode)) continue;
      flops += 2.0 * double(multiply_accumulates(inner, body[inner.operands[0]].shape, body[inner.operands[1]].shape));
    }
    return flops;
  }

  void add_op(const Computation& entry, InstructionId id) {
    OpWork work = op_work(fused_, entry, id, machine_);
    ProgramItem item = describe(entry, id);
    item.bytes = work.read_bytes() + work.stored_bytes();
    auto [found, inserted] = index_.try_emplace(work, int(program_.ops.size()));
    if (inserted) {
      TileCuts cuts = choose_cuts(work, machine_, item.op_name.empty() ? item.hlo_name : item.op_name);
      program_.ops.push_back({work, make_tiles(work, cuts, machine_, item.hlo_name)});
    }
    item.kind = ProgramItem::Kind::op;
    item.index = found->second;
    program_.flops += item.flops;
    program_.matmul_flops += matmul_flops(entry[id]);
    program_.items.push_back(std::move(item));
  }

  void add_collective(const Computation& entry, InstructionId id) {
    const Instruction& instruction = entry[id];
    CollectiveOp collective;
    collective.kind = to_string(instruction.opcode);
    collective.bytes = logical_bytes(instruction.shape);
    collective.arrays = int(instruction.operands.size());
    collective.element_type = entry[instruction.operands.front()].shape.element_type;
    ProgramItem item = describe(entry, id);
    item.kind = ProgramItem::Kind::collective;
    item.index = int(program_.collectives.size());
    item.bytes = 2 * collective.bytes;
    program_.collectives.push_back(std::move(collective));
    program_.items.push_back(std::move(item));
  }

  void add_infeed(const Computation& entry, InstructionId id) {
    const Instruction& instruction = entry[id];
    ProgramItem item = describe(entry, id);
    item.kind = ProgramItem::Kind::infeed;
    item.bytes = padded_bytes(instruction.shape);
    if (program_.infeed.tensors > 0) {
      throw base::InputError("'" + instruction.name +
                             "' is the second infeed of the step; the host feeds one per step");
    }
    program_.infeed = host_transfer(instruction.shape);
    program_.items.push_back(std::move(item));
  }

  void add_outfeed(const Computation& entry, InstructionId id) {
    const Shape& shape = entry[entry[id].operands.front()].shape;
    ProgramItem item = describe(entry, id);
    item.kind = ProgramItem::Kind::outfeed;
    item.index = int(program_.outfeeds.size());
    item.bytes = padded_bytes(shape);
    program_.outfeeds.push_back(host_transfer(shape));
    program_.items.push_back(std::move(item));
  }

  static HostTransfer host_transfer(const Shape& shape) {
    return {logical_bytes(shape), shape.is_tuple() ? int(shape.tuple_shapes.size()) : 1};
  }

  const Module& fused_;
  const hw::Machine& machine_;
  Program program_;
  std::map<OpWork, int> index_;
};

}  // namespace

Compilation compile(Module module, const hw::Machine& machine) {
  assign_layouts(module.computations[module.entry]);
  Compilation result;
  result.fused = fuse(combine_all_reduces(std::move(module), machine.compiler.combine_all_reduce));
  result.program = Compiler(result.fused, machine).run();
  return result;
}

}  // namespace podsim::sw
