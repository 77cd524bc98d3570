#include "ge_runtime/elf_file.h"

#include <elf.h>

#include <cstring>

namespace ge::runtime {
namespace {

// Bounds-checked view of the file.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::string_view slice(std::uint64_t offset, std::uint64_t size, const char* what) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) {
      throw ElfError(std::string(what) + " at offset " + std::to_string(offset) + " with " + std::to_string(size) +
                     " bytes lies outside the file of " + std::to_string(bytes_.size()) + " bytes");
    }
    return bytes_.substr(offset, size);
  }

  template <typename T>
  T read(std::uint64_t offset, const char* what) const {
    T value;
    std::memcpy(&value, slice(offset, sizeof(T), what).data(), sizeof(T));
    return value;
  }

  // NUL-terminated text inside a string table.
  std::string text(std::string_view table, std::uint64_t offset) const {
    if (offset >= table.size()) throw ElfError("a name lies outside its string table");
    const std::size_t end = table.find('\0', offset);
    if (end == std::string_view::npos) throw ElfError("a name has no end");
    return std::string(table.substr(offset, end - offset));
  }

 private:
  std::string_view bytes_;
};

Elf64_Ehdr read_header(const Reader& reader) {
  const auto header = reader.read<Elf64_Ehdr>(0, "the ELF header");
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) throw ElfError("not an ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64) throw ElfError("not a 64-bit ELF file");
  if (header.e_ident[EI_DATA] != ELFDATA2LSB) throw ElfError("not a little-endian ELF file");
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0) throw ElfError("no section headers");
  return header;
}

std::vector<Elf64_Shdr> read_sections(const Reader& reader, const Elf64_Ehdr& header) {
  std::vector<Elf64_Shdr> sections;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    sections.push_back(reader.read<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr), "a section header"));
  }
  return sections;
}

std::string_view string_table(const Reader& reader, const std::vector<Elf64_Shdr>& sections, std::uint32_t index) {
  if (index >= sections.size()) throw ElfError("a section names a string table that does not exist");
  return reader.slice(sections[index].sh_offset, sections[index].sh_size, "a string table");
}

void read_needed(const Reader& reader, const std::vector<Elf64_Shdr>& sections, const Elf64_Shdr& section,
                 ElfFile& file) {
  const std::string_view names = string_table(reader, sections, section.sh_link);
  reader.slice(section.sh_offset, section.sh_size, "the dynamic section");
  for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= section.sh_size; at += sizeof(Elf64_Dyn)) {
    const auto entry = reader.read<Elf64_Dyn>(section.sh_offset + at, "a dynamic entry");
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_NEEDED) file.needed.push_back(reader.text(names, entry.d_un.d_val));
  }
}

void read_note(const Reader& reader, const Elf64_Shdr& section, ElfFile& file) {
  constexpr std::uint64_t kHead = 12;
  const auto note = reader.slice(section.sh_offset, section.sh_size, "the artifact note");
  const auto name_size = reader.read<std::uint32_t>(section.sh_offset, "the artifact note");
  const auto size = reader.read<std::uint32_t>(section.sh_offset + 4, "the artifact note");
  const auto type = reader.read<std::uint32_t>(section.sh_offset + 8, "the artifact note");
  if (type != 1 || name_size != 3 || note.size() < kHead + 4 || note.substr(kHead, 3) != std::string_view("GE\0", 3)) {
    throw ElfError("the artifact note has another owner or type");
  }
  file.artifact_note = std::string(reader.slice(section.sh_offset + kHead + 4, size, "the artifact note"));
}

}  // namespace

ElfFile ElfFile::parse(std::string_view bytes) {
  const Reader reader(bytes);
  const Elf64_Ehdr header = read_header(reader);
  ElfFile file;
  file.type = header.e_type;
  file.machine = header.e_machine;
  const std::vector<Elf64_Shdr> sections = read_sections(reader, header);
  const std::string_view names = string_table(reader, sections, header.e_shstrndx);
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type == SHT_DYNAMIC) read_needed(reader, sections, section, file);
    if (section.sh_type == SHT_NOTE && reader.text(names, section.sh_name) == ".note.ge.artifact") {
      read_note(reader, section, file);
    }
  }
  return file;
}

std::uint16_t ElfFile::native_machine() {
#if defined(__x86_64__)
  return EM_X86_64;
#elif defined(__aarch64__)
  return EM_AARCH64;
#else
#error "unknown machine: add its ELF number here"
#endif
}

std::string ElfFile::machine_name(std::uint16_t machine) {
  if (machine == EM_X86_64) return "x86_64";
  if (machine == EM_AARCH64) return "aarch64";
  return "ELF machine " + std::to_string(machine);
}

}  // namespace ge::runtime
