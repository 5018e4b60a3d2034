// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

/// Published peaks of device memory, memory.csv, with those of the commands that simulate them: `podsim validate
/// memory`.
namespace podsim::validation::measured::published {

/// A row of memory.csv.
struct PublishedMemory {
  std::string model;          ///< "GPipe Naive-1 L=3"
  std::string sizes;          ///< "d 2048; ff 8192; batch 32 x 1024; RMSProp": of the row, or of an earlier one
  std::int64_t sequence = 0;  ///< tokens
  double figure = 0;          ///< of one device, in the source's GB, which are 10^9 or 2^30 bytes
  std::string contains;       ///< "parameters and slots, activations; rematerialisation"; may be empty
  /// The arguments of podsim, "run" first; empty if no workload is the published network.
  std::vector<std::string> command = {};
  std::string reason = {};  ///< why there is no command
};

/// A published peak and what its command needs.
struct SimulatedMemory {
  PublishedMemory published;
  std::optional<base::Bytes> heap;  ///< of a core
  std::string problem = {};         ///< why there is none
};

struct SimulatedMemories {
  std::string file;
  std::vector<SimulatedMemory> rows;
  double wall_s = 0;  ///< host time
};

/// Reads memory.csv, with the columns model, tokens_of_a_sequence, peak_gb_per_device ("0.85", or numbers with what
/// they are of, "11.7 parameters and slots + 3.15 activations", which are added up, and divided by 8 if they are "in
/// all 8 cores") and note. Sizes are in brackets behind the name of a model; a row without brackets has those of the
/// row before it whose model it is. A bad field is an InputError with its location.
std::vector<PublishedMemory> published_memory(const std::string& file, std::string_view text);

/// Sets the command of a row, from its model, sizes and sequence, or the reason for which there is none.
void choose_command(PublishedMemory& row);

/// A line per row: published and simulated bytes, the error if GB are 10^9 and if they are 2^30 bytes, what the
/// published figure contains, and below the table the commands and the reasons of the rows that are not simulated.
std::string memories_text(const SimulatedMemories& memories);
std::string memories_json(const SimulatedMemories& memories);
std::string memories_csv(const SimulatedMemories& memories);

}  // namespace podsim::validation::measured::published
