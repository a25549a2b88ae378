#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# `make demo`: encrypts a real file with ctaes through OpenSSL's own commands, and shows by
# comparison with the default provider that it worked. Called from the project's root.
#
#   B            the build folder (default: build)
#   CTAES_CORE   the core to show (default: the best that runs here)
#   TMPDIR       where the files go (about 100 MiB; removed at the end)

set -u
B=${B:-build}
export LC_ALL=C OPENSSL_CONF=/dev/null # nothing but what the commands below say
unset OPENSSL_MODULES

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

failed=0
good() {
    printf '  %-52s %s\n' "$1" "${2:-ok}"
}
bad() {
    good "$1" FAILED
    sed 's/^/      /' "$dir/log"
    failed=$((failed + 1))
}

# check WHAT COMMAND...: the command must succeed.
check() {
    what=$1
    shift
    if "$@" > "$dir/log" 2>&1; then good "$what"; else bad "$what"; fi
}

# refuse WHAT REASON COMMAND...: the command must fail, and say REASON.
refuse() {
    what=$1 reason=$2
    shift 2
    if ! "$@" > "$dir/log" 2>&1 && grep -q "$reason" "$dir/log"; then
        good "$what" "refused: $reason"
    else
        bad "$what"
    fi
}

# These options come first: `openssl speed` ignores them after -evp.
only_ctaes() {
    command=$1
    shift
    openssl "$command" -provider-path "$B" -provider ctaes "$@"
}
prefer_ctaes() {
    command=$1
    shift
    openssl "$command" -provider-path "$B" -provider ctaes -provider default \
        -propquery '?provider=ctaes' "$@"
}

# --- What runs -----------------------------------------------------------------------------------
openssl version
only_ctaes list -providers > "$dir/log" 2>&1 || {
    cat "$dir/log"
    echo "demo: FAILED: OpenSSL can't load $B/ctaes.so"
    exit 1
}

# The module says which cores it has, as its answer to the name of one that it doesn't have. The one
# in use is the one by whose property its algorithms can be fetched.
cores=$(CTAES_CORE='?' only_ctaes list -providers 2>&1 | sed -n 's/.*this build has: auto //p')
core=
for name in $cores; do
    if only_ctaes list -cipher-algorithms -propquery "ctaes.core=$name" | grep -q '@ ctaes'; then
        core="$core$name"
    fi
done
echo "ctaes: $B/ctaes.so, core $core (this build has: $cores)"

# --- The file: text, zeros, and bytes without a pattern; no whole number of blocks ----------------
# The same in every run, and with it whether a wrong key happens to give a padding that looks right.
key=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
wrong=ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
iv=f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff
{
    seq 1 700000
    head -c 4000000 /dev/zero
    head -c 8000000 /dev/zero | openssl enc -aes-256-ctr -K $key -iv $iv
} > "$dir/file"
echo "file:  $(wc -c < "$dir/file") bytes of text, zeros and pseudorandom data"

# --- openssl enc, CBC, the key made from a password ----------------------------------------------
echo 'openssl enc -aes-256-cbc -pbkdf2 -pass ...'
check 'ctaes encrypts' \
    prefer_ctaes enc -aes-256-cbc -pbkdf2 -pass pass:demo -in "$dir/file" -out "$dir/cbc"
check 'ctaes decrypts' \
    prefer_ctaes enc -d -aes-256-cbc -pbkdf2 -pass pass:demo -in "$dir/cbc" -out "$dir/back"
check '  the file is back, byte for byte' cmp "$dir/file" "$dir/back"
check 'the default provider decrypts the same' \
    openssl enc -d -aes-256-cbc -pbkdf2 -pass pass:demo -in "$dir/cbc" -out "$dir/back"
check '  the file is back, byte for byte' cmp "$dir/file" "$dir/back"

# --- openssl enc with a given key: ctaes alone, so there is no other AES in these processes -------
for mode in cbc ctr; do
    echo "openssl enc -aes-256-$mode -K ... -iv ..., no other provider loaded"
    check 'ctaes encrypts' \
        only_ctaes enc -aes-256-$mode -K $key -iv $iv -in "$dir/file" -out "$dir/ours"
    check 'the default provider encrypts' \
        openssl enc -aes-256-$mode -K $key -iv $iv -in "$dir/file" -out "$dir/theirs"
    check '  both ciphertexts are the same, byte for byte' cmp "$dir/ours" "$dir/theirs"
    check 'ctaes decrypts' \
        only_ctaes enc -d -aes-256-$mode -K $key -iv $iv -in "$dir/theirs" -out "$dir/back"
    check '  the file is back, byte for byte' cmp "$dir/file" "$dir/back"
    test $mode = ctr || refuse 'ctaes decrypts with a wrong key' 'bad decrypt' \
        only_ctaes enc -d -aes-256-cbc -K $wrong -iv $iv -in "$dir/ours" -out "$dir/back"
done

# --- GCM: `openssl enc` has no place for a tag, `openssl cms` has ---------------------------------
echo 'openssl cms -encrypt -aes-256-gcm -secretkey ...'
cms_encrypt() {
    "$1" cms -encrypt -binary -aes-256-gcm -secretkeyid 01 -secretkey $key -outform DER \
        -in "$dir/file" -out "$dir/cms"
}
cms_decrypt() {
    "$1" cms -decrypt -binary -secretkeyid 01 -secretkey "$2" -inform DER \
        -in "$dir/cms" -out "$dir/back"
}
check 'ctaes encrypts and authenticates' cms_encrypt prefer_ctaes
check 'ctaes decrypts and verifies' cms_decrypt prefer_ctaes $key
check '  the file is back, byte for byte' cmp "$dir/file" "$dir/back"
check 'the default provider decrypts and verifies the same' cms_decrypt openssl $key
check '  the file is back, byte for byte' cmp "$dir/file" "$dir/back"

refuse 'ctaes decrypts with a wrong key' 'Error decrypting' cms_decrypt prefer_ctaes $wrong
head -c 16 /dev/zero | dd of="$dir/cms" bs=1 seek=5000000 conv=notrunc 2> /dev/null
refuse 'ctaes decrypts after 16 bytes were overwritten' 'Error decrypting' \
    cms_decrypt prefer_ctaes $key

# --- Speed ---------------------------------------------------------------------------------------
# Prints millions of bytes per second, by CPU time.
speed() {
    "$@" speed -mr -seconds 1 -bytes 16384 -evp "$cipher" 2> "$dir/log" |
        sed -n 's/^+F:.*:\([0-9]*\)[0-9]\{6\}\.[0-9]*$/\1/p'
}
# The default provider as on an x86 CPU without AES and PCLMULQDQ instructions.
masked() {
    OPENSSL_ia32cap='~0x200000200000000:~0x60000000000' openssl "$@"
}
echo 'openssl speed -seconds 1 -bytes 16384 -evp ..., in MB/s'
for cipher in aes-128-ctr aes-128-cbc aes-128-gcm; do
    ours=$(speed prefer_ctaes)
    theirs=$(speed openssl)
    case $(uname -m) in
    x86_64 | i?86) without=$(speed masked) ;;
    *) without= ;;
    esac
    if test -n "$ours" && test -n "$theirs"; then
        echo "  $cipher   ctaes $ours, default $theirs${without:+ ($without without AES instructions)}"
    else
        bad "$cipher"
    fi
done
case $core in
avx512 | avx2p | avx2 | ssse3p | ssse3 | ct64 | ct32)
    echo "  ($core uses no AES instructions: docs/benchmarks.md says what is to be expected)"
    ;;
esac

if test $failed -ne 0; then
    echo "demo: FAILED: $failed of the steps above went wrong"
    exit 1
fi
echo "demo: passed: CBC, CTR and GCM on a real file, same bytes as the default provider; core $core"
