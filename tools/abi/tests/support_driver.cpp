// Checks ge_abi_support.hpp with the fixture table; prints one line per failed expectation.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "ge_fx_slots.h"
#include "ge_fx_stubs.h"

namespace {

using namespace ge::abi;
int failures = 0;

#define EXPECT(condition) \
  do { if (!(condition)) { ++failures; std::printf("line %d: %s\n", __LINE__, #condition); } } while (false)

/** Status and text of what a body throws; status 0 if it does not. */
template <class Body>
std::pair<int32_t, std::string> outcome(Body&& body) {
  ge_error error;
  ge_error_init(&error);
  const int32_t status = guarded(&error, body);
  return {status, status == 0 ? std::string() : error_text(error)};
}

template <class Body>
bool invalid_with(const char* part, Body&& body) {
  const auto result = outcome(body);
  const bool good = result.first == GE_STATUS_INVALID_ARGUMENT && result.second.find(part) != std::string::npos;
  if (!good) std::printf("  got %d: %s\n", result.first, result.second.c_str());
  return good;
}

void test_set_error_respects_every_size() {
  const std::string text = "ab\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80!";  // 1, 1, 2, 3, 4 and 1 bytes
  const std::vector<uint64_t> edges = {0, 1, 2, 4, 7, 11, 12};
  for (uint32_t size = 0; size <= 64; ++size) {
    std::vector<unsigned char> block(std::max<size_t>(size, 4));
    std::fill(block.begin(), block.end(), static_cast<unsigned char>(0xA5));
    std::memcpy(block.data(), &size, 4);
    // Exactly allocated: a byte written behind the stated size is found by the sanitizer.
    EXPECT(set_error(reinterpret_cast<ge_error*>(block.data()), 7, text) == 7);
    if (size < 25) continue;
    uint64_t length = 0, full = 0;
    std::memcpy(&length, block.data() + 8, 8);
    std::memcpy(&full, block.data() + 16, 8);
    uint64_t expected = 0;
    for (const uint64_t edge : edges) if (edge <= size - 25) expected = edge;
    EXPECT(length == expected && full == text.size());
    EXPECT(std::memcmp(block.data() + 24, text.data(), length) == 0 && block[24 + length] == 0);
  }
}

void test_set_error_with_longer_blocks_and_texts() {
  std::vector<uint64_t> memory(8192 / 8, 0xA5A5A5A5A5A5A5A5u);
  auto* error = reinterpret_cast<ge_error*>(memory.data());
  error->struct_size = 8192;
  set_error(error, 3, std::string(10000, 'x'));
  EXPECT(error->length == 4071 && error->full_length == 10000 && error->message[4071] == 0);
  EXPECT(memory[4096 / 8] == 0xA5A5A5A5A5A5A5A5u);
  const std::string with_nul("a\0b", 3);
  ge_error_init(error);
  set_error(error, 3, with_nul);
  EXPECT(error_text(*error) == with_nul);
  EXPECT(set_error(nullptr, 5, "text") == 5);
  const std::string not_utf8(5000, '\x80');
  set_error(error, 3, not_utf8);
  EXPECT(error->length == 4071);
}

void test_guarded() {
  struct Custom {};
  EXPECT(outcome([] {}).first == GE_STATUS_OK);
  EXPECT(outcome([]() -> int32_t { return GE_STATUS_NOT_FOUND; }).first == GE_STATUS_NOT_FOUND);
  EXPECT((outcome([] { throw Failure(GE_STATUS_CYCLE, "loop"); }) == std::pair<int32_t, std::string>(GE_STATUS_CYCLE, "loop")));
  EXPECT(outcome([] { throw std::bad_alloc(); }).first == GE_STATUS_NO_MEMORY);
  EXPECT((outcome([] { throw std::logic_error("x"); }) == std::pair<int32_t, std::string>(GE_STATUS_INTERNAL, "x")));
  EXPECT(outcome([] { throw 5; }).first == GE_STATUS_INTERNAL);
  EXPECT(outcome([] { throw Custom(); }).first == GE_STATUS_INTERNAL);
  EXPECT(guarded(nullptr, [] { throw 5; }) == GE_STATUS_INTERNAL);
}

void test_views() {
  alignas(8) unsigned char raw[16] = {};
  EXPECT(text(nullptr, 0, "t").empty() && text("a\0b", 3, "t").size() == 3);
  EXPECT(invalid_with("name is null but its size is 4", [] { text(nullptr, 4, "name"); }));
  EXPECT(invalid_with("more than memory can hold", [&] { text("x", UINT64_MAX, "name"); }));
  EXPECT(invalid_with("more than memory can hold", [&] { view(reinterpret_cast<int64_t*>(raw), UINT64_MAX / 8, "n"); }));
  EXPECT(invalid_with("n is not aligned to 8", [&] { view(reinterpret_cast<int64_t*>(raw + 1), 1, "n"); }));
  EXPECT(invalid_with("out is null", [] { require(static_cast<uint64_t*>(nullptr), "out"); }));
  EXPECT(bytes(raw, 16, "b").size() == 16);
  EXPECT(invalid_with("mode has bits 0x8 that ge_fx_mode does not define (known: 0x3)", [] { ge_fx_mode_require(9, "mode"); }));
  EXPECT(invalid_with("color is 6, which is no value of ge_fx_color", [] { ge_fx_color_require(6, "color"); }));
  EXPECT(outcome([] { ge_fx_color_require(5, "color"); ge_fx_mode_require(3, "mode"); }).first == 0);
  EXPECT(std::string(ge_fx_color_name(GE_FX_COLOR_BLUE)) == "BLUE" && ge_fx_color_name(-1) == nullptr);
}

/** A point of exactly `size` bytes on the heap, so that a read behind it is found by the sanitizer. */
struct Sized {
  explicit Sized(uint32_t size, unsigned char fill = 0) : data(static_cast<unsigned char*>(std::malloc(size < 4 ? 4 : size))) {
    std::memset(data, fill, size < 4 ? 4 : size);
    std::memcpy(data, &size, 4);
  }
  Sized(const Sized&) = delete;
  Sized& operator=(const Sized&) = delete;
  ~Sized() { std::free(data); }
  ge_fx_point* point() const { return reinterpret_cast<ge_fx_point*>(data); }
  unsigned char* data;
};

void test_read_struct() {
  constexpr uint32_t first = 48, own = 56;
  EXPECT(StructTraits<ge_fx_point>::first_size == first && sizeof(ge_fx_point) == own);
  for (uint32_t size = 0; size < first; ++size) {
    const Sized small(size);
    EXPECT(invalid_with("struct_size", [&] { read_struct(small.point(), "point"); }));
  }
  const Sized old(first);
  old.point()->x = 2.5;
  EXPECT(outcome([&] {
    const ge_fx_point value = read_struct(old.point(), "point");
    if (value.x != 2.5 || value.y != 0) invalid("fields");
  }).first == 0);
  const Sized newer(own + 16);
  EXPECT(outcome([&] { read_struct(newer.point(), "point"); }).first == 0);
  newer.data[own + 15] = 1;
  EXPECT(invalid_with("has a value at byte 71", [&] { read_struct(newer.point(), "point"); }));
  const Sized poisoned(own, 0xA5);
  EXPECT(invalid_with("point.reserved0 is reserved and must be 0", [&] { read_struct(poisoned.point(), "point"); }));
  EXPECT(invalid_with("is null", [] { read_struct(static_cast<ge_fx_point*>(nullptr), "point"); }));
  // A wild size is refused before a byte behind the caller's struct is read; the sanitizer would see it.
  const Sized wild(first);
  wild.point()->struct_size = 0xffffffffu;
  EXPECT(invalid_with("struct_size is 4294967295", [&] { read_struct(wild.point(), "point"); }));
  EXPECT(invalid_with("never has more than 4096 bytes", [&] { write_struct(wild.point(), ge_fx_point{}, "point"); }));
}

void test_write_struct() {
  ge_fx_point value{};
  value.x = 1;
  value.y = 2;
  const Sized old(48, 0xA5), newer(72, 0xA5), small(8);
  write_struct(old.point(), value, "point");
  EXPECT(old.point()->struct_size == 48 && old.point()->x == 1);
  write_struct(newer.point(), value, "point");
  EXPECT(newer.point()->struct_size == 72 && newer.point()->y == 2 && newer.data[56] == 0 && newer.data[71] == 0);
  EXPECT(invalid_with("struct_size is 8", [&] { write_struct(small.point(), value, "point"); }));
}

void test_buffers() {
  uint64_t a[2] = {}, count = 99, other = 99;
  double b[4] = {};
  const auto fill = [&](uint64_t* pointer, uint64_t capacity, uint64_t needed) {
    return outcome([&] {
      Buffer<uint64_t> first(pointer, capacity, &count, "nodes");
      Buffer<double> second(b, 4, &other, "weights");
      announce(needed, first, second);
    });
  };
  EXPECT(fill(a, 2, 2).first == 0 && count == 2 && other == 2);
  EXPECT((fill(a, 2, 3) == std::pair<int32_t, std::string>(GE_STATUS_BUFFER_TOO_SMALL, "nodes needs room for 3, has 2")));
  EXPECT(count == 3 && other == 3);
  EXPECT(fill(nullptr, 0, 4).first == GE_STATUS_BUFFER_TOO_SMALL && count == 4);
  EXPECT(fill(nullptr, 0, 0).first == 0);
  EXPECT(invalid_with("nodes is null but its size is 5", [&] { Buffer<uint64_t>(nullptr, 5, &count, "nodes"); }));
  EXPECT(invalid_with("nodes is null", [&] { Buffer<uint64_t>(a, 2, nullptr, "nodes"); }));
  EXPECT(outcome([&] { write_buffer(a, 2, &count, std::vector<uint64_t>{4, 5}, "nodes"); }).first == 0 && a[1] == 5);
}

void test_stubs_and_table() {
  Table<ge_fx_api> table;
  const auto is_unimplemented = [&](const char* slot, const std::pair<int32_t, std::string>& result) {
    return result.first == GE_STATUS_UNIMPLEMENTED && result.second.find(std::string("ge_fx.") + slot) == 0 &&
           result.second.find("pip install --upgrade ge-fx") != std::string::npos;
  };
  EXPECT(!table.bound());
  EXPECT(is_unimplemented("close", outcome([&] { call(table->close, uint64_t{1}); })));
  EXPECT(is_unimplemented("bind", outcome([&] { call(table->bind, ge_abi_getter{}); })));
  EXPECT(table->close(1, nullptr) == GE_STATUS_UNIMPLEMENTED);
  // Every size of the caller's error block is respected by stubs too.
  for (uint32_t size = 0; size <= 128; ++size) {
    const Sized block(size, 0xA5);
    EXPECT(table->close(1, reinterpret_cast<ge_error*>(block.data)) == GE_STATUS_UNIMPLEMENTED);
  }
  EXPECT(invalid_with("ge_fx: the getter is null", [&] { table.bind(nullptr); }));
  const ge_abi_getter refusing = [](void*, uint64_t, ge_error* error) -> int32_t {
    return set_error(error, GE_STATUS_ABI_MISMATCH, "no");
  };
  EXPECT((outcome([&] { table.bind(refusing); }) == std::pair<int32_t, std::string>(GE_STATUS_ABI_MISMATCH, "no")));
  EXPECT(!table.bound() && table->close(1, nullptr) == GE_STATUS_UNIMPLEMENTED);
}

}  // namespace

int main() {
  test_set_error_respects_every_size();
  test_set_error_with_longer_blocks_and_texts();
  test_guarded();
  test_views();
  test_read_struct();
  test_write_struct();
  test_buffers();
  test_stubs_and_table();
  return failures == 0 ? 0 : 1;
}
