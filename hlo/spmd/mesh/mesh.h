// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The partitions of a program as a grid with named axes, after Mesh-TensorFlow (Shazeer et al. 2018) and GSPMD
/// (Xu et al. 2021).
namespace podsim::hlo::spmd::mesh {

struct MeshAxis {
  std::string name;
  std::int64_t size = 1;
  bool operator==(const MeshAxis&) const = default;
};

/// A prime factor of an axis, numbered through all axes from the slowest to the fastest. An axis of 12 positions
/// consists of sub-axes of 2, 2 and 3, the first one the slowest. Shardings name sub-axes, so that a dimension can be
/// split over part of an axis, which the reshape of a split dimension requires.
using SubAxis = std::uint8_t;
/// Sub-axes that are used together, from the slowest to the fastest.
using SubAxes = std::vector<SubAxis>;

class Mesh {
 public:
  /// One partition.
  Mesh() = default;
  /// Axes from the slowest to the fastest: a partition's number is its row-major position. Throws base::InputError
  /// unless sizes are at least 1, names are distinct and not empty, and there are at most 2^20 partitions.
  explicit Mesh(std::vector<MeshAxis> axes);
  /// Reads "x=32,y=64", or "32x64", which names the axes x, y, z, w, v, u in order. Throws base::InputError with the
  /// location in `text` (as file "mesh") and a suggestion.
  static Mesh parse(std::string_view text);
  /// The coarsest mesh that refines all grids in `shapes` (as mesh::grid returns them, slowest size first), with axes
  /// a0, a1, .... Throws base::InputError if there is none.
  static Mesh refining(std::int64_t partitions, std::span<const std::vector<std::int64_t>> shapes);

  const std::vector<MeshAxis>& axes() const { return axes_; }
  std::int64_t partitions() const;
  /// Index of the axis with this name, -1 if there is none.
  int find(std::string_view name) const;

  int sub_axis_count() const { return int(sub_axes_.size()); }
  std::int64_t size(SubAxis sub_axis) const { return sub_axes_[sub_axis].size; }
  std::int64_t size(const SubAxes& sub_axes) const;
  /// Difference of the partition numbers of two neighbouring positions along the sub-axis.
  std::int64_t stride(SubAxis sub_axis) const { return sub_axes_[sub_axis].stride; }
  int axis_of(SubAxis sub_axis) const { return sub_axes_[sub_axis].axis; }
  /// All sub-axes of an axis.
  SubAxes sub_axes(int axis) const;
  SubAxes all() const;
  /// The row-major position of a partition along the combined sub-axes.
  std::int64_t position(std::int64_t partition, const SubAxes& sub_axes) const;
  /// "x" or "x,y"; part of an axis as "x[1:3]", its sub-axes 1 and 2.
  std::string to_string(const SubAxes& sub_axes, std::string_view separator = ",") const;

  bool operator==(const Mesh& other) const { return axes_ == other.axes_; }

 private:
  struct Part {
    int axis = 0;
    std::int64_t size = 1, stride = 1;
  };
  std::vector<MeshAxis> axes_;
  std::vector<Part> sub_axes_;
};

/// "x=32,y=64"
std::string to_string(const Mesh& mesh);

}  // namespace podsim::hlo::spmd::mesh
