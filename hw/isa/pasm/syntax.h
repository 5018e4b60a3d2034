// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/isa/bundle.h"
#include "hw/isa/dma_descriptor.h"
#include "hw/isa/pasm/expression.h"
#include "hw/isa/program.h"

/// The parsed form of a `.pasm` file, before its expressions are evaluated.
namespace podsim::hw::isa::pasm {

/// An identifier, which expressions can use, or a quoted name, which they cannot.
struct Name {
  std::string text;
  bool quoted = false;
  Span span;
};

struct Operand {
  int reg = 0;
  std::unique_ptr<Expression> expression;  ///< null: the operand is register `reg`
  Span span;
};

struct Operation {
  Opcode opcode = Opcode::halt;
  bool placeholder = false;  ///< s.nop, v.nop: takes a slot of the opcode's kind and leaves it empty
  Predicate predicate;
  std::uint8_t destination = 0, mask = 0, unit = 0;
  Operand x, y, z;
  Span span;  ///< location of the mnemonic
  Span destination_span;
};

struct BundleText {
  Span span;
  std::vector<Operation> operations;
};

struct SegmentText {
  Name name;
  std::optional<Expression> address, image;
  bool overlay = false;
  std::vector<BundleText> bundles;
};

enum class ElementType : std::uint8_t { word, f32, bf16 };

/// A data directive.
struct DataItem {
  enum class Kind : std::uint8_t { values, zeros, fill, iota, random, repeat };
  Kind kind = Kind::values;
  ElementType type = ElementType::word;
  std::vector<Expression> arguments;  ///< the values; or the count and the directive's other arguments
  std::vector<DataItem> items;        ///< items of a repeat
  Span span;
};

struct DescriptorText {
  DmaRoute route = DmaRoute::hbm_to_vmem;
  std::optional<Expression> source, destination, words, rows, source_stride, destination_stride, flag;
  std::uint32_t name = 0;
  Span span;
};

struct BlockText {
  Name name;
  MemorySpace space = MemorySpace::hbm;
  std::optional<Expression> address;
  std::vector<DataItem> items;
  std::optional<DescriptorText> descriptor;  ///< instead of items
};

struct ExpectationText {
  MemorySpace space = MemorySpace::hbm;
  Expression address;
  std::optional<Expression> tolerance;
  std::vector<DataItem> items;
  Span span;
};

struct ConstantText {
  Name name;
  Expression value;
};

struct LabelText {
  Name name;
  std::optional<Expression> address;  ///< for .label; other labels are at this position:
  std::size_t segment = 0, bundle = 0;
};

/// An item that takes room in HBM, VMEM or SMEM: a block, or the image of an overlay.
struct StorageItem {
  bool image = false;
  std::size_t index = 0;  ///< index of the block or segment
};

struct FileText {
  std::vector<SegmentText> segments;
  std::vector<BlockText> blocks;
  std::vector<StorageItem> placed;  ///< in the order of the text
  std::vector<ExpectationText> expectations;
  std::vector<ConstantText> constants;
  std::vector<LabelText> labels;
  std::vector<std::string> strings;  ///< string 0 is empty
};

}  // namespace podsim::hw::isa::pasm
