import Tensors

/// Grows one tree from gradients: each split is the one that reduces a second-order approximation of the loss most.
///
/// With G the sum of a node's gradients, H the sum of its second derivatives and λ the regularisation, a leaf has the
/// value −G / (H + λ), and a split reduces the loss by
///
///     G_left² / (H_left + λ)  +  G_right² / (H_right + λ)  −  G² / (H + λ)
///
/// summed over the scores. With the gradient −y, the second derivative 1 and λ = 0, a leaf has the mean of y. If y is
/// the one-hot vector of a class, the reduction is that of the Gini impurity.
///
/// **Sources:** Chen and Guestrin, “XGBoost: A Scalable Tree Boosting System” (2016), equations 5 and 7; Breiman et al.,
/// “Classification and Regression Trees” (1984).
struct TreeGrower {
  struct Settings: Sendable {
    /// The greatest number of splits between the root and a leaf.
    var maxDepth: Int
    /// The reduction of the loss that a split needs.
    var minLossReduction: Double
    /// The sum of second derivatives that each child of a split needs.
    var minChildWeight: Double
    /// The regularisation λ.
    var regularization: Double
    /// The fraction of the features that are tried at each split. 1 tries all.
    var featuresPerSplit: Double = 1
  }

  /// The gradients of the rows, `[row · scoreCount + score]`, and their second derivatives, `[row]`.
  struct Slopes {
    let scoreCount: Int
    var gradients: [Double]
    var curvatures: [Double]
  }

  private struct Split {
    var reduction: Double
    var feature: Int
    var bin: Int
    var threshold: Double
    var missingGoesLeft: Bool
  }

  /// A reduction that is only a rounding error.
  private static let leastReduction: Double = 1e-6

  let bins: FeatureBins
  let settings: Settings

  /// Grows a tree on rows. A row may occur several times.
  ///
  /// - Parameter features: The features that the tree may use.
  func tree(
    rows: [Int], features: [Int], _ slopes: Slopes, generator: inout SplitMix64
  ) -> DecisionTree {
    var tree = DecisionTree(valueCount: slopes.scoreCount)
    var rows: [Int] = rows
    var histogram = [Double](
      repeating: 0, count: FeatureBins.slots * (slopes.scoreCount + 1))
    grow(&tree, &rows, 0..<rows.count, 0, features, slopes, &generator, &histogram)
    return tree
  }

  /// Adds the node of `rows[range]` and its descendants, and returns the node's position.
  @discardableResult
  private func grow(
    _ tree: inout DecisionTree, _ rows: inout [Int], _ range: Range<Int>, _ depth: Int,
    _ features: [Int], _ slopes: Slopes, _ generator: inout SplitMix64,
    _ histogram: inout [Double]
  ) -> Int {
    let count: Int = slopes.scoreCount
    var totals = [Double](repeating: 0, count: count + 1)
    for row in rows[range] {
      for score in 0..<count { totals[score] += slopes.gradients[row * count + score] }
      totals[count] += slopes.curvatures[row]
    }
    let weight: Double = totals[count] + settings.regularization
    let position: Int = tree.addLeaf(totals[..<count].map { weight > 0 ? -$0 / weight : 0 })
    guard depth < settings.maxDepth, range.count > 1 else { return position }
    var best: Split?
    for feature in tried(features, &generator) {
      fill(&histogram, feature, rows, range, slopes)
      improve(&best, feature, histogram, totals)
    }
    guard let best, best.reduction > max(settings.minLossReduction, Self.leastReduction) else {
      return position
    }
    let column: [UInt8] = bins.bins[best.feature]
    let middle: Int = rows[range].partition { row in
      let bin: UInt8 = column[row]
      return bin == FeatureBins.missing ? !best.missingGoesLeft : Int(bin) > best.bin
    }
    let left: Int = grow(
      &tree, &rows, range.lowerBound..<middle, depth + 1, features, slopes, &generator,
      &histogram)
    let right: Int = grow(
      &tree, &rows, middle..<range.upperBound, depth + 1, features, slopes, &generator,
      &histogram)
    tree.split(
      position, feature: best.feature, threshold: best.threshold,
      left: left,
      right: right, missingGoesLeft: best.missingGoesLeft)
    return position
  }

  private func tried(_ features: [Int], _ generator: inout SplitMix64) -> [Int] {
    guard settings.featuresPerSplit < 1 else { return features }
    let count: Int = max(1, Int(settings.featuresPerSplit * Double(features.count)))
    return features.shuffled(using: &generator)[..<count].sorted()
  }

  /// Sums the gradients and second derivatives of each bin: `[bin · (scoreCount + 1) + score]`.
  private func fill(
    _ histogram: inout [Double], _ feature: Int, _ rows: [Int], _ range: Range<Int>,
    _ slopes: Slopes
  ) {
    let count: Int = slopes.scoreCount
    let used: Int = (bins.boundaries[feature].count + 1) * (count + 1)
    histogram.withUnsafeMutableBufferPointer { sums in
      sums[..<used].update(repeating: 0)
      sums[(Int(FeatureBins.missing) * (count + 1))...].update(repeating: 0)
      bins.bins[feature].withUnsafeBufferPointer { column in
        slopes.gradients.withUnsafeBufferPointer { gradients in
          slopes.curvatures.withUnsafeBufferPointer { curvatures in
            rows.withUnsafeBufferPointer { rows in
              for row in rows[range] {
                let start: Int = Int(column[row]) * (count + 1)
                for score in 0..<count { sums[start + score] += gradients[row * count + score] }
                sums[start + count] += curvatures[row]
              }
            }
          }
        }
      }
    }
  }

  /// Replaces `best` if a split of the feature reduces the loss more.
  private func improve(
    _ best: inout Split?, _ feature: Int, _ histogram: [Double], _ totals: [Double]
  ) {
    histogram.withUnsafeBufferPointer { improve(&best, feature, $0, totals) }
  }

  private func improve(
    _ best: inout Split?, _ feature: Int, _ histogram: UnsafeBufferPointer<Double>,
    _ totals: [Double]
  ) {
    let count: Int = totals.count - 1
    let missing: Int = Int(FeatureBins.missing) * (count + 1)
    let hasMissing: Bool = histogram[missing + count] > 0
    let lambda: Double = settings.regularization
    func quality(_ gradient: Double, _ weight: Double) -> Double {
      gradient * gradient / (weight + lambda)
    }
    let boundaries: [Double] = bins.boundaries[feature]
    var whole: Double = 0
    for score in 0..<count { whole += quality(totals[score], totals[count]) }
    var left = [Double](repeating: 0, count: count + 1)
    for missingGoesLeft in hasMissing ? [false, true] : [false] {
      for index in 0...count { left[index] = missingGoesLeft ? histogram[missing + index] : 0 }
      for bin in boundaries.indices {
        let start: Int = bin * (count + 1)
        guard histogram[start + count] > 0 else { continue }
        for index in 0...count { left[index] += histogram[start + index] }
        let rest: Double = totals[count] - left[count]
        guard rest > 0, left[count] >= settings.minChildWeight, rest >= settings.minChildWeight
        else { continue }
        var reduction: Double = -whole
        for score in 0..<count {
          reduction +=
            quality(left[score], left[count]) + quality(totals[score] - left[score], rest)
        }
        if reduction > best?.reduction ?? 0 {
          // The threshold lies in the middle of the bins that no row of this node is in.
          var next: Int = bin + 1
          while histogram[next * (count + 1) + count] <= 0, next < boundaries.count { next += 1 }
          let (low, high) = (boundaries[bin], boundaries[next - 1])
          best = Split(
            reduction: reduction, feature: feature, bin: bin, threshold: low + (high - low) / 2,
            missingGoesLeft: missingGoesLeft)
        }
      }
    }
  }
}
