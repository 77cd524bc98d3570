#pragma once

/* The text form of graphs: what is written, and its limits. The grammar stands in docs/text_form.md.
 *
 * Printer and parser are clients of the library's own slots (text_client.h): they know nothing of the store, so the
 * text form holds for every way in which a graph can be stored.
 */

#include <cstdint>
#include <string>
#include <string_view>

namespace ge_ir {
namespace text {

/// Blocks (graphs inside graphs) that may stand inside each other; bounds the recursion of printer and parser.
constexpr uint32_t kMaxDepth = 200;

/// Constants of at most this many elements are written as numbers, bigger ones as a hex block.
constexpr uint64_t kReadableElements = 64;

/// Largest constant, in bytes, that may be written with `fill`: 30 bytes of text must not claim all memory.
constexpr uint64_t kMaxFillBytes = uint64_t{1} << 28;

/// Nodes shown at the head and at the tail of an elided graph.
constexpr uint64_t kElidedNodes = 24;

/// Items shown of an elided list or constant.
constexpr uint64_t kElidedItems = 8;

/// Bytes shown of an elided string.
constexpr uint64_t kElidedBytes = 80;

/// Text of a graph with its subgraphs. `flags` is a ge_ir_print_flags. Throws ge::abi::Failure.
std::string print_graph(uint64_t graph, uint32_t flags);

/// Graph of a text, a root owned by the caller. Throws ge::abi::Failure (PARSE_ERROR); nothing is left behind then.
uint64_t parse_graph(std::string_view text, std::string_view source_name);

}  // namespace text
}  // namespace ge_ir
