#include "ge_passes/transaction.h"

namespace ge_passes {

Transaction::Transaction(Handle graph) : graph_(graph) { ge::abi::call(ir().transaction_begin, graph, &depth_); }

Transaction::~Transaction() { rollback(); }

void Transaction::commit() {
  ge::abi::call(ir().transaction_commit, graph_);
  open_ = false;
}

void Transaction::rollback() noexcept {
  if (!open_) return;
  open_ = false;
  ir().transaction_rollback(graph_, nullptr);
  for (auto graph = made_.rbegin(); graph != made_.rend(); ++graph) {
    // A body is a root again, unless it was part of another body that was ended before.
    ir().graph_release(*graph, nullptr);
  }
}

void Transaction::require_innermost(const char* who) {
  uint32_t now = 0;
  ge::abi::call(ir().transaction_begin, graph_, &now);
  ge::abi::call(ir().transaction_rollback, graph_);
  if (now == depth_ + 1) return;
  if (now <= depth_) {
    open_ = false;  // ours is gone: rolling back would undo what belongs to somebody else
    fail(GE_STATUS_INVALID_STATE, who, " ended a transaction that it did not begin");
  }
  for (uint32_t extra = now - depth_ - 1; extra > 0; --extra) ir().transaction_rollback(graph_, nullptr);
  fail(GE_STATUS_INVALID_STATE, who, " left ", now - depth_ - 1, " transactions open");
}

}  // namespace ge_passes
