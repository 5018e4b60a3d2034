// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "hw/isa/bundle.h"

/// What a core runs: bundles, the memories' first contents, and what must be in memory at the end.
namespace podsim::hw::isa {

enum class MemorySpace : std::uint8_t { hbm, vmem, smem };
std::string to_string(MemorySpace space);

/// Bundles that stand in instruction memory when the program begins (the first segment begins at address 0, where
/// execution starts), or, as an overlay, in HBM as images of isa::bundle_words words each.
struct Segment {
  std::string name;
  std::uint32_t address = 0;  ///< of its first bundle in instruction memory
  std::vector<Bundle> bundles;
  bool overlay = false;
  std::uint32_t image = 0;  ///< overlays: HBM word address of the image
};

struct DataBlock {
  std::string name;
  MemorySpace space = MemorySpace::hbm;
  std::uint32_t address = 0;  ///< words
  std::vector<std::uint32_t> words;
};

/// Memory that is to hold `words` when the program halts: equal bits, or within `tolerance` as f32 (relative to the
/// larger of 1 and the expected magnitude; NaN matches NaN).
struct Expectation {
  MemorySpace space = MemorySpace::hbm;
  std::uint32_t address = 0;
  std::vector<std::uint32_t> words;
  double tolerance = -1;  ///< negative: equal bits
  base::SourceLocation location;
};

struct Program {
  std::string name;  ///< the file, or the kernel that was generated
  std::vector<Segment> segments;
  std::vector<DataBlock> data;
  std::vector<Expectation> expectations;
  std::vector<std::string> strings;               ///< of mark and DMA descriptors; string 0 is empty
  std::map<std::string, std::uint32_t> labels;    ///< bundle addresses
  std::vector<std::vector<std::uint32_t>> lines;  ///< [segment][bundle] source line, 1-based; empty when generated
  std::vector<std::string> source;                ///< the text, by line; empty when generated
};

}  // namespace podsim::hw::isa
