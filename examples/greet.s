# Says hello to its first argument, with nothing but system calls.
.globl _start
_start:
  lea greeting(%rip), %rsi
  call print
  mov 16(%rsp), %rsi          # argv[1]
  test %rsi, %rsi
  jz done
  call print
done:
  lea newline(%rip), %rsi
  call print
  mov $60, %eax               # exit(0)
  xor %edi, %edi
  syscall

print:                        # write(1, rsi, strlen(rsi))
  xor %edx, %edx
next:
  cmpb $0, (%rsi, %rdx)
  je found
  inc %rdx
  jmp next
found:
  mov $1, %eax
  mov $1, %edi
  syscall
  ret

greeting: .asciz "hello, "
newline: .asciz "\n"
