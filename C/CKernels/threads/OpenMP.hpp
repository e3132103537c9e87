#pragma once

// The entry points of libgomp, whose thread pool oneDNN uses, too. With direct calls, the compiler needs no support for
// OpenMP.
extern "C" {
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags);
int omp_get_max_threads(void);
int omp_get_num_procs(void);
int omp_get_num_threads(void);
int omp_get_thread_num(void);
int omp_in_parallel(void);
int omp_pause_resource_all(int kind);
}
