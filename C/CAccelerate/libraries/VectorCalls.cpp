#include "libraries/VectorCalls.hpp"

#if defined(__x86_64__)

#include <dlfcn.h>

VectorFunction *vectorFunction(const char *name) {
  static void *const library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
  return library ? reinterpret_cast<VectorFunction *>(dlsym(library, name)) : nullptr;
}

// Both loops keep their state in registers that functions preserve, and align the stack for the call. `upper` clears
// the upper halves of the vector registers, as callers without AVX expect.
#define MAP(bytes, move, register, upper) \
  asm(".text\n.p2align 4\n.globl accelerate_map_" #bytes "\n.hidden accelerate_map_" #bytes "\n" \
      ".type accelerate_map_" #bytes ",@function\naccelerate_map_" #bytes ":\n.cfi_startproc\n" \
      "pushq %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp,-16\nmovq %rsp,%rbp\n.cfi_def_cfa_register %rbp\n" \
      "pushq %rbx\npushq %r12\npushq %r13\npushq %r14\n" \
      "movq %rdi,%rbx\nmovq %rsi,%r12\nmovq %rdx,%r13\nmovq %rcx,%r14\n" \
      "1:\n" move " (%r12),%" register "0\ncall *%r14\n" move " %" register "0,(%rbx)\n" \
      "addq $" #bytes ",%r12\naddq $" #bytes ",%rbx\ndecq %r13\njnz 1b\n" upper \
      "\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\n.cfi_def_cfa %rsp,8\nret\n" \
      ".cfi_endproc\n.size accelerate_map_" #bytes ",.-accelerate_map_" #bytes "\n");

#define COMBINE(bytes, move, register, upper) \
  asm(".text\n.p2align 4\n.globl accelerate_combine_" #bytes "\n.hidden accelerate_combine_" #bytes "\n" \
      ".type accelerate_combine_" #bytes ",@function\naccelerate_combine_" #bytes ":\n.cfi_startproc\n" \
      "pushq %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp,-16\nmovq %rsp,%rbp\n.cfi_def_cfa_register %rbp\n" \
      "pushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\npushq %r9\n" \
      "movq %rdi,%rbx\nmovq %rsi,%r12\nmovq %rdx,%r13\nmovq %rcx,%r14\nmovq %r8,%r15\n" \
      "1:\n" move " (%r12),%" register "0\n" move " (%r13),%" register "1\ncall *(%rsp)\n" move " %" register \
      "0,(%rbx)\naddq $" #bytes ",%r12\naddq %r14,%r13\naddq $" #bytes ",%rbx\ndecq %r15\njnz 1b\n" upper \
      "\npopq %r9\npopq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\n.cfi_def_cfa %rsp,8\n" \
      "ret\n.cfi_endproc\n.size accelerate_combine_" #bytes ",.-accelerate_combine_" #bytes "\n");

MAP(16, "movups", "xmm", "")
MAP(32, "vmovups", "ymm", "vzeroupper")
MAP(64, "vmovups", "zmm", "vzeroupper")
COMBINE(16, "movups", "xmm", "")
COMBINE(32, "vmovups", "ymm", "vzeroupper")
COMBINE(64, "vmovups", "zmm", "vzeroupper")

#endif
