// SPDX-License-Identifier: Apache-2.0
#include "app/run/memory_advice.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "app/run/compiled_step.h"
#include "base/diagnostic.h"
#include "workloads/importers/importer.h"
#include "workloads/workload.h"

namespace podsim::app::run {
namespace {

class MemoryAdvice {
 public:
  MemoryAdvice(const RunOptions& options, const sw::TargetMachine& machine) : options_(options), machine_(machine) {}

  std::string text() && {
    if (options_.partition.rematerialise) {
      RunOptions own = options_;
      own.partition.rematerialise.reset();
      add_if_it_fits("without --rematerialise", own);
    }
    const bool shards = can_shard();
    const bool fits_with_shards = shards && add_if_it_fits(sharding, in_shards(options_));
    const std::int64_t batch = batch_per_core();
    const std::int64_t whole = add_largest_batch("", options_, batch);
    if (shards && !fits_with_shards) add_largest_batch(std::string(sharding) + " ", in_shards(options_), batch, whole);
    return std::move(text_);
  }

 private:
  static constexpr const char* sharding = "--weight-update-sharding on";

  /// Whether the update can be in shards in the step that is meant: of a file it would be of another program.
  bool can_shard() const {
    const workloads::importers::Importer* importer = workloads::importers::importer_of(options_.workload);
    const bool is_known = importer == nullptr || importer->net != nullptr || options_.partition.any();
    return is_known && !options_.partition.shards_updates() && !options_.build.inference &&
           !options_.pipeline.asked() && !options_.operators.asked();
  }

  static RunOptions in_shards(RunOptions options) {
    options.partition.weight_update_sharding = "on";
    return options;
  }

  /// Samples of a core in a step; 0 if no flag changes them.
  std::int64_t batch_per_core() const {
    if (options_.build.batch_per_core) return *options_.build.batch_per_core;
    StepCompiler compiler(options_, machine_);
    const std::int64_t cores = compiler.slice().nodes() * machine_.cores_per_chip;
    const std::optional<workloads::Workload> workload = compiler.take_workload();
    return workload && !workload->global ? workload->samples / cores : 0;
  }

  /// Adds the largest halved batch that fits, if it is larger than `beyond`, and returns it; 0 if none fits. Finds one
  /// in steps of eight first, since every trial compiles the step.
  std::int64_t add_largest_batch(const std::string& flags, RunOptions options, std::int64_t batch,
                                 std::int64_t beyond = 0) {
    constexpr std::int64_t stride = 8;
    std::optional<std::string> best;
    std::int64_t fits = 0;
    const auto try_batch = [&](std::int64_t samples) {
      options.build.batch_per_core = samples;
      std::optional<std::string> figures = figures_of(options);
      if (!figures) return false;
      best = std::move(figures);
      fits = samples;
      return true;
    };
    for (std::int64_t of = 2; batch / of > beyond && !best; of *= stride) {
      if (!try_batch(batch / of)) continue;
      for (std::int64_t more = of / 2; more > 1 && more > of / stride && try_batch(batch / more); more /= 2) {
      }
    }
    if (best) add(fmt::format("{}--batch-per-core {}", flags, fits), *best);
    return fits;
  }

  /// "92.1 ms a step, 22240 samples/s" of a step that fits.
  std::optional<std::string> figures_of(const RunOptions& options) const {
    try {
      CompiledStep step = StepCompiler(options, machine_).compile();
      step.place(machine_);
      const double seconds = step.estimate(machine_).si();
      const std::int64_t cores = step.slice->nodes() * machine_.cores_per_chip;
      const double samples =
          step.partition ? double(step.partition->samples) : double(step.batch_per_core) * double(cores);
      std::string text = fmt::format("{:.4g} ms a step", seconds * 1e3);
      if (samples > 0) text += fmt::format(", {:.0f} samples/s", samples / seconds);
      return text;
    } catch (const base::InputError&) {
      return std::nullopt;
    }
  }

  void add(const std::string& flags, const std::string& figures) {
    text_ += fmt::format("{}{}: {}", text_.empty() ? "" : "; ", flags, figures);
  }

  /// Adds the flags if the step fits with them.
  bool add_if_it_fits(const std::string& flags, const RunOptions& options) {
    const std::optional<std::string> figures = figures_of(options);
    if (figures) add(flags, *figures);
    return figures.has_value();
  }

  const RunOptions& options_;
  const sw::TargetMachine& machine_;
  std::string text_;
};

}  // namespace

std::string memory_advice(const RunOptions& options, const sw::TargetMachine& machine) {
  return MemoryAdvice(options, machine).text();
}

}  // namespace podsim::app::run
