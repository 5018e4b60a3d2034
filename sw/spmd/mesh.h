// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The partitions of a program as a grid with named axes, after Mesh-TensorFlow (Shazeer et al. 2018) and GSPMD
/// (Xu et al. 2021).
namespace podsim::sw {

struct MeshAxis {
  std::string name;
  std::int64_t size = 1;
  bool operator==(const MeshAxis&) const = default;
};

/// A prime factor of an axis, numbered through all axes from the slowest to the fastest. An axis of 12 positions is the
/// sub-axes of 2, 2 and 3, the first one the slowest. Shardings name sub-axes, so that a dimension can be cut along a
/// part of an axis: what a reshape of a cut dimension asks for.
using SubAxis = std::uint8_t;
/// Sub-axes that cut something together, from the slowest to the fastest.
using SubAxes = std::vector<SubAxis>;

class Mesh {
 public:
  /// One partition.
  Mesh() = default;
  /// Axes from the slowest to the fastest: partition = row-major position. Sizes are at least 1, names differ and are
  /// not empty; at most 2^20 partitions. Throws base::InputError.
  explicit Mesh(std::vector<MeshAxis> axes);
  /// "x=32,y=64"; "32x64" names the axes x, y, z, w, v, u. InputError with the place in `text` (of the file "mesh") and
  /// a suggestion.
  static Mesh parse(std::string_view text);
  /// A mesh on which all these lists of sizes (iota shapes of shardings in a text) fall on borders of sub-axes: an axis
  /// a0, a1, ... for each common factor. InputError where there is none.
  static Mesh refining(std::int64_t partitions, std::span<const std::vector<std::int64_t>> shapes);

  const std::vector<MeshAxis>& axes() const { return axes_; }
  std::int64_t partitions() const;
  /// Index of an axis, -1 where there is none of the name.
  int find(std::string_view name) const;

  int sub_axis_count() const { return int(sub_axes_.size()); }
  std::int64_t size(SubAxis sub_axis) const { return sub_axes_[sub_axis].size; }
  std::int64_t size(const SubAxes& sub_axes) const;
  /// The step in the partition's number from one position of the sub-axis to the next.
  std::int64_t stride(SubAxis sub_axis) const { return sub_axes_[sub_axis].stride; }
  int axis_of(SubAxis sub_axis) const { return sub_axes_[sub_axis].axis; }
  /// All of an axis.
  SubAxes sub_axes(int axis) const;
  SubAxes all() const;
  /// The position of a partition along sub-axes taken together, row-major.
  std::int64_t position(std::int64_t partition, const SubAxes& sub_axes) const;
  /// "x", "x,y"; part of an axis as "x[1:3]", sub-axes 1 and 2 of it.
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

}  // namespace podsim::sw
