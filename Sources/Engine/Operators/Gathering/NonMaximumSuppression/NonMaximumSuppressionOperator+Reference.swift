import Graph

extension NonMaximumSuppressionOperator {
  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let (boxes, scores) = (inputs[0], inputs[1])
    let (batch, count, classes) = (scores.shape[0], scores.shape[1], scores.shape[2])
    let overlap: Double = try number(inputs, 2) ?? Double(overlapThreshold)
    let minimumScore: Double = try number(inputs, 3) ?? Double(scoreThreshold)
    let maximumCount: Int = try number(inputs, 4).map(ReferenceTensor.integer) ?? maximumBoxes ?? 0
    var keptBoxes = ReferenceTensor(try Shape.checked([batch, maximumCount, 4]))
    var keptScores = ReferenceTensor(try Shape.checked([batch, maximumCount, classes]))
    var keptIndices = ReferenceTensor([batch, maximumCount], repeating: -1)
    var counts = ReferenceTensor([batch])
    for sample in 0..<batch {
      let all: [Box] = (0..<count).map { index -> Box in
        Box(
          corner: Array(
            boxes.values[(sample * count + index) * 4..<(sample * count + index + 1) * 4]),
          scores: Array(
            scores.values[
              (sample * count + index) * classes..<(sample * count + index + 1) * classes]))
      }
      let kept: [Int] = Array(
        kept(all, overlap: overlap, minimumScore: minimumScore).prefix(maximumCount))
      counts.values[sample] = Double(kept.count)
      for (position, index) in kept.enumerated() {
        keptIndices[[sample, position]] = Double(index)
        for part in 0..<4 {
          keptBoxes[[sample, position, part]] = boxes[[sample, index, part]]
        }
        for part in 0..<classes {
          keptScores[[sample, position, part]] = scores[[sample, index, part]]
        }
      }
    }
    return [keptBoxes, keptScores, keptIndices, counts]
  }

  /// Returns the number in an optional input; nil if the operator does not have this input.
  private func number(_ inputs: [ReferenceTensor], _ position: Int) throws -> Double? {
    guard position < inputs.count else { return nil }
    guard inputs[position].values.count == 1 else {
      throw EngineError(
        .invalidInput,
        "input \(position + 1) is \(inputs[position].shape), expected one number.")
    }
    return inputs[position].values[0]
  }

  /// Returns the indices of the boxes that are kept, in descending order of their scores.
  private func kept(_ boxes: [Box], overlap: Double, minimumScore: Double) -> [Int] {
    // Boxes with a NaN score are last.
    let ranks: [Double] = boxes.map { $0.score.isNaN ? -.infinity : $0.score }
    let order: [Int] = boxes.indices.sorted { first, second in
      if boxes[first].score.isNaN != boxes[second].score.isNaN {
        return boxes[second].score.isNaN
      }
      return ranks[first] == ranks[second] ? first < second : ranks[first] > ranks[second]
    }
    var kept: [Int] = []
    for index in order where boxes[index].score > minimumScore {
      let rivals: [Int] = kept.filter {
        !isPerClass || boxes[$0].bestClass == boxes[index].bestClass
      }
      if rivals.allSatisfy({ boxes[$0].overlap(with: boxes[index]) <= overlap }) {
        kept.append(index)
      }
    }
    return kept.isEmpty ? Array(order.prefix(1)) : kept
  }

  /// A box, stored as the positions of its edges, with its best class and the score of this class.
  private struct Box {
    let left, top, right, bottom: Double
    let score: Double
    let bestClass: Int

    /// Creates a box from `corner`, which holds centre x, centre y, width and height, and from one score per class.
    init(corner: [Double], scores: [Double]) {
      left = corner[0] - corner[2] / 2
      right = corner[0] + corner[2] / 2
      top = corner[1] - corner[3] / 2
      bottom = corner[1] + corner[3] / 2
      var best = 0
      for index in scores.indices where scores[index] > scores[best] { best = index }
      bestClass = best
      score = scores[best]
    }

    var area: Double { (right - left) * (bottom - top) }

    /// Computes the intersection over union of two boxes; 0 if the union has no area.
    func overlap(with other: Box) -> Double {
      let width: Double = max(0, min(right, other.right) - max(left, other.left))
      let height: Double = max(0, min(bottom, other.bottom) - max(top, other.top))
      let union: Double = area + other.area - width * height
      return union > 0 ? width * height / union : 0
    }
  }
}
