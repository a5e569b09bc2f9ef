#include "fast_exit.h"

#include "sandbox/raw/raw_syscalls.h"

// Found in whatever C library the interpreter has; neither is linked here.
extern "C" int fflush(FILE*) __attribute__((weak));
extern "C" const char* PyUnicode_AsUTF8AndSize(PyObject*, Py_ssize_t*);  // stable from 3.10 on

namespace cove::sandbox {
namespace {

using raw::call;

constexpr Py_ssize_t kMostObjects = 100'000;
constexpr int kTypeWords = 56;  // a PyTypeObject's fields, as far as they are looked at
constexpr int kKnownTypes = 512;

using Function = PyObject* (*)(PyObject*, void*, long);
using Init = int (*)(PyObject*, PyObject*, PyObject*);

bool seen = false;
Function original_exit = nullptr;
Init original_init = nullptr;
void* python_dealloc = nullptr;  // what every class written in Python is destroyed with

PyObject* watched_exit(PyObject* self, void* args, long count) {
  seen = true;
  return original_exit(self, args, count);
}

int watched_init(PyObject* self, PyObject* args, PyObject* kwargs) {
  seen = true;
  return original_init(self, args, kwargs);
}

// Writes a pointer without risking a fault where the memory is read-only.
bool poke(void* where, void* value) {
  struct Vector {
    void* base;
    unsigned long size;
  } from = {&value, sizeof value}, to = {where, sizeof value};
  return call(SYS_process_vm_writev, call(SYS_getpid), &from, 1, &to, 1, 0) == sizeof value;
}

// sys.exit may set an exception without making an object of it, so the function itself is watched.
bool watch_sys_exit() {
  PyObject* function = PySys_GetObject("exit");  // borrowed
  if (function == nullptr || !PyCFunction_Check(function)) return false;
  auto* definition = reinterpret_cast<PyMethodDef**>(function)[2];  // behind the object's head
  void* now = reinterpret_cast<void*>(PyCFunction_GetFunction(function));
  if (definition == nullptr || reinterpret_cast<void*>(definition->ml_meth) != now) return false;
  original_exit = reinterpret_cast<Function>(now);
  return poke(&definition->ml_meth, reinterpret_cast<void*>(&watched_exit));
}

// The slot's place follows from its value: the layout is not part of the stable ABI.
bool watch_system_exit() {
  auto* type = reinterpret_cast<PyTypeObject*>(PyExc_SystemExit);
  void* init = PyType_GetSlot(type, Py_tp_init);
  if (init == nullptr) {
    PyErr_Clear();
    return false;
  }
  auto** words = reinterpret_cast<void**>(type);
  void** place = nullptr;
  for (int i = 2; i < kTypeWords; ++i) {
    if (words[i] != init) continue;
    if (place != nullptr) return false;
    place = &words[i];
  }
  original_init = reinterpret_cast<Init>(init);
  return place != nullptr && poke(place, reinterpret_cast<void*>(&watched_init));
}

bool learn_python_dealloc() {
  PyObject* sample =
      PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(){}", "Sample");
  if (sample == nullptr) {
    PyErr_Clear();
    return false;
  }
  python_dealloc = PyType_GetSlot(reinterpret_cast<PyTypeObject*>(sample), Py_tp_dealloc);
  Py_DecRef(sample);
  return python_dealloc != nullptr;
}

// C types that only free memory when they go, by the module that they say they are from.
bool is_harmless_module(const char* name, Py_ssize_t size) {
  static constexpr const char* kModules[] = {"builtins",
                                             "collections",
                                             "functools",
                                             "itertools",
                                             "operator",
                                             "_operator",
                                             "re",
                                             "_abc",
                                             "types",
                                             "_json",
                                             "_struct",
                                             "_thread",
                                             "_random",
                                             "datetime",
                                             "decimal",
                                             "_collections_abc",
                                             "string",
                                             "typing",
                                             "_typing",
                                             "enum",
                                             "_contextvars",
                                             "_weakref",
                                             "weakref",
                                             "_frozen_importlib",
                                             "_frozen_importlib_external",
                                             "_collections",
                                             "_functools",
                                             "_sre",
                                             "_decimal",
                                             "_datetime",
                                             "_bisect",
                                             "_heapq",
                                             "_string"};
  for (const char* module : kModules) {
    if (raw::length(module) != size) continue;
    Py_ssize_t i = 0;
    while (i < size && module[i] == name[i]) ++i;
    if (i == size) return true;
  }
  return false;
}

bool from_harmless_module(PyTypeObject* type) {
  PyObject* module = PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__module__");
  bool harmless = false;
  Py_ssize_t size = 0;
  const char* name = module != nullptr && PyUnicode_Check(module)
                         ? PyUnicode_AsUTF8AndSize(module, &size)
                         : nullptr;
  if (name != nullptr) harmless = is_harmless_module(name, size);
  if (module != nullptr) Py_DecRef(module);
  PyErr_Clear();
  return harmless;
}

bool has_slot(PyTypeObject* type, int slot) {
  void* function = PyType_GetSlot(type, slot);
  if (function == nullptr) PyErr_Clear();
  return function != nullptr;
}

// No instance of the type does anything when it is destroyed.
bool is_quiet_type(PyTypeObject* type) {
  if (has_slot(type, Py_tp_finalize) || has_slot(type, Py_tp_del)) return false;
  // A class of Python's own making hands over to the C type that it is built on.
  while (PyType_GetSlot(type, Py_tp_dealloc) == python_dealloc) {
    auto* base = static_cast<PyTypeObject*>(PyType_GetSlot(type, Py_tp_base));
    if (base == nullptr) break;
    type = base;
  }
  PyErr_Clear();
  return from_harmless_module(type);
}

// Types met so far, so that each is judged once.
struct Known {
  PyTypeObject* types[kKnownTypes];
  bool quiet[kKnownTypes];
};
Known known;

bool type_is_quiet(PyTypeObject* type) {
  const auto slot = (reinterpret_cast<unsigned long>(type) >> 4U) % kKnownTypes;
  if (known.types[slot] != type) {
    known.types[slot] = type;
    known.quiet[slot] = is_quiet_type(type);
  }
  return known.quiet[slot];
}

// A weak reference is quiet unless Python code waits for its end.
bool reference_is_quiet(PyObject* object) {
  PyObject* callback = PyObject_GetAttrString(object, "__callback__");
  const bool quiet = callback != nullptr && (callback == Py_None || PyCFunction_Check(callback));
  if (callback != nullptr) Py_DecRef(callback);
  PyErr_Clear();
  return quiet;
}

// Instances of a class without cycle collection are not among the objects: its class tells. And a
// class derived from SystemExit may have been raised without our noticing.
bool class_is_quiet(PyObject* object) {
  auto* type = reinterpret_cast<PyTypeObject*>(object);
  if (PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(PyExc_SystemExit)) != 0) return false;
  if ((PyType_GetFlags(type) & Py_TPFLAGS_HAVE_GC) != 0) return true;
  return !has_slot(type, Py_tp_finalize) && !has_slot(type, Py_tp_del);
}

PyTypeObject* reference_type = nullptr;

// Whether sys.gettrace() or sys.getprofile() gives a function.
bool is_set(const char* getter) {
  PyObject* function = PySys_GetObject(getter);  // borrowed
  PyObject* value = function == nullptr ? nullptr : PyObject_CallObject(function, nullptr);
  const bool set = value != nullptr && value != Py_None;
  if (value != nullptr) Py_DecRef(value);
  PyErr_Clear();
  return set;
}

bool is_quiet(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (type == reference_type) return reference_is_quiet(object);
  if (!type_is_quiet(type)) return false;
  return !PyType_Check(object) || class_is_quiet(object);
}

}  // namespace

PyObject* arm_fast_exit(PyObject*, PyObject* reference) {
  reference_type = reinterpret_cast<PyTypeObject*>(reference);
  const bool ready = learn_python_dealloc() && watch_system_exit() && watch_sys_exit();
  return PyBool_FromLong(ready ? 1 : 0);
}

PyObject* at_exit(PyObject*, PyObject* arguments) {
  PyObject* leave = nullptr;
  PyObject* unfreeze = nullptr;
  if (PyArg_ParseTuple(arguments, "OO", &leave, &unfreeze) == 0) return nullptr;
  const bool traced = is_set("gettrace") || is_set("getprofile");
  return PyObject_CallObject(traced ? unfreeze : leave, nullptr);
}

PyObject* exit_seen(PyObject*, PyObject*) {
  return PyBool_FromLong(seen ? 1 : 0);
}

PyObject* all_quiet(PyObject*, PyObject* objects) {
  const Py_ssize_t count = PyList_Size(objects);
  if (count < 0 || count > kMostObjects) return PyBool_FromLong(0);
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!is_quiet(PyList_GetItem(objects, i))) return PyBool_FromLong(0);
  }
  return PyBool_FromLong(1);
}

PyObject* leave_now(PyObject*, PyObject*) {
  if (fflush != nullptr) fflush(nullptr);
  raw::exit_now(0);
}

}  // namespace cove::sandbox
