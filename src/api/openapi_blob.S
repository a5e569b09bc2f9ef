/* The OpenAPI document as data. COVE_OPENAPI_PATH is src/api/openapi.json. */
    .section .rodata
    .globl cove_openapi_begin
    .globl cove_openapi_end
    .balign 16
cove_openapi_begin:
    .incbin COVE_OPENAPI_PATH
cove_openapi_end:
    .byte 0
    .section .note.GNU-stack,"",%progbits
