// For POLLRDHUP.
#define _GNU_SOURCE

#include "http_service.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "microhttpd_library.h"

// A connection. Every open connection is in the server's list.
typedef struct connection {
  struct connection *next, *previous;
  int socket;
  double waiting_since; // The start of the wait for a head, in seconds; negative during a request or after an upgrade.
} connection;

struct hs_server {
  struct MHD_Daemon *daemon;
  hs_handlers handlers;
  hs_options options;
  uint16_t port;
  pthread_mutex_t lock;
  connection *connections;
  unsigned connection_count;
  hs_exchange *exchanges;
  bool stops;
  bool is_quiet; // Whether hs_close_listener was called.
  MHD_socket listener;
  char *pem; // The private key and the certificate. NULL without encryption.
  pthread_t watch;
  pthread_cond_t wake;
};

struct hs_exchange {
  hs_server *server;
  hs_exchange *next, *previous;
  struct MHD_Connection *connection;
  struct connection *carrier;
  int references;
  void *note;
  char *target;
  char method[16];
  char peer[80];
  double began;
  int64_t body_limit;
  char *body;
  size_t body_count, body_capacity;
  bool has_head, is_complete, is_suspended, is_queued, is_over, is_left;
  struct MHD_Response *response;
  unsigned status;
};

struct hs_channel {
  hs_server *server;
  hs_exchange *exchange;
  struct MHD_UpgradeResponseHandle *handle;
  int socket;
  char *extra;
  size_t extra_count, extra_read;
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// MARK: Exchanges

void hs_retain(hs_exchange *exchange) {
  __atomic_add_fetch(&exchange->references, 1, __ATOMIC_SEQ_CST);
}

void hs_release(hs_exchange *exchange) {
  if (__atomic_sub_fetch(&exchange->references, 1, __ATOMIC_SEQ_CST) > 0) return;
  if (exchange->response) mhd.destroy_response(exchange->response);
  free(exchange->body);
  free(exchange->target);
  free(exchange);
}

const char *hs_method(const hs_exchange *exchange) { return exchange->method; }
const char *hs_target(const hs_exchange *exchange) { return exchange->target; }
const char *hs_peer(const hs_exchange *exchange) { return exchange->peer; }
void hs_set_note(hs_exchange *exchange, void *note) { exchange->note = note; }
void *hs_note(const hs_exchange *exchange) { return exchange->note; }

void *hs_take_body(hs_exchange *exchange, size_t *count) {
  void *body = exchange->body;
  *count = exchange->body_count;
  exchange->body = NULL;
  exchange->body_count = exchange->body_capacity = 0;
  return body;
}

typedef struct {
  void *context;
  void (*each)(void *, const char *, const char *);
} header_call;

static enum MHD_Result pass_header(
  void *call, enum MHD_ValueKind kind, const char *name, const char *value) {
  (void)kind;
  ((header_call *)call)->each(((header_call *)call)->context, name, value ? value : "");
  return MHD_YES;
}

void hs_each_header(
  hs_exchange *exchange, void *context, void (*each)(void *, const char *, const char *)) {
  header_call call = {context, each};
  mhd.get_connection_values(exchange->connection, MHD_HEADER_KIND, pass_header, &call);
}

static void answer(
  hs_exchange *exchange, unsigned status, struct MHD_Response *response,
  const char *const *headers, size_t header_count) {
  if (!response) return;
  for (size_t index = 0; index + 1 < header_count; index += 2) {
    mhd.add_response_header(response, headers[index], headers[index + 1]);
  }
  hs_server *server = exchange->server;
  pthread_mutex_lock(&server->lock);
  bool isLate = exchange->response || exchange->is_over;
  if (!isLate) {
    exchange->response = response;
    exchange->status = status;
    if (exchange->is_suspended) {
      exchange->is_suspended = false;
      mhd.resume_connection(exchange->connection);
    }
  }
  pthread_mutex_unlock(&server->lock);
  if (isLate) mhd.destroy_response(response);
}

void hs_respond(
  hs_exchange *exchange, unsigned status, const char *const *headers, size_t header_count,
  const void *body, size_t count, bool stays) {
  struct MHD_Response *response = mhd.create_response_from_buffer(
    count, (void *)(count ? body : ""),
    stays || !count ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_COPY);
  if (!response) {
    response = mhd.create_response_from_buffer(0, (void *)"", MHD_RESPMEM_PERSISTENT);
    status = 500;
  }
  answer(exchange, status, response, headers, header_count);
}

void hs_respond_file(
  hs_exchange *exchange, unsigned status, const char *const *headers, size_t header_count,
  int file, uint64_t begin, uint64_t count) {
  struct MHD_Response *response = mhd.create_response_from_fd_at_offset64(count, file, begin);
  if (!response) {
    close(file);
    hs_respond(exchange, 500, headers, header_count, NULL, 0, false);
    return;
  }
  // The response owns the file from here on.
  answer(exchange, status, response, headers, header_count);
}

// MARK: Channels

static void *run_channel(void *argument) {
  hs_channel *channel = argument;
  hs_exchange *exchange = channel->exchange;
  hs_server *server = channel->server;
  server->handlers.upgraded(server->handlers.context, exchange, channel);
  hs_release(exchange);
  return NULL;
}

static void upgraded(
  void *argument, struct MHD_Connection *connection, void *note, const char *extra,
  size_t extra_count, MHD_socket socket, struct MHD_UpgradeResponseHandle *handle) {
  (void)connection;
  (void)note;
  hs_exchange *exchange = argument;
  hs_channel *channel = calloc(1, sizeof *channel);
  pthread_t thread;
  if (!channel) {
    mhd.upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
    return;
  }
  channel->server = exchange->server;
  channel->exchange = exchange;
  channel->handle = handle;
  channel->socket = socket;
  if (extra_count && (channel->extra = malloc(extra_count))) {
    memcpy(channel->extra, extra, extra_count);
    channel->extra_count = extra_count;
  }
  int flags = fcntl(socket, F_GETFL);
  fcntl(socket, F_SETFL, flags & ~O_NONBLOCK);
  struct timeval patience = {8, 0};
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  patience.tv_sec = 75;
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  hs_retain(exchange);
  if (pthread_create(&thread, NULL, run_channel, channel) != 0) {
    hs_release(exchange);
    hs_channel_close(channel);
    return;
  }
  pthread_detach(thread);
}

void hs_upgrade(hs_exchange *exchange, const char *const *headers, size_t header_count) {
  // The exchange outlives the response: MHD calls `upgraded` before the request ends.
  answer(
    exchange, MHD_HTTP_SWITCHING_PROTOCOLS, mhd.create_response_for_upgrade(upgraded, exchange),
    headers, header_count);
}

ptrdiff_t hs_channel_read(hs_channel *channel, void *bytes, size_t count) {
  if (channel->extra_read < channel->extra_count) {
    size_t left = channel->extra_count - channel->extra_read;
    if (count > left) count = left;
    memcpy(bytes, channel->extra + channel->extra_read, count);
    channel->extra_read += count;
    return (ptrdiff_t)count;
  }
  ptrdiff_t got;
  do { got = recv(channel->socket, bytes, count, 0); } while (got < 0 && errno == EINTR);
  return got;
}

bool hs_channel_write(hs_channel *channel, const void *bytes, size_t count) {
  const char *place = bytes;
  while (count > 0) {
    ptrdiff_t sent = send(channel->socket, place, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    place += sent;
    count -= (size_t)sent;
  }
  return true;
}

void hs_channel_shutdown(hs_channel *channel) { shutdown(channel->socket, SHUT_RDWR); }

void hs_channel_close(hs_channel *channel) {
  mhd.upgrade_action(channel->handle, MHD_UPGRADE_ACTION_CLOSE);
  free(channel->extra);
  free(channel);
}

// MARK: Callbacks of libmicrohttpd

// Answers a request whose target is too long. libmicrohttpd itself does not answer such a request: if the query's
// fields fill its memory for fields, it only waits. The short answer fits the socket's buffer, so sending it does not
// block.
#define LONG_TARGET \
  "{\"error\":{\"code\":\"long_target\",\"message\":\"The request's address is longer than 8 kB.\"}}\n"

static void refuse_target(const hs_exchange *exchange) {
  char answer[512];
  int count = snprintf(
    answer, sizeof answer,
    "HTTP/1.1 414 URI Too Long\r\nConnection: close\r\nContent-Type: application/json\r\n"
    "Content-Length: %zu\r\n\r\n%s", sizeof LONG_TARGET - 1, LONG_TARGET);
  if (!exchange->carrier || exchange->carrier->socket < 0) return;
  // On an encrypted connection, only libmicrohttpd can send.
  if (!exchange->server->pem) {
    send(exchange->carrier->socket, answer, (size_t)count, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  shutdown(exchange->carrier->socket, SHUT_RDWR);
}

static void *begin(void *argument, const char *uri, struct MHD_Connection *connection) {
  hs_server *server = argument;
  hs_exchange *exchange = calloc(1, sizeof *exchange);
  if (!exchange) return NULL;
  exchange->server = server;
  exchange->connection = connection;
  exchange->references = 1;
  exchange->target = strdup(uri);
  exchange->began = now();
  const union MHD_ConnectionInfo *info =
    mhd.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  exchange->carrier = info ? info->socket_context : NULL;
  info = mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  char address[INET6_ADDRSTRLEN] = "";
  unsigned port = 0;
  if (info && info->client_addr && info->client_addr->sa_family == AF_INET) {
    const struct sockaddr_in *peer = (const struct sockaddr_in *)info->client_addr;
    inet_ntop(AF_INET, &peer->sin_addr, address, sizeof address);
    port = ntohs(peer->sin_port);
  } else if (info && info->client_addr && info->client_addr->sa_family == AF_INET6) {
    const struct sockaddr_in6 *peer = (const struct sockaddr_in6 *)info->client_addr;
    inet_ntop(AF_INET6, &peer->sin6_addr, address, sizeof address);
    port = ntohs(peer->sin6_port);
  }
  snprintf(exchange->peer, sizeof exchange->peer, "%s %u", address, port);
  pthread_mutex_lock(&server->lock);
  exchange->next = server->exchanges;
  if (exchange->next) exchange->next->previous = exchange;
  server->exchanges = exchange;
  pthread_mutex_unlock(&server->lock);
  if (strlen(uri) > HS_TARGET_BYTES) refuse_target(exchange);
  return exchange;
}

static bool reserve(hs_exchange *exchange, size_t more) {
  size_t needed = exchange->body_count + more;
  if (needed <= exchange->body_capacity) return true;
  size_t capacity = exchange->body_capacity ? exchange->body_capacity * 2 : 16384;
  if (capacity < needed) capacity = needed;
  if ((int64_t)capacity > exchange->body_limit) capacity = (size_t)exchange->body_limit;
  char *body = realloc(exchange->body, capacity);
  if (!body) return false;
  exchange->body = body;
  exchange->body_capacity = capacity;
  return true;
}

static enum MHD_Result queue(hs_exchange *exchange, struct MHD_Connection *connection) {
  exchange->is_queued = true;
  return mhd.queue_response(connection, exchange->status, exchange->response);
}

static enum MHD_Result request(
  void *argument, struct MHD_Connection *connection, const char *url, const char *method,
  const char *version, const char *bytes, size_t *count, void **note) {
  (void)url;
  (void)version;
  hs_server *server = argument;
  hs_exchange *exchange = *note;
  if (!exchange || !exchange->target) return MHD_NO;
  if (!exchange->has_head) {
    pthread_mutex_lock(&server->lock);
    exchange->has_head = true;
    if (exchange->carrier) exchange->carrier->waiting_since = -1;
    pthread_mutex_unlock(&server->lock);
    snprintf(exchange->method, sizeof exchange->method, "%s", method);
    exchange->body_limit = server->handlers.head(server->handlers.context, exchange);
    return exchange->response ? queue(exchange, connection) : MHD_YES;
  }
  if (*count > 0) {
    double patience = server->options.body_seconds
      + (double)exchange->body_count / (double)server->options.body_rate;
    if (now() - exchange->began > patience) return MHD_NO;
    if ((int64_t)(exchange->body_count + *count) > exchange->body_limit) return MHD_NO;
    if (!reserve(exchange, *count)) return MHD_NO;
    memcpy(exchange->body + exchange->body_count, bytes, *count);
    exchange->body_count += *count;
    *count = 0;
    return MHD_YES;
  }
  if (exchange->is_queued) return MHD_YES;
  if (!exchange->is_complete) {
    exchange->is_complete = true;
    pthread_mutex_lock(&server->lock);
    exchange->is_suspended = true;
    mhd.suspend_connection(connection);
    pthread_mutex_unlock(&server->lock);
    server->handlers.complete(server->handlers.context, exchange);
    return MHD_YES;
  }
  pthread_mutex_lock(&server->lock);
  bool isReady = exchange->response != NULL;
  pthread_mutex_unlock(&server->lock);
  return isReady ? queue(exchange, connection) : MHD_YES;
}

static void completed(
  void *argument, struct MHD_Connection *connection, void **note,
  enum MHD_RequestTerminationCode code) {
  (void)connection;
  (void)code;
  hs_server *server = argument;
  hs_exchange *exchange = *note;
  if (!exchange) return;
  *note = NULL;
  pthread_mutex_lock(&server->lock);
  exchange->is_over = true;
  exchange->connection = NULL;
  bool isUpgraded = exchange->status == MHD_HTTP_SWITCHING_PROTOCOLS;
  if (exchange->carrier && !isUpgraded) exchange->carrier->waiting_since = now();
  exchange->carrier = NULL;
  if (exchange->previous) exchange->previous->next = exchange->next;
  else server->exchanges = exchange->next;
  if (exchange->next) exchange->next->previous = exchange->previous;
  exchange->next = exchange->previous = NULL;
  pthread_mutex_unlock(&server->lock);
  if (exchange->has_head) server->handlers.over(server->handlers.context, exchange);
  hs_release(exchange);
}

static void connected(
  void *argument, struct MHD_Connection *link, void **context,
  enum MHD_ConnectionNotificationCode code) {
  hs_server *server = argument;
  pthread_mutex_lock(&server->lock);
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    connection *entry = calloc(1, sizeof *entry);
    const union MHD_ConnectionInfo *info =
      mhd.get_connection_info(link, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (entry) {
      entry->socket = info ? info->connect_fd : -1;
      entry->waiting_since = now();
      entry->next = server->connections;
      if (entry->next) entry->next->previous = entry;
      server->connections = entry;
      server->connection_count++;
    }
    *context = entry;
  } else if (*context) {
    connection *entry = *context;
    if (entry->previous) entry->previous->next = entry->next;
    else server->connections = entry->next;
    if (entry->next) entry->next->previous = entry->previous;
    server->connection_count--;
    free(entry);
    *context = NULL;
  }
  pthread_mutex_unlock(&server->lock);
}

// MARK: The watchdog for late heads, late bodies and clients that leave before their answer

static void *watch(void *argument) {
  hs_server *server = argument;
  pthread_mutex_lock(&server->lock);
  while (!server->stops) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 250 * 1000 * 1000;
    if (until.tv_nsec >= 1000 * 1000 * 1000) {
      until.tv_sec++;
      until.tv_nsec -= 1000 * 1000 * 1000;
    }
    pthread_cond_timedwait(&server->wake, &server->lock, &until);
    double time = now();
    for (connection *entry = server->connections; entry; entry = entry->next) {
      if (entry->waiting_since >= 0 && entry->socket >= 0
          && time - entry->waiting_since > server->options.head_seconds) {
        shutdown(entry->socket, SHUT_RDWR);
        entry->waiting_since = -1;
      }
    }
    hs_exchange *gone[16];
    int count = 0;
    for (hs_exchange *each = server->exchanges; each && count < 16; each = each->next) {
      if (!each->carrier || !each->has_head || each->is_left) continue;
      if (!each->is_complete) {
        // The watchdog checks the time, because libmicrohttpd makes no callback while the client sends no bytes of its
        // body.
        double patience = server->options.body_seconds
          + (double)each->body_count / (double)server->options.body_rate;
        if (time - each->began > patience) {
          shutdown(each->carrier->socket, SHUT_RDWR);
          each->is_left = true;
        }
        continue;
      }
      if (!each->is_suspended) continue;
      struct pollfd look = {each->carrier->socket, POLLRDHUP, 0};
      if (poll(&look, 1, 0) > 0 && (look.revents & (POLLRDHUP | POLLHUP | POLLERR))) {
        each->is_left = true;
        hs_retain(each);
        gone[count++] = each;
      }
    }
    pthread_mutex_unlock(&server->lock);
    for (int index = 0; index < count; index++) {
      server->handlers.left(server->handlers.context, gone[index]);
      hs_release(gone[index]);
    }
    pthread_mutex_lock(&server->lock);
  }
  pthread_mutex_unlock(&server->lock);
  return NULL;
}

// MARK: Starting and stopping

hs_server *hs_start(const hs_options *options, const hs_handlers *handlers) {
  if (!mhd_load()) {
    errno = ELIBACC;
    return NULL;
  }
  hs_server *server = calloc(1, sizeof *server);
  if (!server) return NULL;
  server->handlers = *handlers;
  server->options = *options;
  server->options.address = NULL;
  server->options.key_and_certificate = NULL;
  if (server->options.body_rate == 0) server->options.body_rate = 1;
  pthread_mutex_init(&server->lock, NULL);
  pthread_cond_init(&server->wake, NULL);
  struct sockaddr_in plain = {.sin_family = AF_INET, .sin_port = htons(options->port)};
  struct sockaddr_in6 wide = {.sin6_family = AF_INET6, .sin6_port = htons(options->port)};
  unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME
    | MHD_ALLOW_UPGRADE;
  const void *place = &plain;
  if (inet_pton(AF_INET, options->address, &plain.sin_addr) != 1) {
    if (inet_pton(AF_INET6, options->address, &wide.sin6_addr) != 1) {
      free(server);
      errno = EINVAL;
      return NULL;
    }
    place = &wide;
    flags |= MHD_USE_IPv6;
  }
  struct MHD_OptionItem encryption[] = {
    {MHD_OPTION_END, 0, NULL}, {MHD_OPTION_END, 0, NULL}, {MHD_OPTION_END, 0, NULL}};
  if (options->key_and_certificate) {
    server->pem = mhd.is_feature_supported(MHD_FEATURE_TLS) == MHD_YES
      ? strdup(options->key_and_certificate) : NULL;
    if (!server->pem) {
      free(server);
      errno = ENOTSUP;
      return NULL;
    }
    flags |= MHD_USE_TLS;
    encryption[0] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_KEY, 0, server->pem};
    encryption[1] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_CERT, 0, server->pem};
  }
  // The size in bytes of the record that libmicrohttpd allocates for each field of the query. A field has at least 2
  // bytes, a letter and an ampersand, so the longest target has HS_TARGET_BYTES / 2 fields.
  const size_t field_bytes = 80;
  errno = 0;
  server->daemon = mhd.start_daemon(
    flags, options->port, NULL, NULL, request, server, MHD_OPTION_SOCK_ADDR, place,
    MHD_OPTION_CONNECTION_LIMIT, options->connections, MHD_OPTION_CONNECTION_TIMEOUT,
    options->idle_seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
    options->head_bytes + HS_TARGET_BYTES / 2 * field_bytes,
    MHD_OPTION_URI_LOG_CALLBACK, begin, server, MHD_OPTION_NOTIFY_COMPLETED, completed, server,
    MHD_OPTION_NOTIFY_CONNECTION, connected, server, MHD_OPTION_STRICT_FOR_CLIENT, 1,
    MHD_OPTION_ARRAY, encryption, MHD_OPTION_END);
  if (!server->daemon) {
    free(server->pem);
    free(server);
    if (errno == 0) errno = EADDRINUSE;
    return NULL;
  }
  const union MHD_DaemonInfo *info =
    mhd.get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
  server->port = info ? info->port : options->port;
  pthread_create(&server->watch, NULL, watch, server);
  return server;
}

uint16_t hs_port(const hs_server *server) { return server->port; }

unsigned hs_connections(hs_server *server) {
  pthread_mutex_lock(&server->lock);
  unsigned count = server->connection_count;
  pthread_mutex_unlock(&server->lock);
  return count;
}

// Gives libmicrohttpd the connections that the system has accepted already. A shutdown of the listener would reset them.
static void take_waiting_connections(hs_server *server) {
  // With the shortest queue, hardly a connection can arrive between the last accept and the shutdown.
  listen(server->listener, 0);
  fcntl(server->listener, F_SETFL, fcntl(server->listener, F_GETFL) | O_NONBLOCK);
  for (;;) {
    struct sockaddr_storage peer;
    socklen_t length = sizeof peer;
    int socket = accept4(server->listener, (struct sockaddr *)&peer, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket >= 0) {
      // If it cannot take the connection, it closes the socket.
      mhd.add_connection(server->daemon, socket, (struct sockaddr *)&peer, length);
    } else if (errno != EINTR && errno != ECONNABORTED) {
      return;
    }
  }
}

void hs_close_listener(hs_server *server) {
  if (server->is_quiet) return;
  server->is_quiet = true;
  server->listener = mhd.quiesce_daemon(server->daemon);
  if (server->listener < 0) return;
  take_waiting_connections(server);
  // After the shutdown, the system refuses new connections. hs_stop closes the socket.
  shutdown(server->listener, SHUT_RDWR);
}

void hs_stop(hs_server *server) {
  pthread_mutex_lock(&server->lock);
  server->stops = true;
  pthread_cond_signal(&server->wake);
  pthread_mutex_unlock(&server->lock);
  pthread_join(server->watch, NULL);
  MHD_socket listener =
    server->is_quiet ? server->listener : mhd.quiesce_daemon(server->daemon);
  for (;;) {
    hs_exchange *open = NULL;
    pthread_mutex_lock(&server->lock);
    for (hs_exchange *each = server->exchanges; each && !open; each = each->next) {
      if (each->is_suspended && !each->response) open = each;
    }
    if (open) hs_retain(open);
    pthread_mutex_unlock(&server->lock);
    if (!open) break;
    const char *headers[] = {"Connection", "close"};
    hs_respond(open, 503, headers, 2, NULL, 0, false);
    hs_release(open);
  }
  mhd.stop_daemon(server->daemon);
  if (listener >= 0) close(listener);
  pthread_mutex_destroy(&server->lock);
  pthread_cond_destroy(&server->wake);
  free(server->pem);
  free(server);
}
