/// K-means clustering in one dimension: finds a table with a given number of values. The table minimises the sum of the
/// squared differences between each number and the number's nearest value in the table.
///
/// The numbers are sorted once, so a cluster is a range of the sorted numbers. Prefix sums give the sum and the squared
/// error of a cluster. An iteration of Lloyd's algorithm then takes one binary search per boundary and does not read
/// every number. Lloyd's algorithm starts from the optimal boundaries among some thousand candidate positions. Dynamic
/// programming with divide and conquer finds these boundaries. Divide and conquer is valid because the optimal last
/// boundary is monotonic: it does not move to an earlier position when numbers are appended to the range. If there are
/// few numbers, all positions are candidates, and the boundaries are the global optimum.
///
/// **Source:** S. Lloyd, “Least squares quantization in PCM” (1982); A. Grønlund et al., “Fast exact k-means,
/// k-medians and Bregman divergence clustering in 1D” (2017).
struct KMeans {
  private let sorted: [Float]
  private let sums: [Double]
  private let squares: [Double]

  init(_ values: [Float]) {
    sorted = values.sorted()
    var (sums, squares): ([Double], [Double]) = ([0], [0])
    sums.reserveCapacity(values.count + 1)
    squares.reserveCapacity(values.count + 1)
    var (sum, square) = (0.0, 0.0)
    for value in sorted {
      sum += Double(value)
      square += Double(value) * Double(value)
      sums.append(sum)
      squares.append(square)
    }
    (self.sums, self.squares) = (sums, squares)
  }

  /// Returns the error of a cluster: the sum of the squared differences between the sorted numbers `start..<end` and
  /// their mean.
  private func cost(_ start: Int, _ end: Int) -> Double {
    guard end > start else { return 0 }
    let sum: Double = sums[end] - sums[start]
    return max(0, squares[end] - squares[start] - sum * sum / Double(end - start))
  }

  private func mean(_ start: Int, _ end: Int) -> Double {
    (sums[end] - sums[start]) / Double(end - start)
  }

  /// The greatest number of candidate positions for boundaries in the dynamic programming.
  private static let candidateLimit = 4096

  /// Computes the ascending table of `count` values. If there are fewer than `count` numbers, the last value is
  /// repeated.
  func table(_ count: Int) -> [Float] {
    guard !sorted.isEmpty else { return [Float](repeating: 0, count: count) }
    let boundaries: [Int]
    if sorted.count <= count {
      boundaries = Array(0...sorted.count)
    } else {
      boundaries = refined(bestBoundaries(count, among: candidates()))
    }
    var table: [Float] = zip(boundaries, boundaries.dropFirst()).compactMap { start, end in
      end > start ? Float(mean(start, end)) : nil
    }
    while table.count < count { table.append(table.last ?? 0) }
    return table
  }

  /// Returns the candidate positions of boundaries. If there are more positions than ``candidateLimit``, half of the
  /// candidates are at equidistant values, and the other half at equidistant indices of the sorted numbers.
  private func candidates() -> [Int] {
    guard sorted.count > Self.candidateLimit else { return Array(0...sorted.count) }
    let (least, most) = (sorted[0], sorted[sorted.count - 1])
    let half: Int = Self.candidateLimit / 2
    var candidates: Set<Int> = [0, sorted.count]
    for step in 1..<half {
      candidates.insert(step * sorted.count / half)
      candidates.insert(count(below: least + (most - least) * Float(step) / Float(half)))
    }
    return candidates.sorted()
  }

  /// Returns how many of the sorted numbers are below a value.
  private func count(below value: Float) -> Int {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle: Int = (low + high) / 2
      if sorted[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: - Lloyd's algorithm

  private func refined(_ start: [Int]) -> [Int] {
    var boundaries: [Int] = start
    for _ in 0..<1000 {
      let means: [Double?] = zip(boundaries, boundaries.dropFirst()).map { start, end in
        end > start ? mean(start, end) : nil
      }
      var next: [Int] = boundaries
      for index in 1..<boundaries.count - 1 {
        guard let left = means[index - 1], let right = means[index] else { continue }
        next[index] = count(below: Float((left + right) / 2))
      }
      // If a cluster is empty, the cluster with the largest error is split, and the empty cluster takes one half.
      if let empty = (0..<means.count).first(where: { means[$0] == nil }),
        let worst = (0..<means.count).max(by: {
          cost(next[$0], next[$0 + 1]) < cost(next[$1], next[$1 + 1])
        }), next[worst + 1] - next[worst] > 1
      {
        next.remove(at: empty == 0 ? 1 : empty)
        let position: Int = worst > empty ? worst - 1 : worst
        let split: Int = (next[position] + next[position + 1]) / 2
        next.insert(split, at: position + 1)
      }
      if next == boundaries { break }
      boundaries = next
    }
    return boundaries
  }

  // MARK: - The optimum

  /// Returns the boundaries of `count` clusters with the least total error. Chooses them among the candidate positions.
  private func bestBoundaries(_ count: Int, among candidates: [Int]) -> [Int] {
    let size: Int = candidates.count - 1
    // costs[n] is the least error of the numbers before candidate n. At first, these numbers form one cluster. Each
    // iteration adds a cluster.
    var costs: [Double] = candidates.map { cost(0, $0) }
    var cuts: [[Int32]] = []
    for _ in 1..<max(count, 2) where count > 1 {
      var next = [Double](repeating: 0, count: size + 1)
      var cut = [Int32](repeating: 0, count: size + 1)
      search(costs, candidates, &next, &cut, 0...size, 0...size)
      cuts.append(cut)
      costs = next
    }
    var boundaries: [Int] = [size]
    for cut in cuts.reversed() { boundaries.append(Int(cut[boundaries[boundaries.count - 1]])) }
    boundaries.append(0)
    return boundaries.reversed().map { candidates[$0] }
  }

  /// Adds one cluster to the clusters of `costs`. For each candidate in `ends`, computes the least error of the numbers
  /// before that candidate. The added cluster is the last one, and begins at a candidate in `starts`.
  private func search(
    _ costs: [Double], _ candidates: [Int], _ next: inout [Double], _ cut: inout [Int32],
    _ ends: ClosedRange<Int>, _ starts: ClosedRange<Int>
  ) {
    let end: Int = (ends.lowerBound + ends.upperBound) / 2
    var (best, bestStart) = (Double.infinity, starts.lowerBound)
    for start in starts.lowerBound...max(starts.lowerBound, min(end, starts.upperBound)) {
      let value: Double = costs[start] + cost(candidates[start], candidates[end])
      if value < best { (best, bestStart) = (value, start) }
    }
    (next[end], cut[end]) = (best, Int32(bestStart))
    if end > ends.lowerBound {
      search(
        costs, candidates, &next, &cut, ends.lowerBound...end - 1, starts.lowerBound...bestStart)
    }
    if end < ends.upperBound {
      search(
        costs, candidates, &next, &cut, end + 1...ends.upperBound, bestStart...starts.upperBound)
    }
  }
}

extension [Float] {
  /// Returns the index of the nearest value in an ascending table.
  func nearest(to value: Float) -> Int {
    var (low, high) = (0, count - 1)
    while low < high {
      let middle: Int = (low + high) / 2
      if value > (self[middle] + self[middle + 1]) / 2 { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
