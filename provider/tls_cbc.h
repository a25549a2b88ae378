/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The insides of TLS records in CBC mode: padding and MAC (RFC 5246 section
 * 6.2.3.2; RFC 7366 for encrypt-then-MAC). The mode itself is ordinary CBC.
 */
#ifndef CTAES_TLS_CBC_H
#define CTAES_TLS_CBC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the largest MAC that a record can carry: the largest hash's, SHA-512. */
#define CTAES_TLS_MAX_MAC 64

/* Protocol versions, as on the wire. */
#define CTAES_SSL3 0x0300u
#define CTAES_TLS1 0x0301u
#define CTAES_TLS1_1 0x0302u
#define CTAES_TLS1_2 0x0303u
#define CTAES_DTLS1_BAD 0x0100u /* a draft of DTLS 1.0, which some VPNs speak */
#define CTAES_DTLS1 0xfeffu
#define CTAES_DTLS1_2 0xfefdu

/* Appends padding to the len bytes at record, where there is room for 16 more.
   Returns the padded length, a multiple of 16. len is public. */
size_t ctaes_tls_pad(uint8_t *record, size_t len, unsigned int version);

/*
 * Takes explicit IV, MAC and padding off a decrypted record of *len bytes:
 * *len becomes the length of the payload, which starts after the explicit IV
 * if the version has one, and mac_size bytes of MAC go to mac. record stays as
 * it is.
 *
 * Returns false if the record is invalid by what anyone can see: a version that
 * doesn't exist, a MAC larger than CTAES_TLS_MAX_MAC, too few bytes for the
 * parts, no random bytes to be had; or, if mac_size is 0, by its padding. *len
 * and mac are then as they were. If mac_size isn't 0, bad padding isn't told:
 * mac is then random bytes, so that the caller's comparison fails just as for a
 * wrong MAC, and *len is what it would be without padding.
 *
 * Secret: the record's bytes, the padding's length and with it *len on return
 * and the MAC's place. Public: *len on entry, version, mac_size.
 */
bool ctaes_tls_unpad(const uint8_t *record, size_t *len, unsigned int version, size_t mac_size,
                     uint8_t mac[CTAES_TLS_MAX_MAC]);

#endif
