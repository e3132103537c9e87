// The statistics that instance norms compute over several runs of one network.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The means and variances of a network's instance norms, in the order in which a run computes them. One thread at a
/// time may use a record.
typedef struct cns_record cns_record;

/// One instance norm of a record.
typedef struct cns_norm cns_norm;

/// A span of rows or columns: those from `begin` to before `end`.
typedef struct cns_span {
  int64_t begin, end;
} cns_span;

/// A part of a picture, in pixels, and the size of the picture.
typedef struct cns_part {
  int64_t height, width;
  cns_span rows, columns;
} cns_part;

/// Makes an empty record. Returns null if there is no memory.
cns_record *cns_create(void);

/// Frees a record.
void cns_destroy(cns_record *record);

/// Deletes all statistics.
void cns_clear(cns_record *record);

/// Connects a record with the runs of this thread until `cns_end`. In these runs, each norm first moves the running
/// mean in the record towards its own statistics. The norm then uses the running mean instead of its own statistics.
///
/// - rate: How far the running mean moves towards a run's own statistics, 0 to 1.
void cns_begin(cns_record *record, double rate);

/// Connects a record with the runs of this thread until `cns_end`, to measure a part of the picture. In these runs, each
/// norm uses the record's statistics without changing them, or its own ones if the record has none. The statistics of
/// the part are added to sums in the record, until `cns_adopt` replaces the record's statistics by the statistics of all
/// these parts together.
///
/// Where the part reaches a side of the picture, the margin that the network adds there is part of the part. A part that
/// is smaller than the picture needs two surveyed runs before; without them, the whole picture is measured.
void cns_measure(cns_record *record, const cns_part *part);

/// Connects a record with one run of this thread until `cns_end`, which only says how large the feature maps are for a
/// picture of this size. Two such runs with pictures of different sizes say which pixels of a feature map belong to a
/// part of a picture.
void cns_survey(cns_record *record, int64_t height, int64_t width);

/// Replaces the record's statistics by the measured ones, and begins new sums. Returns how far the statistics moved:
/// the root mean square, over all channels, of the difference of the means in standard deviations and of the relative
/// difference of the standard deviations. Infinite if the record had no statistics, 0 if no norm was measured.
double cns_adopt(cns_record *record);

/// Disconnects this thread's record.
void cns_end(void);

/// Returns the number of values that `cns_read` writes: for each norm the number of channels, the means and the
/// variances.
int64_t cns_value_count(const cns_record *record);

/// Writes the record's statistics.
void cns_read(const cns_record *record, double *values);

/// Replaces the record's statistics by `count` values from `cns_read`. Returns false if the values are not consistent;
/// the record is then empty.
bool cns_write(cns_record *record, const double *values, int64_t count);

// MARK: For kernels

/// Returns whether the norms of this thread's run need the statistics of their feature maps. They do not if a record's
/// running means do not move (a rate of 0) and it has those of an earlier run.
bool cns_needs_statistics(void);

/// Returns whether the record has statistics of a norm.
bool cns_is_known(const cns_norm *norm);

/// Returns the next norm of this thread's record, or null if the thread has no record. A kernel calls this function once
/// for each norm, on the thread that runs the network.
///
/// - channels: The number of channels, times the number of images in the batch.
/// - height, width: The size of the feature map.
cns_norm *cns_next(int64_t channels, int64_t height, int64_t width);

/// Returns the rows and columns of the feature map whose statistics the kernel gives to `cns_exchange`.
void cns_measured(const cns_norm *norm, cns_span *rows, cns_span *columns);

/// Gives a norm the statistics of one channel, and replaces them by those that the kernel must use. Threads may call
/// this function at the same time for different channels.
void cns_exchange(cns_norm *norm, int64_t channel, double *mean, double *variance);

#ifdef __cplusplus
}
#endif
