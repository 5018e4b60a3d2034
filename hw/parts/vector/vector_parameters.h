// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/parameters/section_of.h"
#include "base/units.h"

namespace podsim::hw::parts::vector {

/// Element types that the lanes compute in. Elements of other types are converted to one of 32 bits.
enum class LaneTypes : std::uint8_t {
  words,          ///< f32 and s32
  words_and_bf16  ///< also bf16, two elements to a lane
};

struct Parameters {  ///< [vector]
  std::int64_t lanes = 0;
  std::int64_t sublanes = 0;
  LaneTypes types = LaneTypes::words;
  std::int64_t alus = 0;                 ///< ALU operations per cycle
  std::int64_t loads = 0;                ///< per cycle
  std::int64_t stores = 0;               ///< per cycle
  base::Cycles transcendental_interval;  ///< cycles between two transcendental operations
  base::Cycles load_latency;             ///< VMEM to register
  base::Cycles alu_latency;
  base::Cycles store_to_load;            ///< until a load or a DMA sees the stored data
  base::Cycles transcendental_latency;   ///< push to pop
  std::int64_t transcendental_fifo = 0;  ///< registers in the unit and its output FIFO

  /// Elements of 32 bits in a vector register.
  std::int64_t register_elements() const { return lanes * sublanes; }
  base::Bytes register_bytes() const { return base::Bytes(4 * register_elements()); }

  static const base::parameters::Section<Parameters>& section();
};

}  // namespace podsim::hw::parts::vector
