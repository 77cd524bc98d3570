// The functions of the Python module ge.passes._bridge, found once and called with numbers.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ge::bridge {

// A pass as the Python side describes it.
struct PassDescription {
  std::string name, key, stage, kind;
  std::vector<std::string> op_types;
};

// All members need the interpreter lock. A Python exception is thrown as Failure{CALLBACK_FAILED} with the text that
// the Python side makes of it.
class PythonSide {
 public:
  // Imports the module and finds its functions. Nothing if that was done and not undone.
  void load();
  // Drops every reference.
  void unload() noexcept;
  bool loaded() const noexcept { return module_ != nullptr; }

  // Refuses if Python uses other native libraries than the caller.
  void check_libraries(std::uint64_t ir_getter, std::uint64_t passes_getter);
  // Runs discovery; passes that are not registered yet.
  std::vector<PassDescription> descriptions(bool strict);
  std::string report();
  void create(std::uint64_t instance, const std::string& key);
  void destroy(std::uint64_t instance) noexcept;
  void run(std::uint64_t instance, std::uint64_t graph, std::uint64_t context);
  std::vector<std::uint64_t> patterns(std::uint64_t instance);
  bool meet(std::uint64_t instance, std::uint64_t subject, std::uint64_t context);
  std::uint64_t replacement(std::uint64_t instance, std::uint64_t subject, std::uint64_t context);
  // Ends all pass objects and forgets the plug-in modules.
  void clear();

 private:
  PyObject* find(const char* name);
  PyObject* checked(PyObject* result);
  PyObject* call(PyObject* function, std::uint64_t a, std::uint64_t b, std::uint64_t c);
  [[noreturn]] void fail();

  // Borrowed from nobody and given up in unload(): raw, because nothing here may touch Python at process end.
  PyObject* module_ = nullptr;
  PyObject* run_ = nullptr;
  PyObject* meet_ = nullptr;
  PyObject* replacement_ = nullptr;
};

}  // namespace ge::bridge
