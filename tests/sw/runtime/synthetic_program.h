// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sw/runtime/session/session.h"
#include "sw/target_machine.h"
#include "tests/hw/test_machine.h"

/// Programs without a model, and runs of them.
namespace podsim::sw::runtime::testing {

/// `tiles` equal tiles, each of which reads, streams rows past weight tiles and writes.
inline hw::TileOp tile_op(std::string name, std::int64_t tiles, std::int64_t read, std::int64_t weight_tiles,
                          std::int64_t rows, std::int64_t written) {
  hw::TileWork work;
  work.reads = {{base::Bytes(read)}};
  work.phases = {hw::TilePhase(hw::MxuWork{weight_tiles, rows}, hw::VectorWork{rows / 8, rows / 8, rows / 4, 0})};
  work.writes = {{base::Bytes(written)}};
  return {std::move(name), {{tiles, work}}, base::Bytes(2 * (read + written))};
}

class ProgramMaker {
 public:
  ProgramMaker() { program_.name = "synthetic"; }

  int define(hw::TileOp tiles) {
    program_.ops.push_back({{}, std::move(tiles)});
    return int(program_.ops.size()) - 1;
  }
  ProgramMaker& op(int index) {
    compiler::ProgramItem& item = add(compiler::ProgramItem::Kind::op, index, "loop fusion");
    item.flops = 1e9;
    item.bytes = base::Bytes(1000);
    return *this;
  }
  int define(compiler::CollectiveOp collective) {
    program_.collectives.push_back(std::move(collective));
    return int(program_.collectives.size()) - 1;
  }
  /// Without groups: of all cores.
  int define_all_reduce(std::int64_t bytes, std::vector<std::vector<std::int32_t>> groups = {}) {
    return define(
        {collectives::CollectiveKind::all_reduce, hlo::ElementType::bf16, base::Bytes(bytes), 1, std::move(groups)});
  }
  ProgramMaker& collective(int index) {
    add(compiler::ProgramItem::Kind::collective, index, "all-reduce");
    return *this;
  }
  ProgramMaker& all_reduce(std::int64_t bytes) { return collective(define_all_reduce(bytes)); }
  /// Restricts the last item to these cores.
  ProgramMaker& of_cores(std::vector<std::int32_t> cores) {
    const auto same = std::ranges::find(program_.core_sets, cores);
    program_.items.back().cores = int(same - program_.core_sets.begin());
    if (same == program_.core_sets.end()) program_.core_sets.push_back(std::move(cores));
    return *this;
  }
  /// Makes the last item run concurrently with the following ones.
  ProgramMaker& asynchronous() {
    program_.items.back().phase = hlo::AsyncPhase::start;
    started_ = int(program_.items.size()) - 1;
    return *this;
  }
  /// Waits for the last item made asynchronous.
  ProgramMaker& done() {
    const compiler::ProgramItem start = program_.items[std::size_t(started_)];
    compiler::ProgramItem& item = add(start.kind, start.index, start.category);
    item.phase = hlo::AsyncPhase::done;
    item.started_by = started_;
    return *this;
  }
  /// Runs all items from item `first` in a loop of `trips` trips.
  ProgramMaker& loop_from(int first, std::int64_t trips) {
    add(compiler::ProgramItem::Kind::repeat, int(program_.loops.size()), "while");
    compiler::Loop loop;
    loop.name = "while." + std::to_string(program_.loops.size());
    loop.first = first;
    loop.end = int(program_.items.size());
    loop.trips = trips;
    program_.loops.push_back(loop);
    return *this;
  }
  ProgramMaker& infeed(std::int64_t bytes, int tensors) {
    program_.infeeds.push_back({base::Bytes(bytes), tensors, false});
    add(compiler::ProgramItem::Kind::infeed, int(program_.infeeds.size()) - 1, "infeed");
    return *this;
  }
  ProgramMaker& outfeed(std::int64_t bytes, int tensors) {
    program_.outfeeds.push_back({base::Bytes(bytes), tensors, false});
    add(compiler::ProgramItem::Kind::outfeed, int(program_.outfeeds.size()) - 1, "outfeed");
    return *this;
  }
  compiler::Program program() const { return program_; }

 private:
  compiler::ProgramItem& add(compiler::ProgramItem::Kind kind, int index, std::string category) {
    compiler::ProgramItem item;
    item.kind = kind;
    item.index = index;
    item.category = std::move(category);
    item.hlo_name = item.category + "." + std::to_string(program_.items.size());
    item.op_name = "layer" + std::to_string(program_.items.size());
    item.hlo_text = "%" + item.hlo_name + " = bf16[8] op(bf16[8] %x, \"y\")";
    program_.items.push_back(std::move(item));
    return program_.items.back();
  }

  compiler::Program program_;
  int started_ = -1;
};

/// An op bound by the MXU and one bound by the HBM, each twice, an infeed and an all-reduce.
inline compiler::Program mixed_program() {
  ProgramMaker maker;
  int matmul = maker.define(tile_op("matmul", 12, 40'000, 16, 1024, 20'000));
  int stream = maker.define(tile_op("stream", 40, 200'000, 0, 64, 100'000));
  return maker.infeed(300'000, 2).op(matmul).op(stream).op(matmul).all_reduce(1'000'000).op(stream).program();
}

struct RunOptions : SimulationOptions {
  int steps = 2;
};

/// Runs a program in a session of its own.
inline RunResult run(const compiler::Program& program, const sw::TargetMachine& machine, const noc::Topology& slice,
                     const RunOptions& options) {
  session::Session session(machine, slice, options);
  return session.run({.program = session.add(program), .steps = options.steps}).result;
}

inline noc::Topology open_2x2() { return noc::Topology({2, 2}, {false, false}); }

/// A program of an item for each letter: of an op, or of a collective for capitals.
inline compiler::Program program_of(const std::string& letters) {
  ProgramMaker maker;
  for (int op = 0; op < 26; ++op) maker.define(tile_op("op", 1, 1000, 0, 8, 1000));
  for (int collective = 0; collective < 26; ++collective) maker.define_all_reduce(1000 * (collective + 1));
  for (const char letter : letters) {
    if (letter >= 'a') {
      maker.op(letter - 'a');
    } else {
      maker.collective(letter - 'A');
    }
  }
  return maker.program();
}

inline std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

}  // namespace podsim::sw::runtime::testing
