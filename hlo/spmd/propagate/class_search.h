// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hlo/spmd/propagate/array_links.h"
#include "hlo/spmd/propagate/array_table.h"
#include "hlo/spmd/propagate/dimension_classes.h"

namespace podsim::hlo::spmd::propagate {

/// Disjoint sets of the dimensions of all arrays.
class JoinedDimensions {
 public:
  explicit JoinedDimensions(const ArrayTable& table);

  void join(ArrayId a, int x, ArrayId b, int y) { parents_[std::size_t(find(a, x))] = find(b, y); }
  /// The set of a dimension.
  int find(ArrayId array, int dimension);

 private:
  const ArrayTable& table_;
  std::vector<int> first_;  ///< of an array's dimensions
  std::vector<int> parents_;
};

/// Finds the classes of dimension_classes.h, and which class a dimension of any array has.
class ClassSearch {
 public:
  /// `module` outlives this.
  explicit ClassSearch(const hlo::Module& module);
  ClassSearch(const ClassSearch&) = delete;
  ClassSearch& operator=(const ClassSearch&) = delete;

  const std::vector<DimensionClass>& classes() const { return classes_; }
  const ArrayTable& table() const { return table_; }
  const ArrayLinks& links() const { return links_; }
  /// Dimensions that go together before repeated layers are merged.
  int joined(ArrayId array, int dimension) { return dimensions_.find(array, dimension); }
  /// Index of the class of a dimension; -1 for one of none.
  int class_of(ArrayId array, int dimension);

 private:
  const hlo::Computation& entry() const;
  void join(const ArrayLink& link);
  void describe(const ArrayLink& link);
  void collect();
  void merge();
  /// Calls `visit` with every dimension that a link iterates over by its major factor, and with that factor.
  template <class Visit>
  void each_dimension(const ArrayLink& link, Visit visit) const;
  bool joins(const Factor& factor, const ArrayLink& link) const;
  bool is_shared(ArrayId array) const;
  const hlo::Instruction& instruction_of(ArrayId array) const;

  const hlo::Module& module_;
  ArrayTable table_;
  ArrayLinks links_;
  JoinedDimensions dimensions_;
  std::map<int, std::map<std::string, int>> parts_;  ///< by set: how often it is which dimension of which operand
  std::map<int, std::size_t> number_;                ///< by set, into found_
  std::vector<std::pair<int, DimensionClass>> found_;
  std::map<int, int> class_of_set_;
  std::vector<DimensionClass> classes_;
};

/// Ops whose dimensions make classes: dots, convolutions and gathers.
bool makes_classes(hlo::Opcode opcode);

}  // namespace podsim::hlo::spmd::propagate
