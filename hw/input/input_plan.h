// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "hw/input/input_parameters.h"
#include "hw/input/stage.h"

namespace podsim::hw::input {

/// What a host does to one sample.
struct SampleWork {
  base::Bytes stored;         ///< as it is read
  double decoded_pixels = 0;  ///< mean; 0 for samples that are no images
  double output_pixels = 0;   ///< of the image that is left
  double passes = 0;          ///< over that image: resizing, changes of colour, conversions
};

/// What a slice needs for a step.
struct StepInput {
  SampleWork sample;
  std::int64_t samples = 0;  ///< of all cores
  base::Bytes core_batch;    ///< that a core is sent
  std::int64_t chips = 1, cores_per_chip = 1;
};

/// The pipelines of all hosts of a slice.
struct InputPlan {
  std::vector<Stage> stages;
  std::int64_t prefetch = 1;  ///< prepared batches that wait for the device
  std::int64_t hosts = 1;
  double host_samples = 0;  ///< of a host in a step; the fullest one if the chips do not fill all hosts
  std::uint64_t seed = 0;
  std::vector<double> speeds = {};  ///< by host, fractions of the healthy one; empty: all are healthy

  /// Hosts whose stages take constant times do the same at the same time and are simulated once, unless some are slow.
  std::int64_t simulated_hosts() const;
  /// The stages of a host, slower where it is slow.
  std::vector<Stage> stages_of(std::int64_t host) const;
  /// The stage with the longest mean time.
  const Stage& slowest() const;
};

/// The stages of a host, each with its time for the samples n of its chips in a step:
///
///   read      n * stored / read_rate
///   shuffle   n * record                                                   one thread
///   decode    n * (decoded_pixels * decode_pixel + augmenting) / threads
///   augment   the same
///   batch     bytes that its cores are sent / copy_rate
///
/// Decoding and augmenting share the host's threads in proportion to their work, so that they take equal times, as a
/// framework's tuner settles them; images that need neither have neither stage. The transfer over PCIe is the chip's
/// HostPort.
InputPlan input_plan(const InputParameters& parameters, const StepInput& step);

}  // namespace podsim::hw::input
