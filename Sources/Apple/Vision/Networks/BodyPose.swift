import CoreGraphics
import Foundation
import Imaging
import ModelTools

/// The 33 points of a body, in pixels of the picture with the origin at the top left.
struct BodyPose {
  /// The positions, in BlazePose's order.
  let points: [CGPoint]
  /// For each point, the probability that it is in the picture and not hidden, 0 to 1.
  let visibilities: [Float]
  /// The confidence that the region shows a person, 0 to 1.
  let score: Float

  private static let pointCount = 33
  private static let rawCount = 39
  private static let numbersPerPoint = 5

  /// Finds the bodies of all persons.
  static func bodies(in picture: Picture) throws -> [BodyPose] {
    try AnchorDetector.persons.detections(in: picture).map { try BodyPose(picture, $0) }
      .filter { $0.score > 0.5 }
  }

  /// Finds the points of a detected person.
  private init(_ picture: Picture, _ person: Detection) throws {
    let (hips, edge) = (person.points[0], person.points[1])
    let side: CGFloat = 2 * hypot(edge.x - hips.x, edge.y - hips.y)
    let region = SampledRegion(
      centre: hips, width: side, height: side,
      rotation: SampledRegion.rotation(from: hips, to: edge, target: .pi / 2)
    ).squared(scale: 1.25)
    let network: LandmarkNetwork = try .opened(.poseLandmarks)
    let outputs: [[Float]] = try network.run(picture, region, range: 0...1, border: .nearest)
    guard outputs.count == 5, outputs[0].count == Self.rawCount * Self.numbersPerPoint,
      outputs[1].count == 1
    else {
      throw VNError(
        .invalidModel,
        "The network for poses has other outputs than expected. Fetch it again: `atelier fetch vision"
          + " --force`.")
    }
    let inputSide = Float(network.side)
    let heatMaps = HeatMaps(values: outputs[3], count: Self.rawCount)
    points = (0..<Self.pointCount).map { index in
      let start: Int = index * Self.numbersPerPoint
      let (x, y) = heatMaps.refined(
        x: outputs[0][start] / inputSide, y: outputs[0][start + 1] / inputSide, point: index)
      return region.point(CGFloat(x), CGFloat(y))
    }
    visibilities = (0..<Self.pointCount).map { sigmoid(outputs[0][$0 * Self.numbersPerPoint + 3]) }
    score = outputs[1][0]
  }
}

/// A square heat map for each point: `[rows, columns, points]`. The sigmoid of a value is the likelihood of the point
/// at that pixel.
private struct HeatMaps {
  let values: [Float]
  let count: Int
  private let side: Int

  init(values: [Float], count: Int) {
    (self.values, self.count) = (values, count)
    side = Int(Float(values.count / count).squareRoot())
  }

  /// Returns the centre of mass of a point's heat map in a window of 9 × 9 around a position. Returns the position
  /// itself if no likelihood in the window is at least 0.5. Positions are fractions of the maps' size.
  func refined(x: Float, y: Float, point: Int) -> (Float, Float) {
    let (column, row) = (Int(bounded: x * Float(side)), Int(bounded: y * Float(side)))
    guard (0..<side).contains(column), (0..<side).contains(row) else { return (x, y) }
    var (sum, across, down, highest): (Float, Float, Float, Float) = (0, 0, 0, 0)
    for v in max(0, row - 4)..<min(side, row + 5) {
      for u in max(0, column - 4)..<min(side, column + 5) {
        let likelihood: Float = sigmoid(values[(v * side + u) * count + point])
        sum += likelihood
        across += Float(u) * likelihood
        down += Float(v) * likelihood
        highest = max(highest, likelihood)
      }
    }
    guard highest >= 0.5, sum > 0 else { return (x, y) }
    return (across / sum / Float(side), down / sum / Float(side))
  }
}

extension Int {
  /// Rounds a number towards zero. Numbers far outside of a picture, and NaN, become −1.
  fileprivate init(bounded value: Float) { self = value > -1e6 && value < 1e6 ? Int(value) : -1 }
}
