// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/instruction_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostic.h"
#include "hw/isa/encoding.h"
#include "hw/isa/pasm/assembler.h"

namespace podsim::hw::bundle {

InstructionMemory::InstructionMemory(const Machine& machine, const isa::Program& program,
                                     vector::LiteralLanes* literals)
    : machine_(machine), program_(program), literals_(literals), capacity_(std::uint32_t(machine.instruction_memory)) {
  for (const isa::Segment& segment : program.segments) check(segment);
  for (std::size_t s = 0; s < program.segments.size(); ++s) {
    if (!program.segments[s].overlay) load(program.segments[s], s < program.lines.size() ? program.lines[s] : Lines{});
  }
}

void InstructionMemory::check(const isa::Segment& segment) const {
  for (std::size_t b = 0; b < segment.bundles.size(); ++b) {
    if (const auto problem = isa::problem(segment.bundles[b])) {
      throw base::InputError(
          fmt::format("{}: bundle {} of segment '{}' is not legal: {}", program_.name, b, segment.name, *problem));
    }
  }
  if (!segment.overlay && segment.address + std::uint64_t(segment.bundles.size()) > capacity_) {
    throw base::InputError(fmt::format("{}: segment '{}' ends beyond the instruction memory of {} bundles",
                                       program_.name, segment.name, capacity_));
  }
}

void InstructionMemory::load(const isa::Segment& segment, const Lines& lines) {
  bundles_.resize(std::max(bundles_.size(), segment.address + segment.bundles.size()));
  for (std::size_t b = 0; b < segment.bundles.size(); ++b) {
    Entry& entry = bundles_[segment.address + b];
    entry.decoded = vector::decode_bundle(machine_, segment.bundles[b], literals_);
    entry.bundle = &segment.bundles[b];
    entry.line = b < lines.size() ? lines[b] : 0;
  }
}

void InstructionMemory::unload(std::uint32_t address, std::uint32_t count) {
  for (std::uint64_t a = address; a < std::min<std::uint64_t>(address + std::uint64_t(count), bundles_.size()); ++a) {
    bundles_[a].decoded.loaded = false;
  }
}

void InstructionMemory::load(std::uint32_t address, std::span<const std::uint32_t> words, std::uint64_t image) {
  bundles_.resize(std::max(bundles_.size(), address + words.size() / isa::bundle_words));
  for (std::size_t at = 0; at + isa::bundle_words <= words.size(); at += isa::bundle_words) {
    Entry& entry = bundles_[address++];
    isa::BundleWords bundle_words;
    std::copy_n(words.begin() + std::ptrdiff_t(at), isa::bundle_words, bundle_words.begin());
    const auto bundle = isa::decode(bundle_words);
    entry = {};
    if (!bundle) continue;
    entry.decoded = vector::decode_bundle(machine_, *bundle, literals_);
    entry.own = std::make_unique<isa::Bundle>(*bundle);
    entry.bundle = entry.own.get();
    entry.line = line_of_image(image + at);
  }
}

std::uint32_t InstructionMemory::line_of_image(std::uint64_t image) const {
  for (std::size_t s = 0; s < std::min(program_.segments.size(), program_.lines.size()); ++s) {
    const isa::Segment& segment = program_.segments[s];
    if (!segment.overlay || image < segment.image) continue;
    const std::uint64_t bundle = (image - segment.image) / isa::bundle_words;
    if (bundle < program_.lines[s].size()) return program_.lines[s][bundle];
  }
  return 0;
}

const std::string& InstructionMemory::text_of(std::uint32_t address, isa::Slot slot) const {
  std::unique_ptr<Texts>& texts = bundles_[address].texts;
  if (texts == nullptr) texts = std::make_unique<Texts>();
  std::string& text = (*texts)[std::size_t(slot)];
  if (!text.empty()) return text;
  isa::Bundle alone;
  isa::place(alone, *bundle(address)[slot]);
  return text = isa::pasm::disassemble(alone, &program_);
}

std::string InstructionMemory::location(std::uint32_t address) const {
  const std::uint32_t line = address < bundles_.size() ? bundles_[address].line : 0;
  if (line != 0) return fmt::format("bundle {} ({}:{})", address, program_.name, line);
  const std::pair<const std::string, std::uint32_t>* nearest = nullptr;
  for (const auto& label : program_.labels) {
    if (label.second <= address && (nearest == nullptr || label.second > nearest->second)) nearest = &label;
  }
  if (nearest == nullptr) return fmt::format("bundle {}", address);
  if (nearest->second == address) return fmt::format("bundle {} ({})", address, nearest->first);
  return fmt::format("bundle {} ({} + {})", address, nearest->first, address - nearest->second);
}

}  // namespace podsim::hw::bundle
