// A small C interface to GNU libmicrohttpd: requests with complete bodies, answers from any thread, and raw connections
// after an upgrade. It does not depend on the application.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A listening server.
typedef struct hs_server hs_server;
/// One request and its answer. The pointer is valid from the callback `head` to the callback `over`, and longer while
/// the exchange is retained.
typedef struct hs_exchange hs_exchange;
/// A connection after an upgrade. Its owner ends it with hs_channel_close.
typedef struct hs_channel hs_channel;

/// The callbacks of a server. All except `upgraded` run on the server's own threads and must not wait.
typedef struct {
  void *context;
  /// The head of a request has arrived. Returns the maximum size of the request's body in bytes. If the callback
  /// answers, the server sends the answer without reading the body.
  int64_t (*head)(void *context, hs_exchange *exchange);
  /// The body has arrived. Call hs_respond or hs_upgrade once, now or later.
  void (*complete)(void *context, hs_exchange *exchange);
  /// The client has left before the answer. The application must still answer. The server drops the answer.
  void (*left)(void *context, hs_exchange *exchange);
  /// The exchange has ended, for any reason.
  void (*over)(void *context, hs_exchange *exchange);
  /// The connection was upgraded, and `channel` gives access to the connection. The callback runs on a new thread, and
  /// may block for the life of the connection.
  void (*upgraded)(void *context, hs_exchange *exchange, hs_channel *channel);
} hs_handlers;

/// The maximum number of bytes of a request's target. The server answers a longer target with 414 immediately.
#define HS_TARGET_BYTES 8192

/// The address and the limits of a server.
typedef struct {
  /// An IPv4 or IPv6 address in digits.
  const char *address;
  /// The port to listen on. 0 lets the system choose.
  uint16_t port;
  /// The maximum number of simultaneous connections.
  unsigned connections;
  /// The maximum time without traffic on a connection, in seconds.
  unsigned idle_seconds;
  /// The maximum time in seconds from the connection's start, or from the previous answer, to a complete head.
  unsigned head_seconds;
  /// The time in seconds that any body may take, in addition to the time that `body_rate` grants.
  unsigned body_seconds;
  /// The minimum rate of a body in bytes per second. For each `body_rate` bytes that have arrived, a body may take 1 s
  /// longer than `body_seconds`.
  unsigned body_rate;
  /// The memory in bytes for the head of a request. The server adds the memory for the query's fields.
  size_t head_bytes;
  /// A private key and its certificate in PEM format, one after the other. NULL for connections without encryption.
  /// The server copies the text.
  const char *key_and_certificate;
} hs_options;

/// Starts a server. Returns NULL and sets errno if the address is not available: ENOTSUP if the library
/// cannot encrypt.
hs_server *hs_start(const hs_options *options, const hs_handlers *handlers);
/// Returns the port that the server listens on.
uint16_t hs_port(const hs_server *server);
/// Accepts no more connections. Open connections go on. Call hs_stop afterwards.
void hs_close_listener(hs_server *server);
/// Stops a server: accepts no more connections, answers open requests with 503, and frees the server. Close all
/// channels before this call.
void hs_stop(hs_server *server);
/// Returns the number of open connections.
unsigned hs_connections(hs_server *server);

const char *hs_method(const hs_exchange *exchange);
/// Returns the request's target as the client sent it, with the query.
const char *hs_target(const hs_exchange *exchange);
/// Returns the client's IP address in digits and its port, separated by a space.
const char *hs_peer(const hs_exchange *exchange);
/// Calls the function with each header of the request, in order. Allowed only in the callback `head`.
void hs_each_header(
  hs_exchange *exchange, void *context,
  void (*each)(void *context, const char *name, const char *value));
/// Returns the body of the request. The caller then owns the body and frees it with free(). Returns NULL if the body is
/// empty.
void *hs_take_body(hs_exchange *exchange, size_t *count);
/// Stores a pointer of the caller with the exchange.
void hs_set_note(hs_exchange *exchange, void *note);
void *hs_note(const hs_exchange *exchange);

void hs_retain(hs_exchange *exchange);
void hs_release(hs_exchange *exchange);

/// Answers the request. Any thread may call this function. Only the first answer counts. `headers` alternates names and
/// values, and `header_count` counts both. Copies the body if `stays` is false. If `stays` is true, the body must be
/// valid for the life of the program.
void hs_respond(
  hs_exchange *exchange, unsigned status, const char *const *headers, size_t header_count,
  const void *body, size_t count, bool stays);
/// Answers with `count` bytes of an open file, from the byte `begin` on. The server reads them while the client receives them, and always closes
/// the file afterwards.
void hs_respond_file(
  hs_exchange *exchange, unsigned status, const char *const *headers, size_t header_count,
  int file, uint64_t begin, uint64_t count);
/// Answers 101 with the headers. The server then calls `upgraded`.
void hs_upgrade(hs_exchange *exchange, const char *const *headers, size_t header_count);

/// Reads at most `count` bytes and returns their number. Returns 0 at the end of the client's data. Returns -1 on an
/// error, or if the client sends nothing for 75 s.
ptrdiff_t hs_channel_read(hs_channel *channel, void *bytes, size_t count);
/// Writes all bytes. Returns false on an error, or if the client accepts no bytes for 8 s.
bool hs_channel_write(hs_channel *channel, const void *bytes, size_t count);
/// Makes pending and later reads and writes return immediately. Any thread may call this function.
void hs_channel_shutdown(hs_channel *channel);
/// Closes the connection and frees the channel.
void hs_channel_close(hs_channel *channel);

#ifdef __cplusplus
}
#endif
