/* The helper's program as data. COVE_INIT_PATH is the freshly linked cove-init. */
    .section .rodata
    .globl cove_init_begin
    .globl cove_init_end
    .balign 16
cove_init_begin:
    .incbin COVE_INIT_PATH
cove_init_end:
    .byte 0
    .section .note.GNU-stack,"",%progbits
