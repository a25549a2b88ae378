# SPDX-License-Identifier: Apache-2.0
"""What OpenSSL's default provider answers: the contract, called through ctypes.

The system's libcrypto is called in a library context of its own with nothing but the default
provider in it. No configuration reaches that context, so this stays the default provider's work
even in a process whose configuration leaves nothing but ctaes.
"""

import ctypes
import ctypes.util

lib = ctypes.CDLL(ctypes.util.find_library("crypto"))


def declare(name, result, *arguments):
    function = getattr(lib, name)
    function.restype = result
    function.argtypes = arguments
    return function


P, I, S, B = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p
OUTLEN = ctypes.POINTER(ctypes.c_int)
lib_ctx_new = declare("OSSL_LIB_CTX_new", P)
provider_load = declare("OSSL_PROVIDER_load", P, P, S)
provider_name = declare("OSSL_PROVIDER_get0_name", S, P)
cipher_fetch = declare("EVP_CIPHER_fetch", P, P, S, S)
cipher_provider = declare("EVP_CIPHER_get0_provider", P, P)
cipher_free = declare("EVP_CIPHER_free", None, P)
ctx_new = declare("EVP_CIPHER_CTX_new", P)
ctx_free = declare("EVP_CIPHER_CTX_free", None, P)
ctx_ctrl = declare("EVP_CIPHER_CTX_ctrl", I, P, I, I, P)
ctx_set_padding = declare("EVP_CIPHER_CTX_set_padding", I, P, I)
init = declare("EVP_CipherInit_ex", I, P, P, P, B, B, I)
update = declare("EVP_CipherUpdate", I, P, P, OUTLEN, B, I)
final = declare("EVP_CipherFinal_ex", I, P, P, OUTLEN)
get_updated_iv = declare("EVP_CIPHER_CTX_get_updated_iv", I, P, P, ctypes.c_size_t)

SET_IVLEN, GET_TAG = 0x9, 0x10  # EVP_CTRL_AEAD_*

context = lib_ctx_new()
if not provider_load(context, b"default"):
    raise OSError("the system's libcrypto has no default provider")


def check(result):
    if result != 1:
        raise AssertionError("the default provider refuses what the test takes for valid")


def crypt(name, encrypt, key, iv, data, padding=False, aad=None):
    """Encrypts or decrypts with the default provider. Returns (output, tag); the tag is b"" unless
    aad is given and encrypt is true. With aad, decryption doesn't check the tag."""
    cipher = cipher_fetch(context, name.encode(), None)
    assert cipher, name
    assert provider_name(cipher_provider(cipher)) == b"default"
    ctx = ctx_new()
    try:
        check(init(ctx, cipher, None, None, None, encrypt))
        if aad is not None:
            check(ctx_ctrl(ctx, SET_IVLEN, len(iv), None))
        check(init(ctx, None, None, key, iv, encrypt))
        check(ctx_set_padding(ctx, padding))
        out = ctypes.create_string_buffer(len(data) + 32)
        n = ctypes.c_int()
        if aad:
            check(update(ctx, None, n, aad, len(aad)))
        total = 0
        if data:
            check(update(ctx, out, n, data, len(data)))
            total = n.value
        tag = b""
        if aad is None or encrypt:
            check(final(ctx, ctypes.addressof(out) + total, n))
            total += n.value
        if aad is not None and encrypt:
            buffer = ctypes.create_string_buffer(16)
            check(ctx_ctrl(ctx, GET_TAG, 16, buffer))
            tag = buffer.raw
        return out.raw[:total], tag
    finally:
        ctx_free(ctx)
        cipher_free(cipher)
