#pragma once
// Leaving early. An interpreter that ends takes itself apart object by object, which costs more
// than a small program's whole run and can be seen by nobody, unless an object has something to do
// when it goes: then it is done the ordinary way.
#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace cove::sandbox {

// arm(weakref type) -> bool: from here on every SystemExit is noticed. Once, in the zygote. False
// where this interpreter is not built as expected: then nothing is ever skipped.
PyObject* arm_fast_exit(PyObject*, PyObject* reference);

// at_exit(leave, unfreeze): what the interpreter calls last. Calls `leave`, unless somebody traces
// and would see it: a trace function is not told of C. The functions come as arguments, because a
// reference that is kept here would keep the program's own objects from being finalised.
PyObject* at_exit(PyObject*, PyObject* arguments);

// exit_seen() -> bool: the exit code may be other than 0.
PyObject* exit_seen(PyObject*, PyObject*);

// quiet(objects) -> bool: none of these does anything visible when it is destroyed.
PyObject* all_quiet(PyObject*, PyObject* objects);

// leave(): ends the process with code 0, C's buffers flushed.
PyObject* leave_now(PyObject*, PyObject*);

}  // namespace cove::sandbox
