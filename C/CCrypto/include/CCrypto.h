// What Atelier needs of OpenSSL's libcrypto 3: AES-256-GCM, and keys derived from keys.

#ifndef CCRYPTO_H
#define CCRYPTO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CCRYPTO_KEY = 32, CCRYPTO_NONCE = 12, CCRYPTO_TAG = 16 };

/// Encrypts `count` bytes, below 2^31, and writes as many and a tag; `data` is only authenticated.
/// A nonce must never be used twice with one key. Returns 0, or -1 where libcrypto fails.
int ccrypto_seal(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *data, size_t data_count,
    const uint8_t *plain, size_t count, uint8_t *sealed, uint8_t *tag);

/// Decrypts what ccrypto_seal has written. Returns 0, 1 where a byte, the tag, the data, the nonce or
/// the key is another one (the output is then zero), or -1 where libcrypto fails.
int ccrypto_open(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *data, size_t data_count,
    const uint8_t *sealed, size_t count, const uint8_t *tag, uint8_t *plain);

/// HKDF of 32 bytes with SHA-256 (RFC 5869). Returns 0, or -1 where libcrypto fails.
int ccrypto_derive(
    const uint8_t *key, size_t key_count, const uint8_t *salt, size_t salt_count,
    const uint8_t *purpose, size_t purpose_count, uint8_t *derived);

/// SHA-256 of bytes: 32 of them. Returns 0, or -1 where libcrypto fails.
int ccrypto_sha256(const uint8_t *bytes, size_t count, uint8_t *digest);

/// Bytes that nobody can guess. Returns 0, or -1 where the system has none.
int ccrypto_random(uint8_t *bytes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
