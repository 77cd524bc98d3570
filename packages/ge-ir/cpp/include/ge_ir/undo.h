// The undo log of a graph tree. Every edit is a few primitive steps; each step knows how to be taken back.
#pragma once

#include <cstdint>
#include <vector>

#include "ge_ir/graph.h"

namespace ge_ir {

/// Primitive steps, named for what was done.
enum class Step : uint8_t {
  kNodeCreated,       // node
  kNodeRemoved,       // node; words[0] = id of the node that followed it
  kNodeMoved,         // node; words[0] = id of the node that followed it
  kNodeRenamed,       // node; bytes = old name
  kOpChanged,         // node; words = type, domain, version
  kInputChanged,      // node, slot; words = old Input
  kInputsResized,     // node; slot = old count; pointer = std::vector<InputExtra>* dropped or null
  kOutputsResized,    // node; slot = old count; pointer = std::vector<Output>* dropped or null
  kValueRenamed,      // node, slot; bytes = old name
  kOutputDescSet,     // node, slot; pointer = old Desc
  kInputDescSet,      // node, slot; pointer = old Desc
  kControlAdded,      // pointer = ControlEdge
  kControlRemoved,    // pointer = ControlEdge
  kAttrAdded,         // AttrPlace
  kAttrReplaced,      // AttrPlace with the old value
  kAttrRemoved,       // AttrPlace with the old value
  kGraphRenamed,      // graph; bytes = old name
  kListReordered,     // graph; pointer = std::vector<uint32_t>* old order
  kNameCounter,       // pointer = counter; number = old value; not a change of the graph
  kSubgraphAttached,  // pointer = child; bytes at 8 = old key
  kSubgraphDetached,  // siblings; scope = 1 if this step made log_home
  kTreeReleased,      // pointer = root
};

/// One step with what is needed to take it back.
struct Record {
  Step step;
  uint8_t scope = 0;
  uint32_t slot = 0;
  Graph* graph = nullptr;  ///< whose version (and that of all around it) the step counted
  Node* node = nullptr;
  union {
    uint32_t words[6];
    struct {
      void* pointer;
      uint64_t number;
      uint64_t reserved;
    } p;
    struct {
      uint32_t position;
      uint32_t key;
      uint32_t kind;
      uint32_t unused;
      uint64_t bits;
    } attr;
    struct {
      void* child;
      void* previous;
      void* next;
    } siblings;
    struct {
      void* pointer;
      unsigned char bytes[16];  ///< a SmallString
    } text;
  };

  Record(Step what, Graph* where, Node* which = nullptr, uint32_t at = 0) noexcept
      : step(what), slot(at), graph(where), node(which), words{} {}
  /// Stores a string's two words; take_text gives them back.
  void put_text(SmallString&& value) noexcept;
  SmallString take_text() noexcept;
};
static_assert(sizeof(Record) == 48);

/// Takes one step back.
void undo(Record& record) noexcept;
/// Frees what a step kept for taking it back.
void dispose(Record& record) noexcept;

class UndoLog {
 public:
  bool active() const noexcept { return !marks_.empty(); }
  uint32_t depth() const noexcept { return static_cast<uint32_t>(marks_.size()); }
  /// Makes room for steps. Throws std::bad_alloc.
  void reserve(size_t steps);
  /// Adds a step; room must have been reserved.
  void push(const Record& record) noexcept { records_.push_back(record); }
  void begin();
  /// Keeps the steps of the innermost transaction; the outermost one frees what they kept.
  void commit() noexcept;
  /// Takes the steps of the innermost transaction back.
  void rollback() noexcept;
  /// Ends all transactions and keeps everything; for the release of the whole tree.
  void close() noexcept;

 private:
  std::vector<Record> records_;
  std::vector<size_t> marks_;
};

/// The open log that covers a graph, or null when no transaction is open.
UndoLog* open_log(Graph& graph) noexcept;
/// The root whose log covers a graph, open or not.
Graph& log_root(Graph& graph) noexcept;

/// One edit: reserves room first, then records steps without failing.
class Edit {
 public:
  Edit(Graph& graph, size_t steps) : log_(open_log(graph)) {
    if (log_ != nullptr) log_->reserve(steps);
  }
  bool logged() const noexcept { return log_ != nullptr; }
  /// Counts the step in the versions and keeps or frees what it holds.
  void done(Record record) noexcept;

 private:
  UndoLog* log_;
};

}  // namespace ge_ir
