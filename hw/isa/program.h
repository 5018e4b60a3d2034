// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "hw/isa/bundle.h"

/// A program for a core: bundles, the initial contents of the memories, and the expected contents at the end.
namespace podsim::hw::isa {

enum class MemorySpace : std::uint8_t { hbm, vmem, smem };
std::string to_string(MemorySpace space);

/// Bundles with consecutive addresses. They are in instruction memory when the program begins; an overlay is in HBM, as
/// an image of isa::bundle_words words per bundle. The first segment begins at address 0, where execution starts.
struct Segment {
  std::string name;
  std::uint32_t address = 0;  ///< address of its first bundle in instruction memory
  std::vector<Bundle> bundles;
  bool overlay = false;
  std::uint32_t image = 0;  ///< for overlays: HBM word address of the image
};

struct DataBlock {
  std::string name;
  MemorySpace space = MemorySpace::hbm;
  std::uint32_t address = 0;  ///< word address
  std::vector<std::uint32_t> words;
};

/// Words that a memory must hold when the program halts. Either the bits must be equal, or the values as f32 must be
/// within `tolerance`, relative to the larger of 1 and the expected magnitude; then NaN matches NaN.
struct Expectation {
  MemorySpace space = MemorySpace::hbm;
  std::uint32_t address = 0;
  std::vector<std::uint32_t> words;
  double tolerance = -1;  ///< negative: the bits must be equal
  base::SourceLocation location;
};

struct Program {
  std::string name;  ///< name of the file, or of the generated kernel
  std::vector<Segment> segments;
  std::vector<DataBlock> data;
  std::vector<Expectation> expectations;
  std::vector<std::string> strings;               ///< for mark and DMA descriptors; string 0 is empty
  std::map<std::string, std::uint32_t> labels;    ///< bundle addresses
  std::vector<std::vector<std::uint32_t>> lines;  ///< [segment][bundle] source line, 1-based; empty if generated
  std::vector<std::string> source;                ///< lines of the source text; empty if generated
};

}  // namespace podsim::hw::isa
