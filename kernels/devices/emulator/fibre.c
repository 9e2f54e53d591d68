/* A fibre: a stack that runs until it switches away, continued by switching back. */
#include "kernels/devices/emulator/fibre.h"

#include <stdint.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>

/* A fibre that was left for good leaves marks of its frames behind, even where its memory is mapped
 * anew. */
void tess_fibre_forget(void *memory, size_t size) {
    __asan_unpoison_memory_region(memory, size);
}
#else
void tess_fibre_forget(void *memory, size_t size) {
    (void)memory, (void)size;
}
#endif

/* TESS_FIBRE_UCONTEXT: tests ask for the way of all other machines on this one. */
#if defined(TESS_FIBRE_UCONTEXT) || !(defined(__x86_64__) || defined(__aarch64__))

#include <ucontext.h>

/* makecontext passes ints: the pointers travel in halves. */
static void fibre_enter(unsigned entry_high, unsigned entry_low, unsigned argument_high,
                        unsigned argument_low) {
    void (*entry)(void *) =
        (void (*)(void *))(((uintptr_t)entry_high << 16 << 16) | (uintptr_t)entry_low);
    entry((void *)(((uintptr_t)argument_high << 16 << 16) | (uintptr_t)argument_low));
    __builtin_unreachable(); /* nobody switches back */
}

tess_fibre tess_fibre_start(void *stack, size_t size, size_t skew, void (*entry)(void *),
                            void *argument) {
    tess_fibre_forget(stack, size);
    /* The context lies on top of the fibre's own stack. */
    const size_t room = (sizeof(ucontext_t) + 63) & ~(size_t)63;
    ucontext_t *context = (ucontext_t *)((char *)stack + size - room);
    getcontext(context);
    context->uc_stack.ss_sp = stack;
    context->uc_stack.ss_size = size - room - skew;
    context->uc_link = NULL;
    const uintptr_t e = (uintptr_t)entry, a = (uintptr_t)argument;
    makecontext(context, (void (*)(void))fibre_enter, 4, (unsigned)(e >> 16 >> 16), (unsigned)e,
                (unsigned)(a >> 16 >> 16), (unsigned)a);
    return context;
}

void tess_fibre_switch(tess_fibre *from, tess_fibre to) {
    ucontext_t here;
    *from = &here;
    swapcontext(&here, to);
}

#else
#if defined(__x86_64__)

/* Saved on the fibre's stack, from its stack pointer up: r15 r14 r13 r12 rbx rbp, return address.
 */
__asm__(".text\n"
        ".p2align 4\n"
        ".type tess_fibre_switch, @function\n"
        ".globl tess_fibre_switch\n"
        "tess_fibre_switch:\n"
        "    endbr64\n"
        "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n"
        "    pushq %r13\n    pushq %r14\n    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n    popq %r14\n    popq %r13\n"
        "    popq %r12\n    popq %rbx\n    popq %rbp\n"
        "    ret\n"
        ".size tess_fibre_switch, . - tess_fibre_switch\n"
        ".type tess_fibre_enter, @function\n"
        "tess_fibre_enter:\n" /* r12: entry, r13: argument */
        "    endbr64\n"
        "    movq %r13, %rdi\n"
        "    callq *%r12\n"
        "    ud2\n"
        ".size tess_fibre_enter, . - tess_fibre_enter\n");

/* How many, so that after the return the stack is aligned for a call, and places: r13, r12. */
enum { SAVED = 7, ARGUMENT = 2, ENTRY = 3, RETURN_ADDRESS = 6 };

#else

/* Saved on the fibre's stack, from its stack pointer up: x19 ... x30, d8 ... d15. */
__asm__(".text\n"
        ".p2align 4\n"
        ".type tess_fibre_switch, %function\n"
        ".globl tess_fibre_switch\n"
        "tess_fibre_switch:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp]\n    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n    str x9, [x0]\n    mov sp, x1\n"
        "    ldp x19, x20, [sp]\n    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size tess_fibre_switch, . - tess_fibre_switch\n"
        ".type tess_fibre_enter, %function\n"
        ".globl tess_fibre_enter\n" /* ld finds no local symbol through the GOT */
        ".hidden tess_fibre_enter\n"
        "tess_fibre_enter:\n" /* x19: entry, x20: argument */
        "    mov x0, x20\n"
        "    blr x19\n"
        "    brk #1\n"
        ".size tess_fibre_enter, . - tess_fibre_enter\n");

enum { SAVED = 20, ARGUMENT = 1, ENTRY = 0, RETURN_ADDRESS = 11 }; /* x20, x19, x30 */

#endif

void tess_fibre_enter(void);

tess_fibre tess_fibre_start(void *stack, size_t size, size_t skew, void (*entry)(void *),
                            void *argument) {
    tess_fibre_forget(stack, size);
    uint64_t *top = (uint64_t *)(((uintptr_t)stack + size - skew) & ~(uintptr_t)15);
    uint64_t *sp = top - SAVED;
    memset(sp, 0, SAVED * sizeof *sp);
    sp[ARGUMENT] = (uint64_t)(uintptr_t)argument;
    sp[ENTRY] = (uint64_t)(uintptr_t)entry;
    sp[RETURN_ADDRESS] = (uint64_t)(uintptr_t)tess_fibre_enter;
    return sp;
}

#endif
