#include "CNormStatistics.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <vector>

struct cns_norm {
  double rate = 0;
  /// The running mean and variance of each channel. NaN until the first run.
  std::vector<double> means, variances;
  /// The sums of measuring runs: means and mean squares, times the weights. Empty if nothing is measured.
  std::vector<double> meanSums, squareSums;
  double weight = 0, weights = 0;

  void resize(int64_t channels) {
    const auto size = static_cast<size_t>(channels);
    if (means.size() == size) return;
    means.assign(size, NAN);
    variances.assign(size, NAN);
  }
};

struct cns_record {
  std::vector<std::unique_ptr<cns_norm>> norms;
  double rate = 0;
  /// The weight of measuring runs. 0 if runs do not measure.
  double weight = 0;
  size_t next = 0;
};

namespace {
thread_local cns_record *current = nullptr;

void connect(cns_record *record, double rate, double weight) {
  record->rate = rate;
  record->weight = weight;
  record->next = 0;
  current = record;
}
}

extern "C" {

cns_record *cns_create(void) { return new (std::nothrow) cns_record(); }

void cns_destroy(cns_record *record) { delete record; }

void cns_clear(cns_record *record) { record->norms.clear(); }

void cns_begin(cns_record *record, double rate) { connect(record, rate, 0); }

void cns_measure(cns_record *record, double weight) { connect(record, 0, weight); }

double cns_adopt(cns_record *record) {
  double sum = 0;
  int64_t count = 0;
  for (auto &norm : record->norms) {
    if (norm->weights <= 0) continue;
    for (size_t c = 0; c < norm->meanSums.size(); ++c) {
      const double mean = norm->meanSums[c] / norm->weights;
      const double variance = std::max(0.0, norm->squareSums[c] / norm->weights - mean * mean);
      // Keeps channels that are the same everywhere from counting.
      const double deviation = std::sqrt(variance) + 1e-6 * (1 + std::fabs(mean));
      const double shift = (mean - norm->means[c]) / deviation;
      const double growth = std::sqrt(std::max(0.0, norm->variances[c])) / deviation - 1;
      sum += std::isnan(shift) || std::isnan(growth) ? INFINITY : shift * shift + growth * growth;
      ++count;
      norm->means[c] = mean;
      norm->variances[c] = variance;
    }
    norm->meanSums.clear();
    norm->squareSums.clear();
    norm->weights = 0;
  }
  return count > 0 ? std::sqrt(sum / static_cast<double>(count)) : 0;
}

void cns_end(void) { current = nullptr; }

int64_t cns_value_count(const cns_record *record) {
  int64_t count = 0;
  for (auto &norm : record->norms) count += 1 + 2 * static_cast<int64_t>(norm->means.size());
  return count;
}

void cns_read(const cns_record *record, double *values) {
  for (auto &norm : record->norms) {
    *values++ = static_cast<double>(norm->means.size());
    values = std::copy(norm->means.begin(), norm->means.end(), values);
    values = std::copy(norm->variances.begin(), norm->variances.end(), values);
  }
}

bool cns_write(cns_record *record, const double *values, int64_t count) {
  record->norms.clear();
  const double *const end = values + count;
  while (values < end) {
    const double channels = *values++;
    if (!(channels >= 0) || channels > static_cast<double>((end - values) / 2)) {
      record->norms.clear();
      return false;
    }
    const auto size = static_cast<int64_t>(channels);
    auto norm = std::make_unique<cns_norm>();
    norm->means.assign(values, values + size);
    norm->variances.assign(values + size, values + 2 * size);
    values += 2 * size;
    record->norms.push_back(std::move(norm));
  }
  return true;
}

cns_norm *cns_next(int64_t channels) {
  cns_record *const record = current;
  if (!record) return nullptr;
  if (record->next == record->norms.size()) record->norms.push_back(std::make_unique<cns_norm>());
  cns_norm &norm = *record->norms[record->next++];
  norm.resize(channels);
  norm.rate = record->rate;
  norm.weight = record->weight;
  if (norm.weight > 0) {
    norm.meanSums.resize(static_cast<size_t>(channels));
    norm.squareSums.resize(static_cast<size_t>(channels));
    norm.weights += norm.weight;
  }
  return &norm;
}

void cns_exchange(cns_norm *norm, int64_t channel, double *mean, double *variance) {
  const auto c = static_cast<size_t>(channel);
  double &heldMean = norm->means[c], &heldVariance = norm->variances[c];
  if (norm->weight > 0) {
    norm->meanSums[c] += norm->weight * *mean;
    norm->squareSums[c] += norm->weight * (*variance + *mean * *mean);
    if (std::isnan(heldMean) || std::isnan(heldVariance)) return;
  } else if (std::isnan(heldMean) || std::isnan(heldVariance)) {
    heldMean = *mean;
    heldVariance = *variance;
  } else {
    heldMean += norm->rate * (*mean - heldMean);
    heldVariance += norm->rate * (*variance - heldVariance);
  }
  *mean = heldMean;
  *variance = heldVariance;
}

}  // extern "C"
