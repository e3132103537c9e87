// A small face over GNU libmicrohttpd: requests with whole bodies, answers from any thread, and
// connections that are handed over after an upgrade. Nothing in here knows what is served.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A server that listens.
typedef struct hs_server hs_server;
/// One request and its answer. Valid from `head` until `over`, and longer while it is retained.
typedef struct hs_exchange hs_exchange;
/// A connection after an upgrade; its owner ends it with hs_channel_close.
typedef struct hs_channel hs_channel;

/// What a server tells. All but `upgraded` are called on the server's own threads and must not wait.
typedef struct {
  void *context;
  /// The head of a request is there. Returns the most bytes its body may have; an answer that is given
  /// here is sent without the body being read.
  int64_t (*head)(void *context, hs_exchange *exchange);
  /// The body is there. hs_respond or hs_upgrade is to be called now or later, once.
  void (*complete)(void *context, hs_exchange *exchange);
  /// The client has gone before it was answered; an answer is still to be given, and will be dropped.
  void (*left)(void *context, hs_exchange *exchange);
  /// The exchange is over, in whatever way.
  void (*over)(void *context, hs_exchange *exchange);
  /// The connection is handed over, on a thread of its own that the function may keep.
  void (*upgraded)(void *context, hs_exchange *exchange, hs_channel *channel);
} hs_handlers;

/// The most bytes of a request's target; a longer one is answered 414 at once.
#define HS_TARGET_BYTES 8192

/// How a server listens and what it bears.
typedef struct {
  /// An IPv4 or IPv6 address in digits.
  const char *address;
  /// 0 lets the system choose.
  uint16_t port;
  /// The most connections at once.
  unsigned connections;
  /// How long a connection may be silent, in seconds.
  unsigned idle_seconds;
  /// How long a head may take from the connection's start or the answer before it, in seconds.
  unsigned head_seconds;
  /// How long a body may take, in seconds, before its size is counted.
  unsigned body_seconds;
  /// The bytes a second that a body must have on top of that.
  unsigned body_rate;
  /// The memory for a head in bytes; that of the query's fields comes on top.
  size_t head_bytes;
} hs_options;

/// Starts to listen; NULL with errno when the address cannot be had.
hs_server *hs_start(const hs_options *options, const hs_handlers *handlers);
/// The port that the server listens on.
uint16_t hs_port(const hs_server *server);
/// Takes no more connections, answers open requests with 503, and ends. Channels must be closed by then.
void hs_stop(hs_server *server);
/// How many connections are open.
unsigned hs_connections(hs_server *server);

const char *hs_method(const hs_exchange *exchange);
/// The target as the client wrote it, with the query.
const char *hs_target(const hs_exchange *exchange);
/// The client's address and port in digits, as text.
const char *hs_peer(const hs_exchange *exchange);
/// Calls the function with each header, in their order; only in `head`.
void hs_each_header(
  hs_exchange *exchange, void *context,
  void (*each)(void *context, const char *name, const char *value));
/// The body, which becomes the caller's, to be freed with free(); NULL where it is empty.
void *hs_take_body(hs_exchange *exchange, size_t *count);
/// What the caller keeps with the exchange.
void hs_set_note(hs_exchange *exchange, void *note);
void *hs_note(const hs_exchange *exchange);

void hs_retain(hs_exchange *exchange);
void hs_release(hs_exchange *exchange);

/// Answers, from any thread, once. Headers are name, value, name, value …; the body is copied unless it
/// `stays` for the life of the program. Later answers are ignored.
void hs_respond(
  hs_exchange *exchange, unsigned status, const char *const *headers, size_t header_count,
  const void *body, size_t count, bool stays);
/// Answers with so many bytes of an open file, which are read as the client takes them. The file is closed
/// afterwards, in any case.
void hs_respond_file(
  hs_exchange *exchange, unsigned status, const char *const *headers, size_t header_count,
  int file, uint64_t count);
/// Answers 101 with the headers; `upgraded` follows.
void hs_upgrade(hs_exchange *exchange, const char *const *headers, size_t header_count);

/// Reads up to so many bytes; 0 at the end, -1 on an error or after the channel's silence.
ptrdiff_t hs_channel_read(hs_channel *channel, void *bytes, size_t count);
/// Writes all bytes, or fails after a few seconds in which the client took none.
bool hs_channel_write(hs_channel *channel, const void *bytes, size_t count);
/// Makes reads and writes end, from any thread.
void hs_channel_shutdown(hs_channel *channel);
/// Ends the connection; the channel is gone then.
void hs_channel_close(hs_channel *channel);

#ifdef __cplusplus
}
#endif
