// A pattern graph turned into a flat program for the matcher.
//
// Inner nodes are numbered in the order in which the program binds them, so that "bound before" is a comparison of
// numbers. There are two places where a program can choose (ROOT: any node of a type, UP: any reader of a bound value);
// everything else follows from the edges.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ge_passes/flat_map.h"
#include "ge_passes/ir.h"
#include "ge_passes/literal.h"

namespace ge_passes {

/// What one input slot of a pattern node reads.
struct Source {
  enum Kind : uint8_t { kAbsent, kInput, kInner };
  Kind kind = kAbsent;
  bool first = false;   ///< this slot is the one that binds the input or node; others compare
  uint32_t number = 0;  ///< of the pattern input or inner node
  uint32_t index = 0;   ///< output of the inner node
};

/// One inner node of a pattern.
struct PatternNode {
  Handle handle = 0;
  uint32_t type = 0;
  uint32_t domain = 0;
  bool constant = false;
  bool has_data = false;             ///< constant with a value to compare
  std::vector<Source> inputs;        ///< without absent ones at the end
  std::vector<uint32_t> inner_uses;  ///< per output: readers inside the pattern
  std::vector<uint8_t> declared;     ///< per output: stands on the NetOutput
  TensorLiteral data;
  std::vector<AttrLiteral> attributes;
  uint64_t key() const noexcept { return (uint64_t{type} << 32) | domain; }
};

/// A slot of the node to bind that reads something bound before: (slot, value).
struct Anchor {
  uint32_t slot = 0;
  Source source;
};

struct Step {
  enum Kind : uint8_t {
    kRoot,    ///< bind `node` to a node of its type
    kUp,      ///< bind `node` to a reader of a bound value
    kExpand,  ///< check the inputs of bound `node`, binding what they read
  };
  Kind kind = kRoot;
  uint32_t node = 0;
  std::vector<Anchor> anchors;  ///< kUp: the one with the fewest readers is taken when matching
};

/// How many nodes of one operator a match needs.
struct OpNeed {
  uint64_t key = 0;
  uint32_t count = 0;
};

class CompiledPattern {
 public:
  /// Checks the rules and builds the program. INVALID_ARGUMENT naming the rule and the node that breaks it.
  static std::shared_ptr<const CompiledPattern> compile(Handle graph, uint32_t flags);

  std::vector<PatternNode> nodes;
  std::vector<Handle> inputs;      ///< Data nodes by index
  std::vector<Source> outputs;     ///< declared outputs in order
  std::vector<Step> steps;         ///< the first one is the ROOT of output 0
  std::vector<uint32_t> topology;  ///< numbers of the inner nodes, producers first
  std::vector<OpNeed> needs;
  bool one_root = true;  ///< all outputs belong to one node
  bool compare_values = false;
  bool compare_attributes = false;

  /// Number of an inner node, or -1.
  int64_t node_number(Handle node) const noexcept;
  /// Number of an input, or -1.
  int64_t input_number(Handle node) const noexcept;
};

/// Const of this project and Constant of ONNX are one class.
bool is_constant(const Op& op) noexcept;
/// Key under which an operator is counted and found: both kinds of constants share one.
uint64_t class_key(const Op& op) noexcept;

}  // namespace ge_passes
