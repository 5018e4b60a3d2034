// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "hlo/graph.h"
#include "hlo/transform/forward_part.h"
#include "sw/compiler/memory_classes.h"

namespace podsim::sw::compiler {

struct MemoryAccount {
  struct Buffer {
    std::string name;  ///< name of the defining instruction, with "{2}" for element 2 of a tuple
    std::string op_name;
    base::Bytes bytes;
  };
  /// Arrays of one shape and layout that take more bytes than their elements.
  struct Padded {
    std::string shape;  ///< "f32[1024,16,64]{2,1,0}"
    int arrays = 0;
    base::Bytes bytes;     ///< of all of them in memory
    base::Bytes elements;  ///< of all of them without padding
  };
  /// An array in the heap.
  struct Place {
    base::Bytes offset;
    base::Bytes bytes;
    hlo::InstructionId first = 0, last = 0;  ///< positions from and to which it is needed
  };
  /// Live memory while an instruction of the schedule runs.
  struct Moment {
    std::string name;  ///< name of the instruction
    std::string op_name;
    base::Bytes live;
    std::vector<Place> places;  ///< of the arrays that the instruction makes
  };
  /// Arrays of one element type.
  struct OfType {
    hlo::ElementType type = hlo::ElementType::f32;
    std::int64_t arrays = 0;
    base::Bytes bytes = {};     ///< in memory
    base::Bytes elements = {};  ///< without padding
  };
  /// The arguments as the network's parameters, the optimiser's slots and the others (hlo/transform/forward_part.h).
  struct Kinds {
    base::Bytes parameters, slots, caches, inputs;
    std::vector<OfType> parameter_types = {};  ///< the parameters, those of most bytes first
  };
  /// Arrays in another memory than the HBM.
  struct Level {
    int number = 0;  ///< hw/memory_levels.h
    base::Bytes peak;
    hlo::InstructionId peak_position = 0;
    std::vector<Buffer> largest_at_peak;  ///< at most ten, largest first
  };
  base::Bytes arguments;                 ///< the parameters of the entry; live throughout
  std::vector<std::int64_t> unread;      ///< numbers of those that the accounted core does not read, without memory
  std::optional<Kinds> kinds;            ///< if it is known which is what
  std::optional<MemoryClasses> classes;  ///< what is live at the peak
  base::Bytes peak;                      ///< maximum of live memory, including arguments
  base::Bytes heap;                      ///< the same with the gaps between arrays that have fixed offsets (heap.h)
  hlo::InstructionId peak_position = 0;  ///< the instruction at which the peak occurs
  std::vector<Buffer> largest_at_peak;   ///< at most ten, largest first
  base::Bytes padding_at_peak;           ///< what live memory has beyond the elements of its arrays
  std::vector<Padded> padded_at_peak;    ///< at most ten, most padding first
  std::vector<Moment> schedule;          ///< one entry per instruction of the entry computation, in order
  std::vector<Level> levels;             ///< memories other than the HBM that have arrays, by number
};

/// Device memory of one core for a scheduled program: the instructions of the entry computation run in order.
///
/// Every array takes padded_bytes from the instruction that defines it to its last use, both included, so an
/// instruction's operands and result are live together. Parameters and results stay live to the end. tuple,
/// get-tuple-element, bitcast, opt-barrier, add-dependency, domain, the done of an asynchronous pair, a transposition
/// that moves nothing in memory, and a reshape that keeps the padded size share their source's memory. The operands of
/// an asynchronous op are live until its done. An update in place (dynamic-update-slice or scatter, also in a fusion)
/// shares its operand's, and a while loop its initial state's. The memory that a loop body, a branch or a call needs
/// beyond its parameters is live while it runs. A donated output takes the parameter's memory if nothing reads the
/// parameter after the output is defined. Temporaries inside a fusion, and arrays that a memory space puts elsewhere,
/// take no device memory. Arrays in the memories below number `memories` are accounted by the same rules, each memory
/// by itself.
///
/// If branches of the entry depend on the device number alone (hlo/transform/partition_branch.h), as those of a
/// pipeline's stages do, the account is that of the core that needs most: results that its branch passes on share the
/// memory of the branch's operand; an AllocateBuffer that it returns, a permute that sends it nothing, and a parameter
/// that it does not read take none.
MemoryAccount account_memory(const hlo::Module& module, std::span<const hlo::Donation> donations = {},
                             int memories = 0);

/// Device memory of the arguments of one core, by kind, without those that are `unread`. `kinds` has one for each entry
/// parameter.
MemoryAccount::Kinds argument_memory(const hlo::Module& module, std::span<const hlo::transform::ArgumentKind> kinds,
                                     std::span<const std::int64_t> unread = {});

/// An array of the entry computation in device memory, with the names that it has there.
struct LiveArray {
  hlo::InstructionId origin = 0;      ///< the instruction that makes it, alone or as an element of a tuple
  hlo::InstructionId definition = 0;  ///< live from here, the origin or, for parameters, the begin
  hlo::InstructionId last_use = 0;    ///< to here; the number of instructions if it is a parameter or a result
  base::Bytes bytes;
  std::vector<hlo::InstructionId> readers;  ///< instructions that read it, also under other names, in ascending order
};
struct Liveness {
  std::vector<LiveArray> arrays;
  std::vector<int> array_of;      ///< by instruction: the array that it names; -1 for tuples
  std::vector<base::Bytes> live;  ///< by position in the schedule
};
/// The lives that account_memory() adds up.
Liveness find_liveness(const hlo::Module& module, std::span<const hlo::Donation> donations = {});

/// The number of the operand that an instruction updates in place (dynamic-update-slice, scatter, a fusion that ends in
/// one), or -1.
int updated_operand(const hlo::Module& module, const hlo::Instruction& instruction);

}  // namespace podsim::sw::compiler
