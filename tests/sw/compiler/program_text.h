// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "sw/compiler/program.h"

/// Text of a program with everything that a simulation reads: equal programs have equal texts. The structured bindings
/// fail to compile if a member is missing.
namespace podsim::sw::compiler {

inline std::int64_t number_of(std::int64_t count) { return count; }
inline std::int64_t number_of(base::Cycles cycles) { return cycles.value(); }

inline std::string text_of(const hw::TileWork& work) {
  std::string text;
  for (const auto& [bytes, shape, level] : work.reads) {
    text +=
        fmt::format(" read {} {} {} {} {}", level, bytes.value(), shape.row.value(), shape.pitch, shape.span.value());
  }
  for (const hw::TilePhase& phase : work.phases) {
    text += " phase";
    hw::TilePhase::for_each_count([&](const auto& count) { text += fmt::format(" {}", number_of(count)); }, phase);
  }
  for (const auto& [bytes, shape, level] : work.writes) {
    text +=
        fmt::format(" write {} {} {} {} {}", level, bytes.value(), shape.row.value(), shape.pitch, shape.span.value());
  }
  return text;
}

inline std::string text_of(const CompiledOp& op) {
  const auto& [name, runs, vmem, in_turns] = op.tiles;
  std::string text = fmt::format("op {} {} {}\n", name, vmem.value(), in_turns);
  for (const auto& [count, work] : runs) text += fmt::format("  {} x{}\n", count, text_of(work));
  return text;
}

inline std::string text_of(const ProgramItem& item) {
  const auto& [kind, index, phase, started_by, hlo_name, op_name, category, hlo_text, cores, sources, products, flops,
               matmul_flops, bytes] = item;
  return fmt::format("item {} {} {} {} {} {} {} {} {} {} {} {} {}\n", int(kind), index, int(phase), started_by,
                     hlo_name, op_name, category, hlo_text, cores, fmt::join(sources, ","), products, flops,
                     bytes.value());
}

inline std::string text_of(const Program& program) {
  const auto& [name, ops, collectives, loops, items, infeeds, outfeeds, core_sets, flops, matmul_flops,
               network_chose_branch, warnings] = program;
  std::string text = fmt::format("{} {} {} {} {}\n", name, flops, matmul_flops, network_chose_branch, warnings);
  for (const CompiledOp& op : ops) text += text_of(op);
  for (const auto& [kind, type, bytes, arrays, groups, axes] : collectives) {
    text += fmt::format("{} {} {} {} {} {}\n", collectives::to_string(kind), hlo::to_string(type), bytes.value(),
                        arrays, groups, axes);
  }
  for (const auto& [loop, op_name, first, end, trips, known] : loops) {
    text += fmt::format("loop {} {} {} {} {} {}\n", loop, op_name, first, end, trips, known);
  }
  for (const ProgramItem& item : items) text += text_of(item);
  const auto add_transfers = [&text](const char* direction, const std::vector<HostTransfer>& transfers) {
    for (const auto& [bytes, tensors, in_place] : transfers) {
      text += fmt::format("{} {} {} {}\n", direction, bytes.value(), tensors, in_place);
    }
  };
  add_transfers("infeed", infeeds);
  add_transfers("outfeed", outfeeds);
  return text + fmt::format("{}\n", core_sets);
}

}  // namespace podsim::sw::compiler
