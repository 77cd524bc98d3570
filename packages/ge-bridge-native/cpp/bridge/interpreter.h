// The interpreter behind the bridge: joined if the process has one, else started; checked before anything else.
#pragma once

#include <cstdint>
#include <string>

namespace ge::bridge {

// State of the interpreter as the bridge sees it.
struct Running {
  bool initialized = false;
  int major = 0;
  int minor = 0;
};

// What the process runs; touches nothing but Py_GetVersion and Py_IsInitialized.
Running running_interpreter() noexcept;

// Throws Failure{ABI_MISMATCH}, naming both, unless the process's CPython is what this library was built for
// (minor version and kind of threading).
void check_interpreter();

// Starts the interpreter of that executable and gives up its lock. Throws Failure with CPython's reason.
void start_interpreter(const std::string& executable);

// Takes the lock back on the thread that started the interpreter and finalises it.
void finish_interpreter();

// Initialises nanobind for this library. Needs the interpreter lock; throws Failure.
void initialise_nanobind();

// Imports the extension module from a file, first of all users. Needs the interpreter lock; throws a Python error.
void import_extension(const std::string& path);

// Holds the interpreter lock while it lives; the interpreter must be initialised.
class Locked {
 public:
  Locked();
  ~Locked();
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  int state_;
};

}  // namespace ge::bridge
