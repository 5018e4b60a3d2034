// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/recompute.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hlo/transform/flops.h"
#include "sw/compiler/memory_account.h"
#include "sw/compiler/repeated_ops.h"
#include "sw/compiler/tiles/core_op.h"

namespace podsim::sw::compiler {
namespace {

/// An array that is dropped before the peak and made again after it.
struct Candidate {
  int array = -1;
  hlo::InstructionId before = 0;  ///< the next reader after the peak
  base::Bytes saved{};            ///< at the peak
};

/// Repeats ops until the memory fits.
class Recomputer {
 public:
  Recomputer(hlo::Module module, base::Bytes capacity, std::span<const hlo::Donation> donations)
      : capacity_(capacity), donations_(donations), result_{.module = std::move(module)} {}

  RecomputedModule run() && {
    find_peak();
    for (int round = 0; round < max_rounds; ++round) {
      if (live_.live.empty() || live_.live[std::size_t(peak_)] <= capacity_) break;
      const std::vector<Candidate> chosen = choose(live_.live[std::size_t(peak_)] - capacity_);
      if (chosen.empty() && !std::exchange(of_several_results_, true)) continue;
      if (chosen.empty()) break;
      const base::Bytes before = live_.live[std::size_t(peak_)];
      RecomputedModule last = result_;
      std::vector<RepeatedOp> repeated;
      for (const Candidate& candidate : chosen) {
        const hlo::InstructionId origin = live_.arrays[std::size_t(candidate.array)].origin;
        ++result_.ops;
        result_.flops += double(hlo::transform::cost(result_.module, entry(), origin).flops);
        repeated.push_back({candidate.array, candidate.before});
        repeated_.insert(entry()[origin].name);
      }
      result_.module = with_repeated_ops(std::move(result_.module), live_, repeated);
      find_peak();
      if (live_.live[std::size_t(peak_)] <= before) continue;
      result_ = std::move(last);  // operands that live longer take more elsewhere
      break;
    }
    return std::move(result_);
  }

 private:
  void find_peak() {
    live_ = find_liveness(result_.module, donations_);
    peak_ = hlo::InstructionId(std::ranges::max_element(live_.live) - live_.live.begin());
  }

  const hlo::Computation& entry() const { return result_.module.entry_computation(); }

  /// The candidates that free most, until they free `excess` bytes. None is an operand of another one's op.
  std::vector<Candidate> choose(base::Bytes excess) {
    std::vector<Candidate> candidates;
    for (int array = 0; array < int(live_.arrays.size()); ++array) {
      const Candidate candidate = candidate_of(array);
      if (candidate.saved > base::Bytes(0)) candidates.push_back(candidate);
    }
    std::ranges::stable_sort(candidates, std::ranges::greater(), &Candidate::saved);
    std::vector<Candidate> chosen;
    std::set<int> dropped, read;
    std::set<hlo::InstructionId> origins;
    for (const Candidate& candidate : candidates) {
      if (excess <= base::Bytes(0)) break;
      const hlo::InstructionId origin = live_.arrays[std::size_t(candidate.array)].origin;
      const std::set<int> operands = operands_of(origin);
      const bool depends = origins.contains(origin) || read.contains(candidate.array) ||
                           std::ranges::any_of(operands, [&](int operand) { return dropped.contains(operand); });
      if (depends) continue;
      origins.insert(origin);
      dropped.insert(candidate.array);
      read.insert(operands.begin(), operands.end());
      chosen.push_back(candidate);
      excess -= std::min(excess, candidate.saved);
    }
    return chosen;
  }

  Candidate candidate_of(int array) {
    const LiveArray& life = live_.arrays[std::size_t(array)];
    Candidate candidate{.array = array};
    if (life.definition >= peak_ || life.last_use <= peak_ || life.last_use >= int(entry().instructions.size()))
      return {};
    const auto next = std::ranges::lower_bound(life.readers, peak_);
    if (next == life.readers.end() || *next == peak_ || !may_be_repeated(life.origin)) return {};
    for (auto reader = next; reader != life.readers.end(); ++reader) {
      if (!reads_by_name(*reader, array, life.origin)) return {};
    }
    candidate.before = *next;
    candidate.saved = life.bytes;
    for (const int operand : operands_of(life.origin)) {
      const LiveArray& read = live_.arrays[std::size_t(operand)];
      if (read.last_use < candidate.before) candidate.saved -= std::min(candidate.saved, read.bytes);
    }
    return candidate;
  }

  bool may_be_repeated(hlo::InstructionId id) const {
    const hlo::Instruction& op = entry()[id];
    if (op.phase != hlo::AsyncPhase::none || op.op_name.starts_with(repeated_scope) ||
        !tiles::is_core_op(entry(), id) || updated_operand(result_.module, op) >= 0 || repeated_.contains(op.name)) {
      return false;
    }
    const bool has_names = of_several_results_ || !op.shape.is_tuple();
    const bool is_plain = has_names && std::ranges::all_of(op.operands, [&](hlo::InstructionId operand) {
                            return live_.array_of[std::size_t(operand)] >= 0;
                          });
    switch (op.opcode) {
      case hlo::Opcode::custom_call:
      case hlo::Opcode::rng:
      case hlo::Opcode::rng_get_and_update_state:
      case hlo::Opcode::send:
      case hlo::Opcode::recv:
      case hlo::Opcode::async_start:
        return false;
      case hlo::Opcode::fusion:
        return is_plain && may_be_repeated(result_.module.computations[std::size_t(op.called[0])]);
      default:
        return is_plain;
    }
  }

  /// True for the body of a fusion that has no effect.
  static bool may_be_repeated(const hlo::Computation& body) {
    return std::ranges::none_of(body.instructions, [](const hlo::Instruction& inner) {
      return inner.opcode == hlo::Opcode::rng || inner.opcode == hlo::Opcode::custom_call;
    });
  }

  /// Arrays that an instruction reads.
  std::set<int> operands_of(hlo::InstructionId id) const {
    std::set<int> arrays;
    for (const hlo::InstructionId operand : entry()[id].operands) arrays.insert(live_.array_of[std::size_t(operand)]);
    return arrays;
  }

  /// Returns whether an instruction reads an array, and only under names that can be given anew: results, elements of
  /// a result, bitcasts, reshapes and transpositions of them.
  bool reads_by_name(hlo::InstructionId reader, int array, hlo::InstructionId origin) const {
    return std::ranges::any_of(entry()[reader].operands,
                               [&](hlo::InstructionId name) { return live_.array_of[std::size_t(name)] == array; }) &&
           std::ranges::all_of(entry()[reader].operands, [&](hlo::InstructionId name) {
             return live_.array_of[std::size_t(name)] != array || is_name_of(entry(), live_, name, origin);
           });
  }

  static constexpr int max_rounds = 1000;

  base::Bytes capacity_;
  std::span<const hlo::Donation> donations_;
  RecomputedModule result_;
  bool of_several_results_ = false;  ///< ops of several results may be repeated
  std::set<std::string> repeated_;   ///< names of ops
  Liveness live_;
  hlo::InstructionId peak_ = 0;
};

}  // namespace

RecomputedModule recompute_to_fit(hlo::Module fused, base::Bytes max_live, base::Bytes capacity,
                                  std::span<const hlo::Donation> donations) {
  const MemoryAccount given = account_memory(fused, donations);
  if (given.heap <= capacity && given.peak <= max_live) return {.module = std::move(fused)};
  // Gaps of the heap grow or shrink with the schedule: each trial takes off twice as much as the one before.
  constexpr int max_trials = 6;
  RecomputedModule result;
  base::Bytes live = std::min(max_live, capacity);
  for (int trial = 0; trial < max_trials; ++trial) {
    result = Recomputer(fused, live, donations).run();
    const MemoryAccount account = account_memory(result.module, donations);
    if (account.heap <= capacity || account.peak > live) break;
    live -= std::min(live, (account.heap - capacity) * (std::int64_t{1} << trial));
  }
  return result;
}

}  // namespace podsim::sw::compiler
