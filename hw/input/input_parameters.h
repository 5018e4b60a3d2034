// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/config.h"
#include "base/parameters/section_of.h"
#include "base/units.h"

namespace podsim::hw::input {

/// The hosts that feed a slice, of the machine's section [input], and pod.host_chips.
struct InputParameters {
  std::int64_t host_chips = 0;   ///< chips that a host feeds
  std::int64_t threads = 0;      ///< hardware threads of a host, for decoding and augmenting
  base::Bandwidth read_rate;     ///< of a host, stored samples
  base::Duration decode_pixel;   ///< of one thread: decoding, per pixel
  base::Duration pass_pixel;     ///< of one thread: one pass of augmenting over the decoded image, per pixel left
  base::Duration record;         ///< of one thread, per sample: parsing a record and shuffling it
  base::Bandwidth copy_rate;     ///< of a host: samples into the batch that is sent
  std::int64_t stage_queue = 0;  ///< batches that wait in front of a stage
  std::int64_t prefetch = 0;     ///< prepared batches that wait for the device
  double spread = 0;             ///< of the time for a batch (service_times.h)
  std::uint64_t seed = 0;

  /// The keys of [input].
  static const base::parameters::Section<InputParameters>& section();
};

/// InputError for a value out of its range, at the location that set it.
InputParameters read_input_parameters(const base::Config& config);

}  // namespace podsim::hw::input
