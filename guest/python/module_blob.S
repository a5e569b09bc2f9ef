/* The Python extension as data. COVE_MODULE_PATH is the freshly linked module. */
    .section .rodata
    .globl cove_python_module_begin
    .globl cove_python_module_end
    .balign 16
cove_python_module_begin:
    .incbin COVE_MODULE_PATH
cove_python_module_end:
    .byte 0
    .section .note.GNU-stack,"",%progbits
