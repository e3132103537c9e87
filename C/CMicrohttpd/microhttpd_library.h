// The functions of libmicrohttpd. The library is loaded when a server starts. The program is not linked with it,
// because the library depends on GnuTLS. Linking both would take 2 ms at every start, and most commands start no
// server.
#pragma once

#include <microhttpd.h>
#include <stdbool.h>

#define MHD_FUNCTIONS(F) \
  F(add_connection) F(add_response_header) F(create_response_for_upgrade) F(create_response_from_buffer) \
  F(create_response_from_fd_at_offset64) F(destroy_response) F(get_connection_info) F(get_connection_values) F(get_daemon_info) \
  F(is_feature_supported) F(queue_response) F(quiesce_daemon) F(resume_connection) F(start_daemon) F(stop_daemon) \
  F(suspend_connection) F(upgrade_action)

typedef struct {
#define MHD_MEMBER(name) __typeof__(MHD_##name) *name;
  MHD_FUNCTIONS(MHD_MEMBER)
#undef MHD_MEMBER
} mhd_functions;

/// The functions of the library. They are NULL before mhd_load.
extern mhd_functions mhd_library;
#define mhd mhd_library

/// Loads the library at the first call. Any thread may call this function. Returns false if the library is not
/// installed.
bool mhd_load(void);
