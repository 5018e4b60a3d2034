// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hw/bundle/vector/operation.h"
#include "hw/isa/program.h"

namespace podsim::hw::bundle {

/// The bundles that a core can execute, by address, with their locations in the program's text. DMA loads overlays;
/// the addresses that it writes cannot be executed while it is in flight.
class InstructionMemory {
 public:
  /// Loads the program's segments except overlays. `literals` is null in runs without data. Throws base::InputError for
  /// a bundle that is not legal, or a segment beyond the capacity.
  InstructionMemory(const Machine& machine, const isa::Program& program, vector::LiteralLanes* literals);

  /// Returns the bundle at an address; its `loaded` is false if there is none. Valid until the next load.
  const vector::DecodedBundle& at(std::uint32_t address) const {
    return address < bundles_.size() ? bundles_[address].decoded : nothing_;
  }
  const isa::Bundle& bundle(std::uint32_t address) const { return *bundles_[address].bundle; }

  /// Text of the operation in one slot of a bundle: "v.add.f32 v3, v1, v2".
  const std::string& text_of(std::uint32_t address, isa::Slot slot) const;

  std::uint32_t capacity() const { return capacity_; }
  /// Removes `count` bundles starting at `address`, which a DMA is about to write. They must be within the capacity.
  void unload(std::uint32_t address, std::uint32_t count);
  /// Loads the bundles that a DMA has written. `words` has bundle_words words per bundle and was read from HBM word
  /// address `image`. Words that do not encode a legal bundle leave their address empty.
  void load(std::uint32_t address, std::span<const std::uint32_t> words, std::uint64_t image);

  /// "bundle 17 (copy.pasm:23)", or if the program has no text "bundle 17 (loop + 3)", relative to the preceding label.
  std::string location(std::uint32_t address) const;

 private:
  using Texts = std::array<std::string, isa::slots>;
  struct Entry {
    vector::DecodedBundle decoded;
    const isa::Bundle* bundle = nullptr;  ///< in the program, or in `own` for an overlay
    std::unique_ptr<isa::Bundle> own;
    std::uint32_t line = 0;                ///< 0: unknown
    mutable std::unique_ptr<Texts> texts;  ///< made on first use
  };
  using Lines = std::vector<std::uint32_t>;
  void check(const isa::Segment& segment) const;
  void load(const isa::Segment& segment, const Lines& lines);
  std::uint32_t line_of_image(std::uint64_t image) const;

  const Machine& machine_;
  const isa::Program& program_;
  vector::LiteralLanes* literals_;
  std::uint32_t capacity_;
  std::vector<Entry> bundles_;
  vector::DecodedBundle nothing_;
};

}  // namespace podsim::hw::bundle
