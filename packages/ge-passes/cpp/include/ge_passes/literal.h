// Values that a pattern compares with: constants and attributes, copied out of the pattern's graph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ge_passes/ir.h"

namespace ge_passes {

/// Data of a constant as it is compared: element type, shape, bytes (and string ends).
struct TensorLiteral {
  int32_t dtype = 0;
  std::vector<int64_t> dims;
  std::string bytes;
  std::vector<uint64_t> offsets;
};

/// One attribute of a pattern node.
struct AttrLiteral {
  uint32_t key = 0;
  uint32_t kind = 0;  ///< FLOAT32 counts as FLOAT, LIST_FLOAT32 as LIST_FLOAT
  int64_t i = 0;
  double f = 0;
  std::string bytes;
  std::vector<uint64_t> offsets;
  std::vector<TensorLiteral> tensors;
};

/// Reads the data of a constant node: `value`, or for an ONNX Constant value_int, value_ints, value_float,
/// value_floats. False if it has none that can be compared.
bool read_constant(Handle node, TensorLiteral& literal);
/// Whether a constant node has exactly this data: element type, shape and bytes. No tolerance, no conversion.
bool equals_constant(Handle node, const TensorLiteral& literal);

/// Attributes of a node without the provenance marks, in order of key symbol.
std::vector<AttrLiteral> read_attributes(Handle node);
/// Whether a node has exactly these attributes: same names, and for each name the same value. Reads only.
bool equals_attributes(Handle node, const std::vector<AttrLiteral>& literals);

}  // namespace ge_passes
