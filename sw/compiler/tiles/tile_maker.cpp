// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/tile_maker.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace podsim::sw::compiler::tiles {
namespace {

using base::Bytes;

hw::VectorWork share_of_work(const hw::VectorWork& work, double parts) {
  auto part = [&](std::int64_t n) { return std::int64_t(std::ceil(double(n) / parts)); };
  return {.loads = part(work.loads),
          .stores = part(work.stores),
          .alu_ops = part(work.alu_ops),
          .transcendentals = part(work.transcendentals)};
}

hw::VectorWork sum(const hw::VectorWork& a, const hw::VectorWork& b) {
  return {.loads = a.loads + b.loads,
          .stores = a.stores + b.stores,
          .alu_ops = a.alu_ops + b.alu_ops,
          .transcendentals = a.transcendentals + b.transcendentals};
}

hw::VectorWork scaled(const hw::VectorWork& work, double factor) {
  auto part = [&](std::int64_t n) { return std::int64_t(std::llround(double(n) * factor)); };
  return {.loads = part(work.loads),
          .stores = part(work.stores),
          .alu_ops = part(work.alu_ops),
          .transcendentals = part(work.transcendentals)};
}

hw::TileTransfer transfer_of(const IndexedRows& rows) {
  return {rows.bytes(), hw::AccessShape::scattered(rows.piece, rows.span), rows.level};
}

/// A descriptor for each memory that has some of the bytes.
void add_transfers(const hw::LevelBytes& bytes, std::vector<hw::TileTransfer>& transfers) {
  for (int number = 0; number < hw::level::most; ++number) {
    if (bytes[number] > Bytes(0)) transfers.push_back({bytes[number], {}, number});
  }
}

bool any(const hw::VectorWork& work) { return work != hw::VectorWork{}; }

/// Results popped from the MXU go to VMEM. Those of the second and later contraction tiles are added to fp32 partial
/// sums there: a load, an addition and a store per register.
hw::VectorWork accumulation(const hw::MxuWork& mxu, const MatmulProblem& problem, const TargetMachine& machine) {
  std::int64_t registers_per_row = base::divide_round_up(machine.mxu.size, machine.vector.lanes);
  std::int64_t registers =
      mxu.weight_tiles * base::divide_round_up(mxu.rows, machine.vector.sublanes) * registers_per_row;
  bool sums = problem.contraction_tiles * problem.precision_passes > 1;
  return {.loads = sums ? registers : 0, .stores = registers, .alu_ops = sums ? registers : 0, .transcendentals = 0};
}

class TileMaker {
 public:
  TileMaker(const OpWork& work, const Tiling& tiling, const TargetMachine& machine)
      : work_(work), tiling_(tiling), machine_(machine), blocks_(work, tiling, machine) {}

  std::vector<hw::TileRun> run() {
    std::int64_t outer = tiling_.rows_outer ? tiling_.rows : tiling_.lanes;
    std::int64_t inner = tiling_.rows_outer ? tiling_.lanes : tiling_.rows;
    for (std::int64_t b = 0; b < tiling_.batch; ++b) {
      for (std::int64_t o = 0; o < outer; ++o) {
        for (std::int64_t i = 0; i < inner; ++i) {
          for (std::int64_t k = 0; k < tiling_.contraction; ++k) {
            add_tile(tiling_.rows_outer ? o : i, tiling_.rows_outer ? i : o, b, k);
          }
        }
      }
    }
    if (work_.updated.pieces > 0) add_updates();
    add_launch();
    return std::move(runs_);
  }

 private:
  struct Key {
    std::int64_t batch, cut, contraction;
    bool operator==(const Key&) const = default;
  };

  /// The properties that distinguish the work of tiles.
  struct TileKind {
    bool first;                  ///< first tile of the op
    bool loads_row, loads_lane;  ///< blocks that are not loaded yet
    bool last;                   ///< last tile of the contraction
    bool operator==(const TileKind&) const = default;
  };

  void add_tile(std::int64_t row, std::int64_t lane, std::int64_t batch, std::int64_t k) {
    const Key row_key{batch, row, k}, lane_key{batch, lane, k};
    const TileKind kind{runs_.empty(), row_key != loaded_row_, lane_key != loaded_lane_, k == tiling_.contraction - 1};
    loaded_row_ = row_key;
    loaded_lane_ = lane_key;
    if (kind == kind_before_) {
      ++runs_.back().count;
    } else {
      append(tile_of(kind));
    }
    kind_before_ = kind;
  }

  hw::TileWork tile_of(const TileKind& kind) const {
    hw::TileWork tile;
    const auto read = [&](const hw::LevelBytes& bytes) { add_transfers(bytes, tile.reads); };
    if (kind.first) read(work_.small_bytes);
    if (kind.loads_row) read(blocks_.row_block());
    if (kind.loads_lane) read(blocks_.lane_block());
    if (kind.last) {
      if (work_.updated.pieces == 0) read(blocks_.output_side_block());
      if (work_.gathered.pieces > 0) tile.reads.push_back(transfer_of(blocks_.gathered_block()));
      add_transfers(blocks_.written_block(), tile.writes);
    }
    tile.phases = work_.matmul ? matmul_phases(kind.last) : vector_phases();
    if (kind.last) tile.phases.front().of<hw::Scalar>().cycles = lookup(blocks_.gathered_block());
    if (kind.loads_lane && work_.matmul) add_pieces(blocks_.stationary_block().pieces, tile);
    return tile;
  }

  /// Adds the scalar code that issues a DMA for each piece of a block. That of the first is in
  /// hw::timing::ControlTiming.
  void add_pieces(std::int64_t pieces, hw::TileWork& tile) const {
    if (pieces < 2) return;
    hw::TilePhase issue;
    issue.of<hw::Scalar>().cycles = (pieces - 1) * machine_.compiler.block_piece;
    tile.phases.push_back(issue);
  }

  /// Adds the tiles that read rows, combine them and write them back, after the tiles that the op writes in order.
  void add_updates() {
    if (work_.table_bytes.total() > Bytes(0)) {
      hw::TileWork pass;
      add_transfers(blocks_.table_block(), pass.reads);
      pass.phases.emplace_back();
      append(std::move(pass));
      runs_.back().count += blocks_.output_tiles() - 1;
    }
    hw::TileWork tile;
    const IndexedRows rows = blocks_.updated_block();
    add_transfers(blocks_.output_side_block(), tile.reads);
    tile.reads.push_back(transfer_of(rows));
    tile.writes.push_back(transfer_of(rows));
    // Two operands and a result for each register of a piece.
    const std::int64_t registers =
        rows.pieces * base::divide_round_up(rows.piece.value(), machine_.vector.register_bytes().value());
    hw::TilePhase phase;
    phase.of<hw::Vector>() = {.loads = 2 * registers, .stores = registers, .alu_ops = registers, .transcendentals = 0};
    // A row that shares words with another one is combined with it, too: half as much again.
    phase.of<hw::Scalar>().cycles = rows.pieces * machine_.compiler.row_update;
    if (rows.shares_words) phase.of<hw::Scalar>().cycles += base::Cycles(phase.of<hw::Scalar>().cycles.value() / 2);
    tile.phases.push_back(phase);
    append(std::move(tile));
    runs_.back().count += blocks_.output_tiles() - 1;
  }

  void add_launch() {
    hw::TileRun& first = runs_.front();
    if (machine_.compiler.op_launch == base::Cycles(0)) return;
    if (first.count > 1) {
      hw::TileRun rest = first;
      --rest.count;
      first.count = 1;
      runs_.insert(runs_.begin() + 1, std::move(rest));
    }
    hw::TilePhase launch;
    launch.of<hw::Scalar>().cycles = machine_.compiler.op_launch;
    runs_.front().work.phases.push_back(launch);
  }

  base::Cycles lookup(const IndexedRows& rows) const {
    return rows.slices * machine_.compiler.row_lookup + rows.pieces * machine_.compiler.row_read;
  }

  void append(hw::TileWork tile) {
    if (!runs_.empty() && runs_.back().work == tile) {
      ++runs_.back().count;
    } else {
      runs_.push_back({1, std::move(tile)});
    }
  }

  std::vector<hw::TilePhase> vector_phases() const {
    const std::int64_t parts = blocks_.output_tiles() * work_.passes;
    hw::TilePhase phase;
    phase.of<hw::Vector>() = share_of_work(work_.epilogue, double(parts));
    phase.of<hw::CrossLane>().operations = base::divide_round_up(work_.lane_moves, parts);
    std::vector<hw::TilePhase> phases(std::size_t(work_.passes), phase);
    if (work_.loops > 1) {
      // The phase contains one loop; scalar code starts the other loops and issues a DMA for each of their arrays.
      hw::TilePhase starts;
      starts.of<hw::Scalar>().cycles =
          base::divide_round_up(work_.loops - 1, blocks_.output_tiles()) * machine_.tile_level.vector_loop +
          base::divide_round_up(work_.loop_arrays, blocks_.output_tiles()) * machine_.compiler.row_read;
      phases.push_back(starts);
    }
    if (work_.serial_transfers > 0) {
      hw::TilePhase waiting;
      waiting.of<hw::Scalar>().cycles =
          base::divide_round_up(work_.serial_transfers, blocks_.output_tiles()) *
          (machine_.dma.read_latency + machine_.dma.write_latency + machine_.compiler.op_launch);
      phases.push_back(waiting);
    }
    return phases;
  }

  /// Work of the vector and cross-lane units before or after a tile's matmul.
  struct Beside {
    hw::VectorWork vector;
    double relayouts = 0;
  };

  Beside prologue() const {
    const auto rows = double(tiling_.batch * tiling_.rows * tiling_.contraction);
    const auto lanes = double(tiling_.batch * tiling_.lanes * tiling_.contraction);
    return {sum(share_of_work(work_.row_prologue, rows), share_of_work(work_.lane_prologue, lanes)),
            double(work_.row_relayouts) / rows + double(work_.lane_relayouts) / lanes};
  }

  Beside epilogue() const {
    const auto parts = double(blocks_.output_tiles());
    return {share_of_work(work_.epilogue, parts), double(work_.output_relayouts) / parts};
  }

  std::vector<hw::TilePhase> matmul_phases(bool last) const {
    const Beside before = prologue(), after = last ? epilogue() : Beside{};
    std::vector<hw::TilePhase> phases;
    add_exposed(before, phases);
    for (const MatmulProblem& earlier : work_.earlier_matmuls) {
      hw::TilePhase phase;
      phase.of<hw::Mxu>() = blocks_.earlier_mxu(earlier);
      phases.push_back(phase);
    }
    phases.push_back(matmul_phase(before, after));
    add_exposed(after, phases);
    return phases;
  }

  hw::TilePhase matmul_phase(const Beside& before, const Beside& after) const {
    const double hidden = 1 - machine_.compiler.exposed_vector_fraction;
    hw::TilePhase phase;
    phase.of<hw::Mxu>() = blocks_.mxu();
    const hw::VectorWork collected =
        share_of_work(work_.collected, double(tiling_.batch * tiling_.lanes * tiling_.contraction));
    phase.of<hw::Vector>() = sum(sum(scaled(sum(before.vector, after.vector), hidden), collected),
                                 accumulation(phase.of<hw::Mxu>(), *work_.matmul, machine_));
    phase.of<hw::CrossLane>().operations = std::int64_t(
        std::ceil(double(work_.lane_moves) / double(tiling_.tiles()) + hidden * (before.relayouts + after.relayouts)));
    return phase;
  }

  void add_exposed(const Beside& beside, std::vector<hw::TilePhase>& phases) const {
    const double exposed = machine_.compiler.exposed_vector_fraction;
    hw::TilePhase vector, moves;
    vector.of<hw::Vector>() = scaled(beside.vector, exposed);
    if (any(vector.of<hw::Vector>())) phases.push_back(vector);
    moves.of<hw::CrossLane>().operations = std::int64_t(std::ceil(exposed * beside.relayouts));
    if (moves.of<hw::CrossLane>().operations > 0) phases.push_back(moves);
  }

  const OpWork& work_;
  const Tiling& tiling_;
  const TargetMachine& machine_;
  TileBlocks blocks_;
  std::optional<TileKind> kind_before_;
  Key loaded_row_{-1, -1, -1};
  Key loaded_lane_{-1, -1, -1};
  std::vector<hw::TileRun> runs_;
};

}  // namespace

hw::TileOp make_tiles(const OpWork& work, const Tiling& tiling, const TargetMachine& machine, std::string name) {
  hw::TileOp op;
  op.name = std::move(name);
  op.runs = TileMaker(work, tiling, machine).run();
  op.vmem = TileBlocks(work, tiling, machine).vmem();
  return op;
}

}  // namespace podsim::sw::compiler::tiles
