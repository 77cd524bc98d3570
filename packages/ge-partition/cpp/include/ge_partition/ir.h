// The graph library as this one sees it: every call through the bound table, every failure an exception.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ge_abi_support.hpp"
#include "ge_ir_api.h"

namespace ge::partition {

// One output of a node; node 0 is an absent value.
struct Value {
  std::uint64_t node = 0;
  std::uint32_t index = 0;

  bool operator==(const Value& other) const { return node == other.node && index == other.index; }
  bool operator!=(const Value& other) const { return !(*this == other); }
};

// Operator type and domain of a node, as symbols.
struct Op {
  std::uint32_t type = 0;
  std::uint32_t domain = 0;
  std::int32_t version = 0;

  bool same_operator(const Op& other) const { return type == other.type && domain == other.domain; }
};

namespace ir {

// Binds the table. The same getter again is fine; another one is Failure{REFUSED}.
void bind(ge_abi_getter getter);

// The bound table; Failure{INVALID_STATE} before bind.
const ge_ir_api& table();

// Throws the failure of a call.
void check(std::int32_t status, const ge_error& error);

// Calls a slot by pointer to member and throws its failure.
template <class Slot, class... Args>
void call(Slot slot, Args... args) {
  ge_error error;
  ge_error_init(&error);
  const std::int32_t status = (table().*slot)(args..., &error);
  if (status != GE_STATUS_OK) check(status, error);
}

std::uint32_t symbol(std::string_view text);
std::string symbol_text(std::uint32_t symbol);

std::uint64_t create_graph(std::string_view name);
std::string graph_name(std::uint64_t graph);
std::uint64_t graph_owner(std::uint64_t graph);
std::string graph_key(std::uint64_t graph);
std::vector<std::uint64_t> nodes(std::uint64_t graph, std::uint32_t order);
// Three columns of the direct nodes in list order.
void columns_ops(std::uint64_t graph, std::vector<std::uint64_t>& nodes, std::vector<std::uint32_t>& types,
                 std::vector<std::uint32_t>& domains);
void move_to_end(std::uint64_t node);
std::uint64_t create_node(std::uint64_t graph, const Op& op, std::string_view name, const std::vector<Value>& inputs,
                          std::uint32_t outputs);
std::uint32_t input_count(std::uint64_t node);
void remove_attr(std::uint64_t owner, std::string_view key);
// A descriptor; rank_kind UNSET and dtype UNDEFINED if there is none. Pointers are borrowed.
ge_ir_desc desc(std::uint64_t node, std::uint32_t scope, std::uint32_t index);
void set_desc(std::uint64_t node, std::uint32_t scope, std::uint32_t index, const ge_ir_desc& desc);
std::uint64_t detach(std::uint64_t owner, std::string_view key);
std::string unique_name(std::uint64_t graph, std::string_view base);

std::uint64_t node_graph(std::uint64_t node);
std::string node_name(std::uint64_t node);
Op node_op(std::uint64_t node);
std::uint32_t output_count(std::uint64_t node);
// Inputs into a vector that the caller reuses.
void inputs(std::uint64_t node, std::vector<Value>& result);
std::vector<Value> inputs(std::uint64_t node);
void set_input(std::uint64_t node, std::uint32_t slot, Value value);
std::uint64_t use_count(Value value);
void replace_uses(Value old_value, Value new_value);
std::string value_name(Value value);
void set_value_name(Value value, std::string_view name);
std::vector<std::uint64_t> control_inputs(std::uint64_t node);
std::vector<std::uint64_t> control_outputs(std::uint64_t node);
void add_control(std::uint64_t source, std::uint64_t target);
void remove_control(std::uint64_t source, std::uint64_t target);
void remove_node(std::uint64_t node);

std::vector<std::uint32_t> attr_keys(std::uint64_t owner, std::uint32_t scope, std::uint32_t index);
// The attribute, or kind NONE. Pointers in it are borrowed from the graph.
ge_ir_attr attr(std::uint64_t owner, std::uint32_t scope, std::uint32_t index, std::string_view key);
void set_int(std::uint64_t owner, std::string_view key, std::int64_t value);
void set_bool(std::uint64_t owner, std::string_view key, bool value);
void set_ints(std::uint64_t owner, std::string_view key, const std::vector<std::int64_t>& values);
// The list of integers, or an empty one; `present` says which.
std::vector<std::int64_t> get_ints(std::uint64_t owner, std::string_view key, bool& present);
// The integer or boolean attribute of a node or graph, or `otherwise` if it has none.
std::int64_t get_int(std::uint64_t owner, std::string_view key, std::int64_t otherwise);
void set_attr(std::uint64_t owner, std::uint32_t scope, std::uint32_t index, std::string_view key,
              const ge_ir_attr& value);
ge_ir_tensor_info tensor(std::uint64_t tensor);

std::vector<std::uint64_t> subgraphs(std::uint64_t owner);
void attach(std::uint64_t owner, std::string_view key, std::uint64_t child);

}  // namespace ir

// A transaction on the tree of a graph: rolled back unless committed. Undoing an attachment leaves a root graph behind,
// so the transaction knows the graphs that it brought in and ends them after a rollback.
class Transaction {
 public:
  explicit Transaction(std::uint64_t graph);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  // A new graph, which the caller attaches somewhere in the tree.
  std::uint64_t create_graph(std::string_view name);

  // Keeps the edits.
  void commit();

 private:
  std::vector<std::uint64_t> created_;
  std::uint64_t graph_;
  bool open_ = true;
};

}  // namespace ge::partition
