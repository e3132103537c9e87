#include "CNormStatistics.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <vector>

namespace {

/// One axis of a norm's feature maps. A network may mirror a margin around the picture, and halve or double it. So a
/// feature map has (pixels + 2 · margin) · scale rows. Two surveyed runs say what margin and scale are.
struct Axis {
  struct Survey {
    int64_t pixels = 0, rows = 0;
  };
  Survey first, second;

  void add(int64_t pixels, int64_t rows) {
    first = second;
    second = {pixels, rows};
  }

  /// Returns the rows of a feature map for a span of the picture's pixels. A span that reaches the picture's first or
  /// last pixel includes the margin there. If the axis was not surveyed, returns all rows.
  cns_span rows(const cns_span &span, int64_t pixels, int64_t count) const {
    const auto growth = static_cast<double>(second.rows - first.rows);
    const double scale = growth / static_cast<double>(second.pixels - first.pixels);
    if (!(scale > 0)) return {0, count};
    const double covered = static_cast<double>(second.rows) / scale;
    const double margin = (covered - static_cast<double>(second.pixels)) / 2;
    auto row = [&](int64_t pixel) {
      const double exact = (static_cast<double>(pixel) + margin) * scale;
      return std::clamp(static_cast<int64_t>(std::lround(exact)), int64_t{0}, count);
    };
    const cns_span found{
        span.begin > 0 ? row(span.begin) : 0, span.end < pixels ? row(span.end) : count};
    return found.begin < found.end ? found : cns_span{0, count};
  }
};

enum class Use { follow, survey, measure };

}  // namespace

struct cns_norm {
  double rate = 0;
  Use use = Use::follow;
  /// The running mean and variance of each channel. NaN until the first run.
  std::vector<double> means, variances;
  /// The sums of measuring runs: means and mean squares, times the numbers of pixels. Empty if nothing is measured.
  std::vector<double> meanSums, squareSums;
  /// The number of pixels of the feature map that this run measures, and that all measuring runs have measured.
  double weight = 0, weights = 0;
  cns_span measuredRows = {}, measuredColumns = {};
  Axis rows, columns;

  void resize(int64_t channels) {
    const auto size = static_cast<size_t>(channels);
    if (means.size() == size) return;
    means.assign(size, NAN);
    variances.assign(size, NAN);
  }

  bool isKnown() const {
    const auto isUnknown = [](double value) { return std::isnan(value); };
    return std::none_of(means.begin(), means.end(), isUnknown)
        && std::none_of(variances.begin(), variances.end(), isUnknown);
  }
};

struct cns_record {
  std::vector<std::unique_ptr<cns_norm>> norms;
  double rate = 0;
  Use use = Use::follow;
  /// The part that measuring runs measure. Surveyed runs use its picture's size.
  cns_part part = {};
  size_t next = 0;
  bool needsStatistics = true;
};

namespace {
thread_local cns_record *current = nullptr;

void connect(cns_record *record, Use use, double rate, const cns_part &part) {
  record->use = use;
  record->rate = rate;
  record->part = part;
  record->next = 0;
  record->needsStatistics = use != Use::follow || rate != 0 || record->norms.empty()
      || !std::all_of(record->norms.begin(), record->norms.end(),
          [](const auto &norm) { return norm->isKnown(); });
  current = record;
}
}  // namespace

extern "C" {

cns_record *cns_create(void) { return new (std::nothrow) cns_record(); }

void cns_destroy(cns_record *record) { delete record; }

void cns_clear(cns_record *record) { record->norms.clear(); }

void cns_begin(cns_record *record, double rate) { connect(record, Use::follow, rate, {}); }

void cns_survey(cns_record *record, int64_t height, int64_t width) {
  connect(record, Use::survey, 0, {height, width, {0, height}, {0, width}});
}

void cns_measure(cns_record *record, const cns_part *part) {
  connect(record, Use::measure, 0, *part);
}

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

bool cns_needs_statistics(void) { return !current || current->needsStatistics; }

bool cns_is_known(const cns_norm *norm) { return norm->isKnown(); }

cns_norm *cns_next(int64_t channels, int64_t height, int64_t width) {
  cns_record *const record = current;
  if (!record) return nullptr;
  if (record->next == record->norms.size()) record->norms.push_back(std::make_unique<cns_norm>());
  cns_norm &norm = *record->norms[record->next++];
  const cns_part &part = record->part;
  norm.resize(channels);
  norm.rate = record->rate;
  norm.use = record->use;
  norm.measuredRows = {0, height};
  norm.measuredColumns = {0, width};
  if (norm.use == Use::survey) {
    norm.rows.add(part.height, height);
    norm.columns.add(part.width, width);
  } else if (norm.use == Use::measure) {
    norm.measuredRows = norm.rows.rows(part.rows, part.height, height);
    norm.measuredColumns = norm.columns.rows(part.columns, part.width, width);
    norm.weight = static_cast<double>(
        (norm.measuredRows.end - norm.measuredRows.begin)
        * (norm.measuredColumns.end - norm.measuredColumns.begin));
    norm.meanSums.resize(static_cast<size_t>(channels));
    norm.squareSums.resize(static_cast<size_t>(channels));
    norm.weights += norm.weight;
  }
  return &norm;
}

void cns_measured(const cns_norm *norm, cns_span *rows, cns_span *columns) {
  *rows = norm->measuredRows;
  *columns = norm->measuredColumns;
}

void cns_exchange(cns_norm *norm, int64_t channel, double *mean, double *variance) {
  if (norm->use == Use::survey) return;
  const auto c = static_cast<size_t>(channel);
  double &heldMean = norm->means[c], &heldVariance = norm->variances[c];
  if (norm->use == Use::measure) {
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
