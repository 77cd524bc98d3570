// A transaction on a graph tree that is rolled back unless it is committed.
#pragma once

#include "ge_passes/ir.h"

namespace ge_passes {

/// Begins in the constructor. Rolls back in the destructor if commit() was not reached.
class Transaction {
 public:
  /// `root` is the root of the tree.
  explicit Transaction(Handle root);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  /// Keeps the edits. Body graphs given to adopt() belong to the tree from now on.
  void commit();
  /// Undoes the edits and releases adopted graphs that became roots again.
  void rollback() noexcept;
  /// A graph made inside the transaction and attached to the tree: a rollback detaches it, so somebody must end it.
  void adopt(Handle graph) { made_.push_back(graph); }
  /// Takes over what a committed inner transaction adopted.
  void adopt(const std::vector<Handle>& made) { made_.insert(made_.end(), made.begin(), made.end()); }
  const std::vector<Handle>& made() const noexcept { return made_; }
  /// Throws INVALID_STATE, after rolling back what is still open, if foreign code left transactions open or ended ours.
  void require_innermost(const char* who);

 private:
  Handle graph_;
  uint32_t depth_ = 0;
  bool open_ = true;
  std::vector<Handle> made_;
};

}  // namespace ge_passes
