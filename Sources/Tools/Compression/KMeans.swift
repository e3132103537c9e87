/// Clusters of numbers on a line: the table of few values that is nearest to many.
///
/// Sorted once, a cluster is a range, and its sum and squared error follow from running sums; so a round of
/// Lloyd's algorithm takes a search per border and not a look at every number. It begins with the best borders
/// among some thousand places, found by dynamic programming, as the best last border rises with the end
/// (divide and conquer); up to that many numbers they are the best of all.
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

  /// The squared distance of the numbers of a range to their mean.
  private func cost(_ start: Int, _ end: Int) -> Double {
    guard end > start else { return 0 }
    let sum: Double = sums[end] - sums[start]
    return max(0, squares[end] - squares[start] - sum * sum / Double(end - start))
  }

  private func mean(_ start: Int, _ end: Int) -> Double {
    (sums[end] - sums[start]) / Double(end - start)
  }

  /// The most places that borders may have in the search for the best table.
  private static let placeLimit = 4096

  /// A rising table of so many values; the last one stands more than once where there are fewer numbers.
  func table(_ count: Int) -> [Float] {
    guard !sorted.isEmpty else { return [Float](repeating: 0, count: count) }
    let borders: [Int]
    if sorted.count <= count {
      borders = Array(0...sorted.count)
    } else {
      borders = refined(bestBorders(count, among: places()))
    }
    var table: [Float] = zip(borders, borders.dropFirst()).compactMap { start, end in
      end > start ? Float(mean(start, end)) : nil
    }
    while table.count < count { table.append(table.last ?? 0) }
    return table
  }

  /// Places for borders: all of them, or as many at even distances as with as many numbers between.
  private func places() -> [Int] {
    guard sorted.count > Self.placeLimit else { return Array(0...sorted.count) }
    let (least, most) = (sorted[0], sorted[sorted.count - 1])
    let half: Int = Self.placeLimit / 2
    var places: Set<Int> = [0, sorted.count]
    for step in 1..<half {
      places.insert(step * sorted.count / half)
      places.insert(place(of: least + (most - least) * Float(step) / Float(half)))
    }
    return places.sorted()
  }

  /// How many numbers lie below a value.
  private func place(of value: Float) -> Int {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle: Int = (low + high) / 2
      if sorted[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: - Lloyd's algorithm

  private func refined(_ start: [Int]) -> [Int] {
    var borders: [Int] = start
    for _ in 0..<1000 {
      let means: [Double?] = zip(borders, borders.dropFirst()).map { start, end in
        end > start ? mean(start, end) : nil
      }
      var next: [Int] = borders
      for index in 1..<borders.count - 1 {
        guard let left = means[index - 1], let right = means[index] else { continue }
        next[index] = place(of: Float((left + right) / 2))
      }
      // An empty cluster takes half of the one that costs most.
      if let empty = (0..<means.count).first(where: { means[$0] == nil }),
        let worst = (0..<means.count).max(by: {
          cost(next[$0], next[$0 + 1]) < cost(next[$1], next[$1 + 1])
        }), next[worst + 1] - next[worst] > 1
      {
        next.remove(at: empty == 0 ? 1 : empty)
        let place: Int = worst > empty ? worst - 1 : worst
        let split: Int = (next[place] + next[place + 1]) / 2
        next.insert(split, at: place + 1)
      }
      if next == borders { break }
      borders = next
    }
    return borders
  }

  // MARK: - The best of all

  /// The borders of least error among some places.
  private func bestBorders(_ count: Int, among places: [Int]) -> [Int] {
    let size: Int = places.count - 1
    // costs[n]: the least error of the numbers before a place in as many clusters as there were rounds.
    var costs: [Double] = places.map { cost(0, $0) }
    var cuts: [[Int32]] = []
    for _ in 1..<max(count, 2) where count > 1 {
      var next = [Double](repeating: 0, count: size + 1)
      var cut = [Int32](repeating: 0, count: size + 1)
      search(costs, places, &next, &cut, 0...size, 0...size)
      cuts.append(cut)
      costs = next
    }
    var borders: [Int] = [size]
    for cut in cuts.reversed() { borders.append(Int(cut[borders[borders.count - 1]])) }
    borders.append(0)
    return borders.reversed().map { places[$0] }
  }

  /// Fills the least errors of a range of ends, whose last cuts lie in another range.
  private func search(
    _ costs: [Double], _ places: [Int], _ next: inout [Double], _ cut: inout [Int32],
    _ ends: ClosedRange<Int>, _ starts: ClosedRange<Int>
  ) {
    let end: Int = (ends.lowerBound + ends.upperBound) / 2
    var (best, bestStart) = (Double.infinity, starts.lowerBound)
    for start in starts.lowerBound...max(starts.lowerBound, min(end, starts.upperBound)) {
      let value: Double = costs[start] + cost(places[start], places[end])
      if value < best { (best, bestStart) = (value, start) }
    }
    (next[end], cut[end]) = (best, Int32(bestStart))
    if end > ends.lowerBound {
      search(
        costs, places, &next, &cut, ends.lowerBound...end - 1, starts.lowerBound...bestStart)
    }
    if end < ends.upperBound {
      search(
        costs, places, &next, &cut, end + 1...ends.upperBound, bestStart...starts.upperBound)
    }
  }
}

extension [Float] {
  /// The place of the nearest value of a rising table.
  func nearest(to value: Float) -> Int {
    var (low, high) = (0, count - 1)
    while low < high {
      let middle: Int = (low + high) / 2
      if value > (self[middle] + self[middle + 1]) / 2 { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
