// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hlo/graph.h"

/// The operations of a program on devices of their own: one part of the program each, with transfers between them.
namespace podsim::hlo::devices {

constexpr int all_devices = -1;

/// The device that runs each instruction of an entry computation, and in which order.
struct DevicePlan {
  int devices = 1;                        ///< of a replica
  std::int64_t replicas = 1;              ///< whose all-reduces and other collectives the program has, one device each
  std::vector<int> device = {};           ///< by instruction; all_devices: wherever it is read
  std::vector<InstructionId> order = {};  ///< instructions with a device, operands first, and states that are sent
};

/// A program of all devices.
struct DeviceProgram {
  Module module;
  /// By device, by parameter of the program: the number of the entry parameter that holds it; -1 if the device does not
  /// have it.
  std::vector<std::vector<std::int64_t>> parameter_of;
  /// By device, by result of the program: the number of the result that holds it; -1 if the device does not have it.
  std::vector<std::vector<std::int64_t>> result_of;
};

/// By parameter: one that is replaced by a value of a device, such as a weight. Its device alone has it. `device` is by
/// instruction of the entry.
std::vector<bool> states_of(const Module& whole, std::span<const int> device);

/// Writes the entry of a program as the SPMD program of `devices` partitions and `replicas` replicas. The instructions
/// of a device become branches that it alone takes, in the order of the plan: a branch ends where another device waits
/// for a result, and before an instruction that waits for one. A value that another device reads goes there once, by an
/// asynchronous collective-permute that starts behind the branch of its maker, or at the position of a state in the
/// order, and ends before the branch of its first reader. Constants on all devices are copied into the branches
/// that read them; the other instructions there run on every device, and infeeds receive the data of the replica.
///
/// States of equal shape on different devices share an entry parameter ("state/f32[64,64]/0") and its result; other
/// parameters are whole on every device. A result that replaces no parameter is on the device that computes it, and an
/// AllocateBuffer elsewhere. A collective of the program, whose groups are of replicas, joins the same device of each,
/// and its device number is that of the replica.
///
/// Preconditions: the program is one of a device, or of as many as there are replicas; the entry has no asynchronous
/// instruction and no outfeed; no value of a tuple is read on another device than its maker's; what is on all devices
/// depends on nothing that is not; a state and its new value are on one device. Violations throw std::logic_error. The
/// order of instructions is final: a caller that has fused and laid out the program sets Module::scheduled.
///
/// Contract: evaluate_partitions() of the result gives each device its part of the values of the program.
DeviceProgram write_device_program(const Module& whole, const DevicePlan& plan);

}  // namespace podsim::hlo::devices
