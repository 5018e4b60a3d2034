// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hw/bundle/operation.h"
#include "hw/isa/program.h"

namespace podsim::hw {

/// The bundles that a core can execute, by address, and where in the program's text they come from. DMA brings
/// overlays; what it is about to replace cannot be executed meanwhile.
class InstructionMemory {
 public:
  /// Holds the program's segments but for the overlays. base::InputError for a bundle that is not legal, or a segment
  /// beyond the capacity.
  /// `literals` is null in runs without data.
  InstructionMemory(const Machine& machine, const isa::Program& program, LiteralLanes* literals);

  /// Its `loaded` is false where there is none. Valid until something is loaded.
  const DecodedBundle& at(std::uint32_t address) const {
    return address < bundles_.size() ? bundles_[address].decoded : nothing_;
  }
  const isa::Bundle& bundle(std::uint32_t address) const { return *bundles_[address].bundle; }

  /// The operation in one slot of a bundle, "v.add.f32 v3, v1, v2".
  const std::string& text_of(std::uint32_t address, isa::Slot slot) const;

  std::uint32_t capacity() const { return capacity_; }
  /// A DMA is about to write `count` bundles from `address` on, which lie within the capacity.
  void unload(std::uint32_t address, std::uint32_t count);
  /// It has: `words` are bundle_words per bundle, from HBM word address `image`. What is no legal bundle stays absent.
  void load(std::uint32_t address, std::span<const std::uint32_t> words, std::uint64_t image);

  /// "bundle 17 (copy.pasm:23)", or where the program has no text "bundle 17 (loop + 3)", after the label before it.
  std::string place(std::uint32_t address) const;

 private:
  using Texts = std::array<std::string, isa::slots>;
  struct Entry {
    DecodedBundle decoded;
    const isa::Bundle* bundle = nullptr;  ///< the program's, or of an overlay `own`
    std::unique_ptr<isa::Bundle> own;
    std::uint32_t line = 0;                ///< 0: unknown
    mutable std::unique_ptr<Texts> texts;  ///< made when first asked for
  };
  using Lines = std::vector<std::uint32_t>;
  void check(const isa::Segment& segment) const;
  void load(const isa::Segment& segment, const Lines& lines);
  std::uint32_t line_of_image(std::uint64_t image) const;

  const Machine& machine_;
  const isa::Program& program_;
  LiteralLanes* literals_;
  std::uint32_t capacity_;
  std::vector<Entry> bundles_;
  DecodedBundle nothing_;
};

}  // namespace podsim::hw
