// The functions of OpenSSL's libcrypto 3 that Atelier needs: AES-256-GCM, derived keys, digests, random bytes.

#ifndef CCRYPTO_H
#define CCRYPTO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CCRYPTO_KEY = 32, CCRYPTO_NONCE = 12, CCRYPTO_TAG = 16 };

/// Encrypts `count` bytes, fewer than 2^31. Writes `count` encrypted bytes to `sealed`, and the tag to `tag`. `data` is
/// authenticated but not encrypted. Never use a nonce twice with the same key. Returns 0, or -1 if libcrypto fails.
int ccrypto_seal(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *data, size_t data_count,
    const uint8_t *plain, size_t count, uint8_t *sealed, uint8_t *tag);

/// Decrypts the output of ccrypto_seal. Returns 0 on success, and -1 if libcrypto fails. Returns 1 if an encrypted
/// byte, the tag, the data, the nonce or the key differs from the one that ccrypto_seal used or wrote. All bytes of
/// `plain` are then 0.
int ccrypto_open(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *data, size_t data_count,
    const uint8_t *sealed, size_t count, const uint8_t *tag, uint8_t *plain);

/// Derives a key of 32 bytes by HKDF with SHA-256 (RFC 5869). Returns 0, or -1 if libcrypto fails.
int ccrypto_derive(
    const uint8_t *key, size_t key_count, const uint8_t *salt, size_t salt_count,
    const uint8_t *purpose, size_t purpose_count, uint8_t *derived);

/// Writes the SHA-256 digest of `count` bytes to `digest`, which has 32 bytes. Returns 0, or -1 if libcrypto fails.
int ccrypto_sha256(const uint8_t *bytes, size_t count, uint8_t *digest);

/// The digests of ccrypto_hash_new.
typedef enum {
  CCRYPTO_MD5 = 1,
  CCRYPTO_SHA1 = 2,
  CCRYPTO_SHA256 = 3,
  CCRYPTO_SHA384 = 4,
  CCRYPTO_SHA512 = 5,
} CCryptoDigest;

/// The state of a digest. A caller adds the bytes in parts.
typedef struct CCryptoHash CCryptoHash;

/// Begins a digest. Returns NULL if libcrypto is missing or does not allow the digest. Free it with ccrypto_hash_free.
CCryptoHash *ccrypto_hash_new(CCryptoDigest kind);

/// Copies a digest that has not been finished. Returns NULL if memory is short.
CCryptoHash *ccrypto_hash_copy(const CCryptoHash *hash);

/// Adds bytes. Returns 0, or -1 if libcrypto fails.
int ccrypto_hash_update(CCryptoHash *hash, const void *bytes, size_t count);

/// Writes the digest: 16, 20, 32, 48 or 64 bytes. Call it once. Returns 0, or -1 if libcrypto fails.
int ccrypto_hash_finish(CCryptoHash *hash, uint8_t *digest);

/// Frees a digest. NULL is allowed.
void ccrypto_hash_free(CCryptoHash *hash);

/// Writes cryptographically secure random bytes. Returns 0, or -1 if the system cannot provide them.
int ccrypto_random(uint8_t *bytes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
