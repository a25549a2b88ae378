/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hiding a value from the optimiser: an empty asm statement that may have
 * changed it, for all that the compiler knows. It costs no instruction.
 *
 * MemorySanitizer takes any asm statement for a use of its operands, and would
 * report each secret in one. In its build, which only tests run, the value goes
 * through memory instead.
 */
#ifndef CTAES_OPAQUE_H
#define CTAES_OPAQUE_H

#ifdef __has_feature
#    if __has_feature(memory_sanitizer)
#        define CTAES_IS_MSAN 1
#    endif
#endif

/* register_kind: "r" for general registers, "x" for vectors, "v" for those that may be zmm16 to 31.
   x: an lvalue. */
#ifdef CTAES_IS_MSAN
#    define CTAES_OPAQUE(register_kind, x)                                                         \
        do {                                                                                       \
            volatile __typeof__(x) opaque_copy = (x);                                              \
            (x) = opaque_copy;                                                                     \
        } while (0)
#else
#    define CTAES_OPAQUE(register_kind, x) __asm__("" : "+" register_kind(x))
#endif

/* The same, and not moved across other volatile accesses, nor left out. */
#ifdef CTAES_IS_MSAN
#    define CTAES_OPAQUE_HERE(register_kind, x) CTAES_OPAQUE(register_kind, x)
#else
#    define CTAES_OPAQUE_HERE(register_kind, x) __asm__ volatile("" : "+" register_kind(x))
#endif

#endif
