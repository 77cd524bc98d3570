// The graph library as this library sees it: the bound ge_ir table behind functions that throw Failure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ge_ir_stubs.h"
#include "ge_passes/failure.h"

namespace ge_passes {

using Handle = uint64_t;

/// One output of a node; node 0 is "absent".
struct Value {
  Handle node = 0;
  uint32_t index = 0;
  bool operator==(const Value& other) const noexcept { return node == other.node && index == other.index; }
  bool operator!=(const Value& other) const noexcept { return !(*this == other); }
};

/// Operator of a node.
struct Op {
  uint32_t type = 0;
  uint32_t domain = 0;
  int32_t version = 0;
  /// Type and domain as one number.
  uint64_t key() const noexcept { return (uint64_t{type} << 32) | domain; }
};

/// Two columns read by one slot: (node, number) pairs. The memory is kept for the next read.
struct PairList {
  std::vector<Handle> nodes = std::vector<Handle>(8);
  std::vector<uint32_t> numbers = std::vector<uint32_t>(8);
  size_t count = 0;
  Value value(size_t i) const noexcept { return {nodes[i], numbers[i]}; }
};

/// Nodes of a graph in list order with their operators.
struct OpColumns {
  std::vector<Handle> nodes;
  std::vector<uint32_t> types;
  std::vector<uint32_t> domains;
};

/// Symbols that the rules of this library name.
struct Symbols {
  uint32_t data, net_output, constant_ge, constant_onnx;
  uint32_t index, value, origin_nodes, pass_names;
  uint32_t value_int, value_ints, value_float, value_floats;
};

/// Binds the table. The same getter again is fine; another one is REFUSED.
void bind_ir(ge_abi_getter getter);
/// The table; INVALID_STATE before bind_ir.
const ge_ir_api& ir();
/// Symbols of the bound library.
const Symbols& symbols();

/// Graphs. All throw Failure with the text of the graph library.
std::string_view graph_name(Handle graph);
Handle create_graph(std::string_view name);
void release_graph(Handle graph);
/// Owner of a subgraph (a node or a graph) and its key; 0 for a root.
Handle graph_owner(Handle graph, std::string_view* key = nullptr);
uint64_t graph_version(Handle graph);
uint64_t node_count(Handle graph);
std::vector<Handle> graph_nodes(Handle graph, uint32_t order);
void read_ops(Handle graph, OpColumns& columns);
std::vector<Handle> subgraphs(Handle owner);
size_t subgraph_count(Handle owner);
void attach_subgraph(Handle owner, std::string_view key, Handle child);
std::string unique_name(Handle graph, std::string_view base);
/// Findings of the verifier, empty if it has none.
std::string verify(Handle graph);
/// The graph and all graphs below it, owners first.
std::vector<Handle> graph_tree(Handle root);

/// Nodes.
bool is_live(Handle node) noexcept;
Handle graph_of(Handle node);
std::string_view node_name(Handle node);
Op op_of(Handle node);
std::string_view symbol_text(uint32_t symbol);
uint32_t intern(std::string_view text);
std::pair<uint64_t, uint64_t> arity(Handle node);
void read_inputs(Handle node, PairList& inputs);
void read_uses(Value value, PairList& uses);
uint64_t use_count(Value value);
void replace_uses(Value old, Value fresh);
std::string_view value_name(Value value);
void set_value_name(Value value, std::string_view name);
void set_input(Handle node, uint32_t slot, Value value);
Handle create_node(Handle graph, const ge_ir_node_spec& spec);
void remove_node(Handle node);
void move_before(Handle node, Handle anchor);
void read_control_inputs(Handle node, std::vector<Handle>& nodes);
void read_control_outputs(Handle node, std::vector<Handle>& nodes);
void add_control(Handle source, Handle target);

/// Attributes and descriptors. Results are borrowed until the next edit.
void read_keys(Handle owner, uint32_t scope, uint32_t index, std::vector<uint32_t>& keys);
bool has_key(Handle owner, uint32_t key);
ge_ir_attr get_attr(Handle owner, uint32_t scope, uint32_t index, uint32_t key);
void set_attr(Handle owner, uint32_t scope, uint32_t index, uint32_t key, const ge_ir_attr& value);
ge_ir_desc get_desc(Handle node, uint32_t scope, uint32_t index);
void set_desc(Handle node, uint32_t scope, uint32_t index, const ge_ir_desc& desc);
ge_ir_tensor_info tensor_info(Handle tensor);

/// Node with type and graph, for messages; works for stale handles too.
std::string describe(Handle node);
/// Graph for messages; works for stale handles too.
std::string describe_graph(Handle graph);

}  // namespace ge_passes
