#include "CCrypto.h"

#include <limits.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

int ccrypto_seal(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *data, size_t data_count,
    const uint8_t *plain, size_t count, uint8_t *sealed, uint8_t *tag) {
  int written = 0;
  if (count > INT_MAX || data_count > INT_MAX) return -1;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  if (!context) return -1;
  int done = EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) == 1
      && EVP_EncryptUpdate(context, NULL, &written, data, (int)data_count) == 1
      && EVP_EncryptUpdate(context, sealed, &written, plain, (int)count) == 1
      && EVP_EncryptFinal_ex(context, sealed + count, &written) == 1
      && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, CCRYPTO_TAG, tag) == 1;
  EVP_CIPHER_CTX_free(context);
  return done ? 0 : -1;
}

int ccrypto_open(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *data, size_t data_count,
    const uint8_t *sealed, size_t count, const uint8_t *tag, uint8_t *plain) {
  int written = 0;
  uint8_t expected[CCRYPTO_TAG];
  if (count > INT_MAX || data_count > INT_MAX) return -1;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  if (!context) return -1;
  memcpy(expected, tag, CCRYPTO_TAG);
  int ready = EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) == 1
      && EVP_DecryptUpdate(context, NULL, &written, data, (int)data_count) == 1
      && EVP_DecryptUpdate(context, plain, &written, sealed, (int)count) == 1
      && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, CCRYPTO_TAG, expected) == 1;
  int genuine = ready && EVP_DecryptFinal_ex(context, plain + count, &written) == 1;
  EVP_CIPHER_CTX_free(context);
  if (!genuine) OPENSSL_cleanse(plain, count);
  return genuine ? 0 : ready ? 1 : -1;
}

int ccrypto_derive(
    const uint8_t *key, size_t key_count, const uint8_t *salt, size_t salt_count,
    const uint8_t *purpose, size_t purpose_count, uint8_t *derived) {
  uint8_t extracted[CCRYPTO_KEY], input[256];
  unsigned int size = 0;
  if (purpose_count >= sizeof input || salt_count > INT_MAX) return -1;
  if (!HMAC(EVP_sha256(), salt, (int)salt_count, key, key_count, extracted, &size)) return -1;
  memcpy(input, purpose, purpose_count);
  input[purpose_count] = 1;
  int done = HMAC(EVP_sha256(), extracted, sizeof extracted, input, purpose_count + 1, derived, &size)
      != NULL;
  OPENSSL_cleanse(extracted, sizeof extracted);
  return done ? 0 : -1;
}

int ccrypto_sha256(const uint8_t *bytes, size_t count, uint8_t *digest) {
  return EVP_Digest(bytes, count, digest, NULL, EVP_sha256(), NULL) == 1 ? 0 : -1;
}

int ccrypto_random(uint8_t *bytes, size_t count) {
  return count <= INT_MAX && RAND_bytes(bytes, (int)count) == 1 ? 0 : -1;
}
