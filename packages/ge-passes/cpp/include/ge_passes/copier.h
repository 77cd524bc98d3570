// Copies nodes from one graph into another, with attributes, descriptors and subgraphs.
#pragma once

#include <string>
#include <vector>

#include "ge_passes/flat_map.h"
#include "ge_passes/ir.h"
#include "ge_passes/transaction.h"

namespace ge_passes {

/// Knows for each original what stands for it. Subgraphs are copied by a work list, so their depth costs no stack.
class Copier {
 public:
  explicit Copier(Transaction& transaction);

  /// Reads of output 0 of `original` become reads of `value` (node 0: become absent inputs).
  void stand_in(Handle original, Value value);
  /// Copies one node with its subgraphs; reads of values not copied yet are connected by finish().
  Handle copy(Handle original, Handle graph, Handle before, std::string_view name);
  /// Copies what is inside subgraphs, and makes the open connections and control edges of copied nodes.
  /// INVALID_ARGUMENT if something reads a value that was not copied.
  void finish();
  /// The value that stands for a value of the originals.
  Value mapped(Value original) const;

 private:
  struct Body {
    Handle from;
    Handle to;
  };
  struct Open {
    Handle node;
    uint32_t slot;
    Value original;
  };
  bool find(Value original, Value& mapped) const noexcept;
  Handle create(Handle original, Handle graph, Handle before, std::string_view name);
  void copy_attributes(Handle from, Handle to, uint32_t scope, uint32_t index);
  void copy_outputs(Handle from, Handle to, size_t count);
  void copy_input_descs(Handle from, Handle to);
  void copy_bodies(Handle from, Handle to);
  void copy_body(const Body& body);
  void copy_controls();

  Transaction& transaction_;
  FlatMap places_;             ///< original node -> number in values_
  std::vector<Value> values_;  ///< copy of a node (any index), or what stands for it
  std::vector<uint8_t> stands_in_;
  std::vector<std::pair<Handle, Handle>> pairs_;  ///< copied nodes: original, copy
  std::vector<Body> bodies_;
  std::vector<Open> open_;
  PairList& inputs_;  ///< memory of the thread: copiers are short-lived
  std::vector<uint32_t> keys_;
  std::vector<Handle> mapped_inputs_;
  std::vector<uint32_t> mapped_indices_;
};

}  // namespace ge_passes
