// Storage of one node. All edits go through edit.h; this header only reads.
//
// Edges live in the input slots: a slot holds its producer and its place in the producer's use list, which is a doubly
// linked list through (node id, slot) pairs in order of making. Linking and unlinking cost the same for one use and for
// a million.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ge_ir/attr.h"
#include "ge_ir/desc.h"
#include "ge_ir/handle.h"
#include "ge_ir/hash_index.h"
#include "ge_ir/small_string.h"
#include "ge_ir/small_vector.h"

namespace ge_ir {

class Graph;
struct Node;

constexpr uint32_t kNoNode = 0xFFFFFFFF;      ///< id that no node has
constexpr uint64_t kMaxArity = 1u << 22;      ///< inputs or outputs of one node
constexpr uint64_t kMaxNameBytes = 1u << 20;  ///< names, keys, symbols

/// One reader of an output: a node and its input slot.
struct Use {
  uint32_t node = kNoNode;
  uint32_t slot = 0;
  bool present() const noexcept { return node != kNoNode; }
};

/// One input slot.
struct Input {
  uint32_t producer = kNoNode;
  uint32_t output = 0;
  Use previous;  ///< neighbours in the producer's use list
  Use next;
};

/// One output with the ends of its use list.
struct Output {
  Use first;
  Use last;
  uint32_t use_count = 0;
  Ref<const Desc> desc;
  SmallString name;
  std::unique_ptr<AttrMap> attrs;
};

/// What an input slot has of its own; rare, so kept apart.
struct InputExtra {
  Ref<const Desc> desc;
  std::unique_ptr<AttrMap> attrs;
};

/// A control edge, in the out list of its source and the in list of its target.
struct ControlEdge {
  Node* source;
  Node* target;
  ControlEdge* previous_out = nullptr;
  ControlEdge* next_out = nullptr;
  ControlEdge* previous_in = nullptr;
  ControlEdge* next_in = nullptr;
};

/// Traits of an index from key to subgraph.
struct GraphKeyTraits {
  static std::string_view text(uint32_t graph_index) noexcept;
};

/// Owned subgraphs in order of attaching, found by key.
struct SubgraphSet {
  Graph* first = nullptr;
  Graph* last = nullptr;
  uint64_t count = 0;
  HashIndex<GraphKeyTraits> index;
};

/// Parts that few nodes have.
struct NodeExtra {
  std::vector<InputExtra> inputs;  ///< may be shorter than the inputs: the rest have nothing
  ControlEdge* first_out = nullptr;
  ControlEdge* last_out = nullptr;
  ControlEdge* first_in = nullptr;
  ControlEdge* last_in = nullptr;
  uint64_t out_count = 0;
  uint64_t in_count = 0;
  SubgraphSet subgraphs;
};

struct Node {
  Graph* graph = nullptr;
  uint32_t id = kNoNode;
  uint32_t generation = 0;
  uint32_t type = 0;
  uint32_t domain = 0;
  int32_t op_version = 0;
  uint32_t mark = 0;  ///< scratch of whoever walks the graph
  uint32_t previous = kNoNode;
  uint32_t next = kNoNode;
  SmallString name;
  SmallVector<Input, 2> inputs;
  SmallVector<Output, 1> outputs;
  std::unique_ptr<AttrMap> attrs;
  std::unique_ptr<NodeExtra> extra;

  /// The node's handle.
  uint64_t handle() const noexcept { return make_handle(HandleType::kNode, generation, id); }
  /// First owned subgraph or null.
  Graph* first_subgraph() const noexcept { return extra ? extra->subgraphs.first : nullptr; }
  /// First outgoing control edge or null.
  ControlEdge* first_control_out() const noexcept { return extra ? extra->first_out : nullptr; }
  /// First incoming control edge or null.
  ControlEdge* first_control_in() const noexcept { return extra ? extra->first_in : nullptr; }
  /// The rare parts, made on first use.
  NodeExtra& need_extra();
};

}  // namespace ge_ir
