// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/bundle_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <memory>

#include "base/diagnostic.h"
#include "base/host/interrupt.h"
#include "base/systemc/fresh_context.h"
#include "hw/bundle/bundle_core.h"
#include "hw/bundle/expectations.h"
#include "hw/bundle/named_flags.h"
#include "hw/bundle/results/cross_lane_queue.h"
#include "hw/bundle/results/scalar_path.h"
#include "hw/bundle/results/transcendental_queue.h"
#include "hw/isa/encoding.h"
#include "hw/isa/fixed_sizes.h"
#include "hw/memory/hbm.h"

namespace podsim::hw::bundle {

namespace {

constexpr std::int64_t bytes_per_row = 4 * vector::lanes;

/// A core with its half of the HBM, connected and loaded for one program.
class BundleSystem {
 public:
  BundleSystem(const Machine& machine, const isa::Program& program, memory::DeviceMemory& hbm,
               const BundleRunOptions& options);

  void load_data();
  void check_copy(const isa::DmaDescriptor& descriptor) const;
  /// Copies between HBM and VMEM in no time. Runs without data copy nothing.
  void copy(const isa::DmaDescriptor& descriptor);
  BundleRunResult run(BundleRunResult* partial);

 private:
  BundleRunResult figures() const;
  void connect(int number, results::ResultUnit& unit);
  void make_units(const Machine& machine, matrix::MatrixUnitView view, const Trace& trace);
  void load(const isa::DataBlock& block);
  std::uint64_t words_of(isa::MemorySpace space) const;
  void check_range(const std::string& what, isa::MemorySpace space, std::uint64_t address, std::uint64_t words) const;
  std::vector<std::uint32_t> found(const isa::Expectation& expectation);

  const isa::Program& program_;
  memory::DeviceMemory& memory_;
  CoreTime time_;
  std::unique_ptr<vector::VectorDatapath> data_;  ///< null in runs without data
  vector::VmemGuard guard_;
  vector::VmemPorts ports_;
  ScalarUnit scalar_;
  InstructionMemory instructions_;
  core::SyncFlags flags_;
  BundleDma dma_;
  memory::Hbm hbm_;
  std::vector<std::unique_ptr<matrix::MatrixUnit>> matrix_units_;
  std::unique_ptr<results::CrossLaneQueue> cross_lane_;
  std::unique_ptr<results::TranscendentalQueue> transcendental_;
  std::unique_ptr<results::ScalarPath> scalar_path_;
  std::unique_ptr<CoreTrace> trace_;
  BundleCore core_;
};

BundleSystem::BundleSystem(const Machine& machine, const isa::Program& program, memory::DeviceMemory& hbm,
                           const BundleRunOptions& options)
    : program_(program),
      memory_(hbm),
      time_(machine.clock),
      data_(options.functional ? std::make_unique<vector::VectorDatapath>(machine.vmem.value() / bytes_per_row)
                               : nullptr),
      guard_(machine.vmem.value() / bytes_per_row, machine.vector.store_to_load),
      scalar_(machine.scalar.smem),
      instructions_(machine, program, data_ ? &data_->literals() : nullptr),
      flags_("sync", machine.sync_flags, options.trace.below("sync")),
      dma_("dma", machine, time_, flags_,
           {memory_, data_ ? &data_->memory() : nullptr, guard_, ports_, scalar_.smem(), instructions_}, program,
           options.trace.below("dma")),
      hbm_("hbm", machine, options.trace.below("hbm")),
      trace_(CoreTrace::make(time_, options.trace)),
      core_("core", machine, time_,
            {program, instructions_, scalar_, data_.get(), guard_, ports_, flags_, dma_, trace_.get()}, options) {
  make_units(machine, options.matrix_view, options.trace);
  if (trace_) {
    for (const std::size_t flag : named_flags(program, flags_.count())) {
      flags_.show_as(flag, fmt::format("flag{}", flag).c_str());
    }
  }
  dma_.engine().to_hbm.bind(hbm_.from_dma);
}

void BundleSystem::make_units(const Machine& machine, matrix::MatrixUnitView view, const Trace& trace) {
  for (std::size_t unit = 0; unit < std::size_t(std::min<std::int64_t>(machine.mxu.count, isa::max_matrix_units));
       ++unit) {
    const std::string name = fmt::format("mxu{}", unit);
    matrix_units_.push_back(matrix::make_matrix_unit(view, name.c_str(), machine, time_, trace.below(name)));
    connect(int(unit), *matrix_units_.back());
  }
  cross_lane_ = std::make_unique<results::CrossLaneQueue>("cross_lane", machine, time_, trace.below("cross_lane"));
  connect(isa::cross_lane_unit, *cross_lane_);
  transcendental_ =
      std::make_unique<results::TranscendentalQueue>("transcendental", machine, time_, trace.below("transcendental"));
  connect(isa::transcendental_unit, *transcendental_);
  scalar_path_ = std::make_unique<results::ScalarPath>("scalar_path", machine, time_, trace.below("scalar_path"));
  connect(isa::scalar_path, *scalar_path_);
}

void BundleSystem::connect(int number, results::ResultUnit& unit) {
  core_.units[std::size_t(number)].bind(unit);
  if (trace_) trace_->add_unit(unit);
}

std::uint64_t BundleSystem::words_of(isa::MemorySpace space) const {
  switch (space) {
    case isa::MemorySpace::hbm:
      return memory_.words();
    case isa::MemorySpace::vmem:
      return std::uint64_t(guard_.rows()) * vector::lanes;
    case isa::MemorySpace::smem:
      break;
  }
  return scalar_.smem().size();
}

void BundleSystem::load_data() {
  for (const isa::Segment& segment : program_.segments) {
    if (!segment.overlay) continue;
    isa::DataBlock image{segment.name, isa::MemorySpace::hbm, segment.image, {}};
    for (const isa::Bundle& bundle : segment.bundles) {
      const isa::BundleWords words = isa::to_words(isa::encode(bundle));
      image.words.insert(image.words.end(), words.begin(), words.end());
    }
    load(image);
  }
  for (const isa::DataBlock& block : program_.data) load(block);
  for (const isa::Expectation& expectation : program_.expectations) {
    check_range("an expectation", expectation.space, expectation.address, expectation.words.size());
  }
}

void BundleSystem::check_range(const std::string& what, isa::MemorySpace space, std::uint64_t address,
                               std::uint64_t words) const {
  if (address + words <= words_of(space)) return;
  throw base::InputError(fmt::format("{}: {} ends beyond the {} words of {}", program_.name, what, words_of(space),
                                     isa::to_string(space)));
}

void BundleSystem::load(const isa::DataBlock& block) {
  check_range(fmt::format("data '{}'", block.name), block.space, block.address, block.words.size());
  switch (block.space) {
    case isa::MemorySpace::hbm:
      memory_.write(block.address, block.words);
      break;
    case isa::MemorySpace::vmem:
      if (data_) std::ranges::copy(block.words, data_->memory().words(block.address, block.words.size()).begin());
      break;
    case isa::MemorySpace::smem:
      std::ranges::copy(block.words, scalar_.smem().begin() + block.address);
      break;
  }
}

void BundleSystem::check_copy(const isa::DmaDescriptor& descriptor) const {
  const bool in = descriptor.route == isa::DmaRoute::hbm_to_vmem;
  assert(in || descriptor.route == isa::DmaRoute::vmem_to_hbm);
  if (descriptor.rows == 0) return;
  const std::uint64_t last = descriptor.rows - 1;
  check_range("a copy", in ? isa::MemorySpace::hbm : isa::MemorySpace::vmem,
              descriptor.source + last * descriptor.source_stride, descriptor.words);
  check_range("a copy", in ? isa::MemorySpace::vmem : isa::MemorySpace::hbm,
              descriptor.destination + last * descriptor.destination_stride, descriptor.words);
}

void BundleSystem::copy(const isa::DmaDescriptor& descriptor) {
  if (!data_) return;
  const bool in = descriptor.route == isa::DmaRoute::hbm_to_vmem;
  for (std::uint64_t row = 0; row < descriptor.rows; ++row) {
    const std::uint64_t from = descriptor.source + row * descriptor.source_stride;
    const std::uint64_t to = descriptor.destination + row * descriptor.destination_stride;
    const auto words = data_->memory().words(in ? to : from, descriptor.words);
    if (in) {
      memory_.read(from, words);
    } else {
      memory_.write(to, words);
    }
  }
}

BundleRunResult BundleSystem::run(BundleRunResult* partial) {
  sc_core::sc_start();
  if (!core_.interrupted_at().empty()) {
    if (partial != nullptr) *partial = figures();
    base::host::end_if_interrupted(core_.interrupted_at());
  }
  if (!core_.verdict().empty()) throw base::SimulationError(core_.verdict());
  BundleRunResult result = figures();
  if (data_) {
    for (const isa::Expectation& expectation : program_.expectations) {
      if (const auto failed = check_expectation(expectation, found(expectation))) result.failed.push_back(*failed);
    }
  }
  return result;
}

BundleRunResult BundleSystem::figures() const {
  BundleRunResult result;
  result.cycles = core_.cycles();
  result.bundles = core_.bundles();
  result.slot_use = core_.slot_use();
  result.stalls = core_.stalls();
  for (const auto& unit : matrix_units_) result.matrix_busy.push_back(unit->busy(result.cycles));
  result.hbm_busy = hbm_.busy();
  result.hbm_read = hbm_.moved(Direction::read);
  result.hbm_written = hbm_.moved(Direction::write);
  result.dmas = dma_.started();
  result.performed = core_.performed();
  result.end = time_.time_of(result.cycles);
  return result;
}

std::vector<std::uint32_t> BundleSystem::found(const isa::Expectation& expectation) {
  std::vector<std::uint32_t> words(expectation.words.size());
  switch (expectation.space) {
    case isa::MemorySpace::hbm:
      memory_.read(expectation.address, words);
      break;
    case isa::MemorySpace::vmem:
      std::ranges::copy(data_->memory().words(expectation.address, words.size()), words.begin());
      break;
    case isa::MemorySpace::smem:
      std::copy_n(scalar_.smem().begin() + expectation.address, words.size(), words.begin());
      break;
  }
  return words;
}

/// Checks that the machine has every matrix unit that the program names. Otherwise the mistake would show, or crash,
/// only in the middle of the run.
void check_program(const Machine& machine, const isa::Program& program) {
  for (const isa::Segment& segment : program.segments) {
    for (const isa::Bundle& bundle : segment.bundles) {
      for (const auto& instruction : bundle.slot) {
        if (!instruction || !isa::info(instruction->opcode).takes_unit) continue;
        if (instruction->unit >= isa::max_matrix_units || instruction->unit < machine.mxu.count) continue;
        throw base::InputError(fmt::format("{}: segment '{}' uses matrix unit {}; {} has {}", program.name,
                                           segment.name, instruction->unit, machine.name, machine.mxu.count));
      }
    }
  }
}

/// The text of an s_pop of a bundle; no location for a generated program.
base::SourceLocation scalar_pop_location(const isa::Program& program, std::size_t segment, std::size_t bundle) {
  constexpr std::string_view text = "s.pop";
  if (program.lines.empty()) return {};
  for (std::size_t line = program.lines[segment][bundle]; line <= program.source.size(); ++line) {
    const std::string& source = program.source[line - 1];
    const std::size_t found = source.find(text);
    if (found == std::string::npos) continue;
    base::SourceLocation location = base::locate(program.name, source, found, int(text.size()));
    location.line = int(line);
    return location;
  }
  return {};
}

/// Checks that a run without data needs none: the scalar unit steers the program, and s_pop gives it words of vectors.
void check_needs_no_data(const isa::Program& program) {
  for (std::size_t s = 0; s < program.segments.size(); ++s) {
    const std::vector<isa::Bundle>& bundles = program.segments[s].bundles;
    for (std::size_t b = 0; b < bundles.size(); ++b) {
      for (const isa::Slot slot : {isa::Slot::scalar0, isa::Slot::scalar1}) {
        if (!bundles[b][slot] || bundles[b][slot]->opcode != isa::Opcode::s_pop) continue;
        throw base::InputError(base::Diagnostic{
            .message = "s.pop takes a word of a vector, and a run for the time only has no data of vectors",
            .location = scalar_pop_location(program, s, b),
            .hint = "it runs without --timing-only"});
      }
    }
  }
}

}  // namespace

BundleRunResult run_bundles(const Machine& machine, const isa::Program& program, memory::DeviceMemory& hbm,
                            const BundleRunOptions& options) {
  isa::require_fixed_sizes(machine);
  check_program(machine, program);
  if (!options.functional) check_needs_no_data(program);
  const base::systemc::FreshContext context;
  BundleSystem system(machine, program, hbm, options);
  system.load_data();
  for (const isa::DmaDescriptor& descriptor : options.before) system.check_copy(descriptor);
  for (const isa::DmaDescriptor& descriptor : options.after) system.check_copy(descriptor);
  for (const isa::DmaDescriptor& descriptor : options.before) system.copy(descriptor);
  BundleRunResult result = system.run(options.partial);
  for (const isa::DmaDescriptor& descriptor : options.after) system.copy(descriptor);
  return result;
}

}  // namespace podsim::hw::bundle
