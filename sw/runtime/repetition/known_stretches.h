// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "sw/compiler/program.h"

namespace podsim::sw::runtime::repetition {

/// Stretches of a program that all cores have executed before, at other positions: layers in which the cores' delays
/// never repeat exactly, since the groups of an open slice drift against each other.
///
/// A `place` is an item together with the items before it, `context` of them. The first `samples` executions of a
/// `place` are simulated. From then on it is known, and a run of known items is divided into stretches where a `place`
/// recurs, which are layers of a network. A stretch may be skipped:
///
///   duration of a `place`   = mean over all cores of the time from its begin to the next item's begin
///   duration of a stretch   = sum over its items of the duration of the `place`, mean over their last `max_samples`
///                             or, if a `place` has fewer, over as many as all of them have, always without the first
///
/// (In the first sample, cores that were together before drift apart.) All cores wait for the same time, so they leave
/// the stretch with the delays among them with which they came. Single cores of dense_137b on 8x8 vary by 1 % from
/// layer to layer, the mean of all cores by less than 0.5 %. A stretch is simulated while the standard error of its
/// mean over the samples exceeds 1/`tolerance` of it, and is then one more sample of its items: so the layers in which
/// cores still drift apart are simulated, and those behind them are not. Context and samples were chosen on dense_137b
/// with 8 layers on 8x8, 16x8 and 16x16; the tolerance on 64 layers on 8x8, whose step is 0.01 % shorter than that of
/// which everything is simulated (0.08 % with half the tolerance).
class KnownStretches {
 public:
  static constexpr int context = 8;
  static constexpr int samples = 3;              ///< at least
  static constexpr std::size_t max_samples = 8;  ///< the last ones, of which the mean is taken
  static constexpr int min_items = 16;           ///< of a stretch
  static constexpr double tolerance = 500;

  struct Stretch {
    std::int64_t first = 0;  ///< position: step * items of the program + item
    int items = 0;
    bool operator==(const Stretch&) const = default;
  };

  /// None, if cores take different branches. The program outlives this object; `cores` are those simulated.
  KnownStretches(const compiler::Program& program, int steps, std::size_t cores);

  const std::vector<Stretch>& stretches() const { return stretches_; }

  /// Called when a core begins an item, before it asks whether a stretch begins there.
  void begins(std::int64_t position, base::Cycles now);
  /// How long the stretch takes that begins at a position; nothing if none begins or it is simulated. The first core
  /// that asks decides for all.
  std::optional<base::Cycles> duration_from(std::int64_t position);
  /// The stretch that begins at a position.
  const Stretch& stretch_from(std::int64_t position) const;
  /// The number of the `place` of an item in a stretch; -1 for other items. Equal ones have the same number.
  int place(std::int64_t position) const;
  int places() const { return int(sampled_.size()); }

 private:
  struct Begin {
    std::int64_t sum = 0;  ///< over cores, in cycles
    std::size_t cores = 0;
  };
  struct Decision {
    bool is_made = false;
    std::optional<base::Cycles> duration;
  };

  std::size_t row(std::int64_t position) const;
  void find_stretches(const std::vector<int>& numbers, std::int64_t end);
  std::vector<Stretch> layers(std::int64_t first, std::int64_t behind, const std::vector<int>& contexts) const;
  void add_stretch(const Stretch& stretch, const std::vector<int>& contexts,
                   const std::vector<std::vector<std::int64_t>>& sampled, std::vector<int>& place_of_context);
  std::optional<base::Cycles> decide(const Stretch& stretch) const;
  /// Cycles of the execution of an item at a position, summed over all cores; nothing if not all have ended it.
  std::optional<std::int64_t> cycles_at(std::int64_t position) const;

  std::int64_t items_;
  std::size_t cores_;
  std::vector<int> place_;                          ///< by item of the first step, then of a later one
  std::vector<std::vector<std::int64_t>> sampled_;  ///< positions, by `place`
  std::vector<Stretch> stretches_;
  std::vector<Decision> decisions_;  ///< by stretch
  std::vector<int> stretch_at_;      ///< by position; -1
  std::vector<Begin> begins_;        ///< by position
};

}  // namespace podsim::sw::runtime::repetition
