#pragma once
// vfork without a C library: the child runs on the caller's memory and stack, and the caller sleeps
// until the child has executed another program or ended. Returns twice: 0 in the child, then the
// child's id, or -errno. The child must not return from the calling function.
//
// Not an ordinary function: the child's next calls would overwrite the return address on the stack,
// so it is kept in a register, which the caller gets back untouched.
extern "C" long cove_vfork() __attribute__((returns_twice, visibility("hidden")));

#if defined(__x86_64__)
asm(R"(
.pushsection .text
.hidden cove_vfork
.type cove_vfork, @function
cove_vfork:
  pop %rdi
  mov $58, %eax
  syscall
  push %rdi
  ret
.size cove_vfork, .-cove_vfork
.popsection
)");
#elif defined(__aarch64__)
asm(R"(
.pushsection .text
.hidden cove_vfork
.type cove_vfork, %function
cove_vfork:
  mov x8, #220
  mov x0, #0x4111
  mov x1, #0
  mov x2, #0
  mov x3, #0
  mov x4, #0
  svc 0
  ret
.size cove_vfork, .-cove_vfork
.popsection
)");
#endif
