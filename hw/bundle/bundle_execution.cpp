// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/bundle_execution.h"

#include <algorithm>

namespace podsim::hw::bundle {

using isa::Opcode;

/// Vector and misc operations take effect one by one, in an order with the same result as if all read before any
/// writes. Scalar operations come last and take effect together.
BundleExecution::Outcome BundleExecution::perform(const vector::DecodedBundle& bundle, const Issue& issue) {
  Outcome outcome;
  outcome.next = issue.address + 1;
  std::array<ScalarUnit::Effect, 2> effects;
  std::size_t scalars = 0;
  std::size_t number = 0;
  for (const vector::Operation& operation : bundle.operations) {
    if (!issue.performs(number++)) continue;
    scoreboard_.write(operation.write, issue.now + operation.latency, issue.address);
    if (operation.executor != vector::Executor::scalar) {
      perform(operation, issue, outcome);
      continue;
    }
    effects[scalars++] =
        operation.opcode == isa::Opcode::s_pop ? pop_scalar(operation, issue.now) : parts_.scalar.evaluate(operation);
    if (isa::is_branch(operation.opcode) && parts_.scalar.branches(operation)) {
      outcome.next = parts_.scalar.value(operation.y);
      outcome.branched = true;
    }
  }
  for (std::size_t i = 0; i < scalars; ++i) parts_.scalar.apply(effects[i]);
  if (bundle.deferred && parts_.data != nullptr) parts_.data->commit();
  return outcome;
}

void BundleExecution::perform(const vector::Operation& operation, const Issue& issue, Outcome& outcome) {
  vector::VectorDatapath* const data = parts_.data;
  switch (operation.executor) {
    case vector::Executor::transcendental:
      units_[operation.unit]->push(operation.opcode, issue.now, data != nullptr ? &data->y(operation) : nullptr, 0,
                                   nullptr);
      break;
    case vector::Executor::push:
      push(operation, issue.now);
      break;
    case vector::Executor::pop:
      units_[operation.unit]->pop(issue.now, data != nullptr ? &data->destination(operation) : nullptr);
      break;
    case vector::Executor::load:
      parts_.ports.access(vector::VmemPort::read, issue.now, issue.load.cycles);
      if (data != nullptr) data->load(operation, issue.load.rows);
      break;
    case vector::Executor::store:
      parts_.ports.access(vector::VmemPort::write, issue.now, issue.store.cycles);
      parts_.vmem.store(issue.store.rows, issue.now);
      if (data != nullptr) data->store(operation, issue.store.rows);
      break;
    case vector::Executor::vector:
      if (data != nullptr) data->perform(operation, parts_.scalar.value(operation.y));
      break;
    case vector::Executor::misc:
      perform_misc(operation, issue, outcome);
      break;
    case vector::Executor::scalar:
      break;
  }
}

void BundleExecution::push(const vector::Operation& operation, base::Cycles now) {
  const vector::VectorRegister* x = nullptr;
  const vector::VectorRegister* index = nullptr;
  if (parts_.data != nullptr && operation.opcode != isa::Opcode::mxu_latch) {
    x = &parts_.data->x(operation);
    if (operation.opcode == isa::Opcode::x_permute_lanes) index = &parts_.data->y(operation);
  }
  units_[operation.unit]->push(operation.opcode, now, x, parts_.scalar.number(operation.y), index);
}

ScalarUnit::Effect BundleExecution::pop_scalar(const vector::Operation& operation, base::Cycles now) {
  vector::VectorRegister popped;
  units_[operation.unit]->pop(now, &popped);
  return {ScalarUnit::Effect::Kind::scalar, operation.destination, popped.words[0]};
}

void BundleExecution::perform_misc(const vector::Operation& operation, const Issue& issue, Outcome& outcome) {
  const std::size_t flag = parts_.scalar.value(operation.x);
  const std::int64_t amount = parts_.scalar.number(operation.y);
  switch (operation.opcode) {
    case isa::Opcode::dma:
      outcome.fault = start_dma(operation, issue);
      break;
    case isa::Opcode::sync_set:
      parts_.flags.set(flag, amount);
      break;
    case isa::Opcode::sync_add:
      parts_.flags.add(flag, amount);
      break;
    case isa::Opcode::mark:
      mark(operation, issue.now);
      break;
    case isa::Opcode::halt:
      outcome.halted = true;
      break;
    default:
      break;
  }
}

std::optional<std::string> BundleExecution::start_dma(const vector::Operation& operation, const Issue& issue) {
  std::array<std::uint32_t, isa::descriptor_words> words;
  const auto descriptor = parts_.scalar.smem().begin() + std::ptrdiff_t(parts_.scalar.value(operation.x));
  std::copy_n(descriptor, words.size(), words.begin());
  return parts_.dma.start(issue.now, isa::descriptor_of(words), issue.address);
}

void BundleExecution::mark(const vector::Operation& operation, base::Cycles now) {
  if (parts_.trace == nullptr) return;
  const std::size_t number = parts_.scalar.value(operation.x);
  parts_.trace->mark(now, number < parts_.program.strings.size() ? parts_.program.strings[number] : "");
}

}  // namespace podsim::hw::bundle
