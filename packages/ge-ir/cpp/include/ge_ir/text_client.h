#pragma once

/* The slots that the text form uses, as functions that throw ge::abi::Failure instead of returning a status. */

#include <cstdint>
#include <string_view>
#include <vector>

#include "ge_ir_slots.h"

namespace ge_ir {
namespace text {

namespace abi = ge::abi;
using Handle = uint64_t;

/// Operator of a node.
struct NodeOp {
  uint32_t type = 0;
  uint32_t domain = 0;
  int32_t version = 0;
};

/// Input and output counts of a node.
struct Arity {
  uint64_t inputs = 0;
  uint64_t outputs = 0;
};

/// Data inputs of a node: producers (0: absent) and their output indices.
struct Inputs {
  std::vector<Handle> producers;
  std::vector<uint32_t> indices;
};

/// Owner of an attribute: a graph or node, and the part of it.
struct AttrOwner {
  Handle owner = 0;
  uint32_t scope = GE_IR_SCOPE_SELF;
  uint32_t index = 0;
};

std::string_view symbol_text(uint32_t symbol);
uint32_t intern(std::string_view text);

Handle graph_create(std::string_view name);
std::string_view graph_name(Handle graph);
void graph_nodes(Handle graph, std::vector<Handle>& nodes);
std::string_view graph_key(Handle graph);
bool graph_has_node(Handle graph, std::string_view name);
std::string_view graph_unique_name(Handle graph, std::string_view base);
void subgraph_attach(Handle owner, std::string_view key, Handle child);
void subgraph_list(Handle owner, std::vector<Handle>& graphs);

Handle node_create(Handle graph, const ge_ir_node_spec& spec);
Handle node_graph(Handle node);
std::string_view node_name(Handle node);
void node_set_name(Handle node, std::string_view name);
NodeOp node_op(Handle node);
Arity node_arity(Handle node);
void node_inputs(Handle node, uint64_t count, Inputs& inputs);
void node_set_input(Handle node, uint32_t slot, Handle producer, uint32_t index);
uint64_t value_use_count(Handle node, uint32_t index);
std::string_view value_name(Handle node, uint32_t index);
void value_set_name(Handle node, uint32_t index, std::string_view name);
void control_inputs(Handle node, std::vector<Handle>& nodes);
void control_add(Handle source, Handle target);

/// False if there is no such descriptor (an absent input without one).
bool desc_find(Handle node, uint32_t scope, uint32_t index, ge_ir_desc& desc);
void desc_set(Handle node, uint32_t scope, uint32_t index, const ge_ir_desc& desc);

void attr_keys(const AttrOwner& owner, std::vector<uint32_t>& symbols);
bool attr_exists(const AttrOwner& owner, std::string_view key);
ge_ir_attr attr_get(const AttrOwner& owner, std::string_view key);
void attr_set(const AttrOwner& owner, std::string_view key, const ge_ir_attr& value);

Handle tensor_create(const ge_ir_tensor_spec& spec);
ge_ir_tensor_info tensor_info(Handle tensor);

/// A root graph that is released unless it is taken or attached.
class GraphGuard {
 public:
  explicit GraphGuard(Handle graph) noexcept : graph_(graph) {}
  ~GraphGuard();
  GraphGuard(const GraphGuard&) = delete;
  GraphGuard& operator=(const GraphGuard&) = delete;
  Handle get() const noexcept { return graph_; }
  Handle take() noexcept;

 private:
  Handle graph_;
};

/// One reference to a tensor.
class TensorGuard {
 public:
  TensorGuard() = default;
  explicit TensorGuard(Handle tensor) noexcept : tensor_(tensor) {}
  TensorGuard(TensorGuard&& other) noexcept : tensor_(other.tensor_) { other.tensor_ = 0; }
  TensorGuard& operator=(TensorGuard&& other) noexcept;
  ~TensorGuard();
  Handle get() const noexcept { return tensor_; }

 private:
  Handle tensor_ = 0;
};

}  // namespace text
}  // namespace ge_ir
