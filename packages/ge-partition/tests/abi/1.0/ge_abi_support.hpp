/* Copied by tools/abi from tools/abi/templates/ge_abi_support.hpp. Do not edit the copies. */
#ifndef GE_ABI_SUPPORT_HPP
#define GE_ABI_SUPPORT_HPP

/* Header-only help for both sides of a GE table (C++17): errors, exception barrier, argument checks, the handshake. */

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ge_abi.h"

#if defined(__GNUC__)
#define GE_ABI_EXPORT __attribute__((visibility("default")))
#define GE_ABI_HIDDEN __attribute__((visibility("hidden")))
#else
#define GE_ABI_EXPORT
#define GE_ABI_HIDDEN
#endif

namespace ge {
namespace abi {

// ------------------------------------------------------------------ errors

/** Longest prefix of `text` of at most `room` bytes that does not cut a UTF-8 code point.
 *
 *  In text that is not UTF-8 at most three bytes are given up.
 */
inline uint64_t cut_length(std::string_view text, uint64_t room) noexcept {
  if (text.size() <= room) return text.size();
  uint64_t end = room;
  for (int back = 0; back < 3 && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u; ++back) --end;
  if ((static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) return room;  // not UTF-8: cut anywhere
  return end;
}

/** Writes an error block and returns `status`.
 *
 *  `error` may be null. No byte at or behind error->struct_size is written, and none behind the block as known here, so
 *  that callers with an older, shorter and with a newer, longer block are both served. Never allocates, never throws.
 */
inline int32_t set_error(ge_error* error, int32_t status, std::string_view message) noexcept {
  constexpr uint64_t prefix = offsetof(ge_error, message);
  if (error == nullptr) return status;
  const uint64_t size = std::min<uint64_t>(error->struct_size, sizeof(ge_error));
  if (size >= offsetof(ge_error, length)) error->code = status;
  if (size >= offsetof(ge_error, full_length)) error->length = 0;
  if (size >= prefix) error->full_length = message.size();
  if (size <= prefix) return status;
  const uint64_t length = cut_length(message, size - prefix - 1);
  if (length != 0) std::memcpy(error->message, message.data(), length);
  error->message[length] = '\0';
  error->length = length;
  return status;
}

/** Text of an error block after a failed call; empty if the other side wrote none. */
inline std::string error_text(const ge_error& error) {
  constexpr uint64_t prefix = offsetof(ge_error, message);
  const uint64_t room = error.struct_size > prefix ? std::min<uint64_t>(error.struct_size, sizeof(ge_error)) - prefix - 1 : 0;
  return std::string(error.message, static_cast<size_t>(std::min<uint64_t>(error.length, room)));
}

/** A failure with a status. Thrown inside a library, it never leaves a slot; thrown by Table and call() to a consumer. */
class Failure : public std::runtime_error {
 public:
  Failure(int32_t failure_status, const std::string& message) : std::runtime_error(message), status(failure_status) {}
  int32_t status;
};

/** Runs `body` behind the barrier that every slot needs: nothing is thrown out of it.
 *
 *  `body` returns void (success) or an int32_t status. Failure gives its own status, std::bad_alloc NO_MEMORY, anything
 *  else INTERNAL; the error block gets the text.
 */
template <class Body>
int32_t guarded(ge_error* error, Body&& body) noexcept {
  try {
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return GE_STATUS_OK;
    } else {
      return body();
    }
  } catch (const Failure& failure) {
    return set_error(error, failure.status, failure.what());
  } catch (const std::bad_alloc&) {
    return set_error(error, GE_STATUS_NO_MEMORY, "out of memory");
  } catch (const std::exception& exception) {
    return set_error(error, GE_STATUS_INTERNAL, exception.what());
  } catch (...) {
    return set_error(error, GE_STATUS_INTERNAL, "an exception of unknown type");
  }
}

[[noreturn]] inline void invalid(const std::string& message) { throw Failure(GE_STATUS_INVALID_ARGUMENT, message); }

// ------------------------------------------------------------------ argument checks (all throw INVALID_ARGUMENT)

/** A pointer and a count; what std::span is in C++20. */
template <class T>
class Span {
 public:
  Span() = default;
  Span(T* data, size_t size) : data_(data), size_(size) {}
  T* data() const noexcept { return data_; }
  size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T* begin() const noexcept { return data_; }
  T* end() const noexcept { return data_ + size_; }
  T& operator[](size_t i) const noexcept { return data_[i]; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

/** Checks that a pointer to `count` elements can be one: not null unless count is 0, aligned, not longer than memory. */
template <class T>
void require_elements(const T* pointer, uint64_t count, const char* what) {
  if (pointer == nullptr && count != 0) invalid(std::string(what) + " is null but its size is " + std::to_string(count));
  if (reinterpret_cast<uintptr_t>(pointer) % alignof(T) != 0) {
    invalid(std::string(what) + " is not aligned to " + std::to_string(alignof(T)) + " bytes");
  }
  if (count > static_cast<uint64_t>(PTRDIFF_MAX) / sizeof(T)) {
    invalid(std::string(what) + " has size " + std::to_string(count) + ", more than memory can hold");
  }
}

/** The text of a (pointer, size) pair; NULs are legal, the bytes are not checked to be UTF-8. */
inline std::string_view text(const char* pointer, uint64_t size, const char* what) {
  require_elements(pointer, size, what);
  return size == 0 ? std::string_view() : std::string_view(pointer, static_cast<size_t>(size));
}

/** The elements of a (pointer, count) pair. */
template <class T>
Span<const T> view(const T* pointer, uint64_t count, const char* what) {
  require_elements(pointer, count, what);
  return count == 0 ? Span<const T>() : Span<const T>(pointer, static_cast<size_t>(count));
}

/** The bytes of a (pointer, size) pair. */
inline Span<const unsigned char> bytes(const void* pointer, uint64_t size, const char* what) {
  return view(static_cast<const unsigned char*>(pointer), size, what);
}

/** A result pointer: not null, aligned. */
template <class T>
T& require(T* pointer, const char* what) {
  if (pointer == nullptr) invalid(std::string(what) + " is null");
  require_elements(pointer, 1, what);
  return *pointer;
}

/** Writes a borrowed view to a pair of result pointers. */
inline void write_text(const char** pointer, uint64_t* size, std::string_view value, const char* what) {
  require(pointer, what) = value.empty() ? "" : value.data();
  require(size, what) = value.size();
}

/** Writes a borrowed view of bytes to a pair of result pointers. */
inline void write_bytes(const void** pointer, uint64_t* size, const void* data, uint64_t length, const char* what) {
  require(pointer, what) = data;
  require(size, what) = length;
}

/** Refuses flag bits outside `known`. */
inline void require_flags(uint64_t flags, uint64_t known, const char* type, const char* what) {
  if ((flags & ~known) == 0) return;
  char message[192];
  std::snprintf(message, sizeof message, "%s has bits 0x%llx that %s does not define (known: 0x%llx)", what,
                static_cast<unsigned long long>(flags & ~known), type, static_cast<unsigned long long>(known));
  invalid(message);
}

[[noreturn]] inline void throw_unknown_enum(int64_t value, const char* type, const char* what) {
  invalid(std::string(what) + " is " + std::to_string(value) + ", which is no value of " + type);
}

// ------------------------------------------------------------------ size-first structs

/** Generated for each struct of a table: name, least legal struct_size, first reserved field that is not zero. */
template <class T>
struct StructTraits;

namespace detail {

/** The caller's struct_size, checked: never smaller than the struct was in its first minor. */
template <class T>
uint32_t stated_size(const T* pointer, const char* what) {
  uint32_t size = 0;
  if (pointer == nullptr) invalid(std::string(what) + " (" + StructTraits<T>::name + ") is null");
  std::memcpy(&size, pointer, sizeof size);
  // No struct of any minor will be larger; a wild size must not make us read the caller's memory far and wide.
  constexpr uint32_t largest = 4096;
  if (size > largest) {
    invalid(std::string(what) + ".struct_size is " + std::to_string(size) + ", but " + StructTraits<T>::name +
            " never has more than " + std::to_string(largest) + " bytes; set it to sizeof(" + StructTraits<T>::name + ")");
  }
  if (size >= StructTraits<T>::first_size) return size;
  invalid(std::string(what) + ".struct_size is " + std::to_string(size) + ", but " + StructTraits<T>::name +
          " has at least " + std::to_string(StructTraits<T>::first_size) + " bytes; set it to sizeof(" +
          StructTraits<T>::name + ")");
}

}  // namespace detail

/** Reads a struct of the caller, whatever minor the caller was built for.
 *
 *  Fields that the caller does not know are zero. Bytes that this library does not know must be zero, and so must
 *  reserved fields; anything else is INVALID_ARGUMENT, because it would be a request this library cannot honour.
 */
template <class T>
T read_struct(const T* pointer, const char* what) {
  const uint32_t size = detail::stated_size(pointer, what);
  T value{};
  std::memcpy(&value, pointer, std::min<size_t>(size, sizeof(T)));
  const unsigned char* raw = reinterpret_cast<const unsigned char*>(pointer);
  for (size_t i = sizeof(T); i < size; ++i) {
    if (raw[i] != 0) {
      invalid(std::string(what) + " (" + StructTraits<T>::name + ") has a value at byte " + std::to_string(i) +
              ", behind the " + std::to_string(sizeof(T)) + " bytes this library knows: upgrade the library");
    }
  }
  if (const char* field = StructTraits<T>::nonzero_reserved(value)) {
    invalid(std::string(what) + "." + field + " is reserved and must be 0");
  }
  return value;
}

/** Writes a result struct of the caller: struct_size stays the caller's, bytes this library does not know become 0. */
template <class T>
void write_struct(T* pointer, T value, const char* what) {
  const uint32_t size = detail::stated_size(pointer, what);
  std::memcpy(&value, &size, sizeof size);
  std::memcpy(pointer, &value, std::min<size_t>(size, sizeof(T)));
  if (size > sizeof(T)) std::memset(reinterpret_cast<unsigned char*>(pointer) + sizeof(T), 0, size - sizeof(T));
}

// ------------------------------------------------------------------ results into buffers of the caller

/** One `buffer:T` result: (pointer, capacity, count).
 *
 *  Use: build one per result, call announce(needed, a, b, ...) once, then write. announce() writes the needed count to
 *  every buffer first, and only then throws BUFFER_TOO_SMALL, so that the caller learns all counts from one call.
 */
template <class T>
class Buffer {
 public:
  Buffer(T* pointer, uint64_t capacity, uint64_t* count, const char* what)
      : data_(pointer), capacity_(capacity), count_(&require(count, what)), what_(what) {
    require_elements(pointer, capacity, what);
  }
  void set_count(uint64_t needed) noexcept { *count_ = needed; }
  bool fits(uint64_t needed) const noexcept { return needed <= capacity_; }
  T* data() const noexcept { return data_; }
  uint64_t capacity() const noexcept { return capacity_; }
  const char* what() const noexcept { return what_; }
  T& operator[](size_t i) const noexcept { return data_[i]; }

 private:
  T* data_;
  uint64_t capacity_;
  uint64_t* count_;
  const char* what_;
};

/** Writes the needed count to all buffers; throws BUFFER_TOO_SMALL if one of them is too small for it. */
template <class... Buffers>
void announce(uint64_t needed, Buffers&... buffers) {
  (buffers.set_count(needed), ...);
  const auto check = [needed](const auto& buffer) {
    if (buffer.fits(needed)) return;
    throw Failure(GE_STATUS_BUFFER_TOO_SMALL, std::string(buffer.what()) + " needs room for " + std::to_string(needed) +
                                                  ", has " + std::to_string(buffer.capacity()));
  };
  (check(buffers), ...);
}

/** Copies a container to one `buffer:T` result. */
template <class T, class Container>
void write_buffer(T* pointer, uint64_t capacity, uint64_t* count, const Container& values, const char* what) {
  Buffer<T> buffer(pointer, capacity, count, what);
  announce(values.size(), buffer);
  std::copy(values.begin(), values.end(), buffer.data());
}

// ------------------------------------------------------------------ producer: the handshake

namespace detail {

/** Formats the refusal of a handshake. Never allocates. */
template <class... Args>
int32_t refuse(ge_error* error, const char* format, Args... args) noexcept {
  char message[768];
  const int length = std::snprintf(message, sizeof message, format, args...);
  const size_t used = length < 0 ? 0 : std::min<size_t>(static_cast<size_t>(length), sizeof message - 1);
  return set_error(error, GE_STATUS_ABI_MISMATCH, std::string_view(message, used));
}

/** Eight bytes of a magic as text; bytes that do not print become '?'. */
struct MagicText {
  char text[9];
  explicit MagicText(uint64_t magic) noexcept {
    for (int i = 0; i < 8; ++i) {
      const char c = static_cast<char>((magic >> (8 * i)) & 0xff);
      text[i] = c >= 0x20 && c < 0x7f ? c : '?';
    }
    text[8] = '\0';
  }
};

inline int32_t check_sizes(const ge_abi_header& h, uint64_t table_bytes, const char* name, const char* package,
                           ge_error* error) noexcept {
  if (h.header_size != sizeof(ge_abi_header)) {
    return refuse(error, "%s: header_size is %u, must be %zu: the consumer was built with a broken header (library from %s)",
                  name, h.header_size, sizeof(ge_abi_header), package);
  }
  const uint64_t wanted = sizeof(ge_abi_header) + uint64_t{8} * h.slot_count;
  if (h.table_size != wanted) {
    return refuse(error, "%s: table_size is %llu, but a table of %u slots has %llu bytes", name,
                  static_cast<unsigned long long>(h.table_size), h.slot_count, static_cast<unsigned long long>(wanted));
  }
  if (h.table_size > table_bytes) {
    return refuse(error, "%s: table_size is %llu, but only %llu bytes were passed", name,
                  static_cast<unsigned long long>(h.table_size), static_cast<unsigned long long>(table_bytes));
  }
  return GE_STATUS_OK;
}

inline int32_t check_versions(const ge_abi_header& h, const ge_abi_header& own, const char* name, const char* package,
                              ge_error* error) noexcept {
  if (h.abi_minor > own.abi_minor) {
    return refuse(error, "%s: the consumer needs table %u.%u, this library has %u.%u: pip install --upgrade %s", name,
                  h.abi_major, h.abi_minor, own.abi_major, own.abi_minor, package);
  }
  if (h.feature_bits != 0) {
    return refuse(error, "%s: the consumer asks for features 0x%llx, this library takes none: pip install --upgrade %s",
                  name, static_cast<unsigned long long>(h.feature_bits), package);
  }
  if (h.platform_tag == nullptr) return refuse(error, "%s: platform_tag is null, must be \"%s\"", name, own.platform_tag);
  if (std::strcmp(h.platform_tag, own.platform_tag) != 0) {
    return refuse(error,
                  "%s: the consumer's platform is \"%.64s\", this library's is \"%s\": install builds of one kind "
                  "(pip install --upgrade --force-reinstall %s)",
                  name, h.platform_tag, own.platform_tag, package);
  }
  return GE_STATUS_OK;
}

}  // namespace detail

/** Body of every getter: checks the consumer's table, then copies the slots that both sides know.
 *
 *  Nothing but the header is read, and nothing is written, before every check has passed. `own` is the library's own
 *  table; `name` and `package` are for the messages.
 */
inline int32_t fill_table(void* table, uint64_t table_bytes, const void* own, const char* name, const char* package,
                          ge_error* error) noexcept {
  ge_abi_header mine, h;
  std::memcpy(&mine, own, sizeof mine);
  if (table == nullptr) return set_error(error, GE_STATUS_INVALID_ARGUMENT, "table is null");
  if (table_bytes < sizeof h) {
    return detail::refuse(error, "%s: the table has %llu bytes, its header alone needs %zu", name,
                          static_cast<unsigned long long>(table_bytes), sizeof h);
  }
  std::memcpy(&h, table, sizeof h);
  if (h.magic != mine.magic) {
    return detail::refuse(error, "%s: magic is \"%s\", must be \"%s\": this is not a %s table", name,
                          detail::MagicText(h.magic).text, detail::MagicText(mine.magic).text, name);
  }
  if (h.abi_major != mine.abi_major) {
    return detail::refuse(error, "%s: the consumer needs table major %u, this library has %u: pip install --upgrade %s", name,
                          h.abi_major, mine.abi_major, package);
  }
  if (const int32_t status = detail::check_sizes(h, table_bytes, name, package, error)) return status;
  if (const int32_t status = detail::check_versions(h, mine, name, package, error)) return status;
  h.abi_minor = mine.abi_minor;
  h.feature_bits = mine.feature_bits;
  h.platform_tag = mine.platform_tag;
  std::memcpy(table, &h, sizeof h);
  std::memcpy(static_cast<unsigned char*>(table) + sizeof h, static_cast<const unsigned char*>(own) + sizeof h,
              size_t{8} * std::min(h.slot_count, mine.slot_count));
  return GE_STATUS_OK;
}

// ------------------------------------------------------------------ consumer

/** Calls a slot (or a callback) with an error block of its own; throws Failure with its text if it fails. */
template <class Function, class... Args>
void call(Function* function, Args... args) {
  ge_error error;
  ge_error_init(&error);
  const int32_t status = function(args..., &error);
  if (status != GE_STATUS_OK) throw Failure(status, error_text(error));
}

/** A consumer's own copy of a table: `Table<ge_ir_api> ir(getter);` then `call(ir->graph_create, ...)`.
 *
 *  Include <table>_stubs.h. The constructor throws Failure when the handshake is refused. An unbound table is filled
 *  with stubs: its slots return UNIMPLEMENTED, none is ever null.
 */
template <class Api>
class Table {
 public:
  Table() { ge_abi_table_init(&api_); }
  explicit Table(ge_abi_getter getter) : Table() { bind(getter); }

  /** Does the handshake; throws Failure and leaves the table as it was if it is refused. */
  void bind(ge_abi_getter getter) {
    if (getter == nullptr) {
      throw Failure(GE_STATUS_INVALID_ARGUMENT, std::string(ge_abi_table_name(&api_)) + ": the getter is null");
    }
    Api fresh;
    ge_abi_table_init(&fresh);
    call(getter, static_cast<void*>(&fresh), static_cast<uint64_t>(sizeof fresh));
    api_ = fresh;
    bound_ = true;
  }
  bool bound() const noexcept { return bound_; }
  const Api* operator->() const noexcept { return &api_; }
  const Api& operator*() const noexcept { return api_; }

 private:
  Api api_;
  bool bound_ = false;
};

}  // namespace abi
}  // namespace ge

#endif
