import CoreGraphics
import Foundation
import Imaging
import ModelTools

/// A detection: a box and its points, in pixels of the picture with the origin at the top left.
struct Detection {
  /// The box.
  var box: CGRect
  /// The points, in the network's order.
  var points: [CGPoint]
  /// The confidence, 0 to 1.
  var score: Float

  /// Returns the intersection over union with another detection's box; 0 for boxes without area.
  func overlap(with other: Detection) -> CGFloat {
    let common: CGRect = box.intersection(other.box)
    guard !common.isNull, common.width > 0, common.height > 0 else { return 0 }
    let area: CGFloat = common.width * common.height
    let union: CGFloat = box.width * box.height + other.box.width * other.box.height - area
    return union > 0 ? area / union : 0
  }
}

/// A single-shot detector. A network makes a box for each anchor, and this type selects the best boxes.
///
/// The anchors are the centres of the cells of several grids. The network's numbers for a box are centre x, centre y,
/// width, height and the points, in pixels of the input. Positions are relative to the anchor.
///
/// **Source:** Liu et al., “SSD: Single Shot MultiBox Detector”, arXiv:1512.02325; Bazarevsky et al., “BlazeFace”,
/// arXiv:1907.05047, for weighted suppression.
struct AnchorDetector {
  /// The network.
  let network: VisionNetwork
  /// The grids: the size of a cell in pixels of the input, and the number of anchors per cell.
  let grids: [(stride: Int, anchors: Int)]
  /// The number of points of a detection.
  let pointCount: Int
  /// The values of black and of white in the network's input.
  let range: ClosedRange<Float>

  /// The least score of a detection.
  private static let leastScore: Float = 0.5
  /// The largest intersection over union of two detections.
  private static let overlapLimit: CGFloat = 0.3

  /// Faces within about two metres. Points: right eye, left eye, nose tip, mouth, right ear, left ear.
  static let faces = AnchorDetector(
    network: .faceDetection, grids: [(8, 2), (16, 6)], pointCount: 6, range: -1...1)
  /// Palms. Points: wrist, the first joints of index, middle, ring and little finger, two points of the thumb.
  static let palms = AnchorDetector(
    network: .palmDetection, grids: [(8, 2), (16, 6)], pointCount: 7, range: 0...1)
  /// Persons. Points: the middle of the hips, a point on the circle around the body, and the same two points for the
  /// upper body.
  static let persons = AnchorDetector(
    network: .poseDetection, grids: [(8, 2), (16, 2), (32, 6)], pointCount: 4, range: -1...1)

  /// Finds objects in a picture, the most confident first.
  func detections(in picture: Picture) throws -> [Detection] {
    let network: LandmarkNetwork = try .opened(network)
    let region = SampledRegion.square(around: picture)
    let outputs: [[Float]] = try network.run(picture, region, range: range, border: .black)
    let anchors: [(CGFloat, CGFloat)] = anchors(side: network.side)
    let width: Int = 4 + 2 * pointCount
    guard outputs.count == 2, outputs[0].count == anchors.count * width,
      outputs[1].count == anchors.count
    else {
      throw VNError(
        .invalidModel,
        "The network '\(self.network.fileName)' does not fit its anchors. Fetch it again: `atelier fetch"
          + " vision --force`.")
    }
    let scale = CGFloat(network.side)
    var found: [Detection] = []
    for (index, anchor) in anchors.enumerated() {
      let score: Float = sigmoid(min(100, max(-100, outputs[1][index])))
      guard score >= Self.leastScore else { continue }
      let row: [CGFloat] = outputs[0][width * index..<width * (index + 1)].map {
        CGFloat($0) / scale
      }
      func point(_ first: Int) -> CGPoint {
        region.point(row[first] + anchor.0, row[first + 1] + anchor.1)
      }
      let centre: CGPoint = point(0)
      let (wide, high) = (row[2] * region.width, row[3] * region.height)
      guard wide >= 0, high >= 0 else { continue }
      found.append(
        Detection(
          box: CGRect(x: centre.x - wide / 2, y: centre.y - high / 2, width: wide, height: high),
          points: (0..<pointCount).map { point(4 + 2 * $0) }, score: score))
    }
    return Self.suppressed(found)
  }

  /// Returns the anchors as fractions of the input, in the network's order.
  private func anchors(side: Int) -> [(CGFloat, CGFloat)] {
    var anchors: [(CGFloat, CGFloat)] = []
    for (stride, count) in grids {
      let cells: Int = (side + stride - 1) / stride
      for row in 0..<cells {
        for column in 0..<cells {
          let anchor = (
            (CGFloat(column) + 0.5) / CGFloat(cells), (CGFloat(row) + 0.5) / CGFloat(cells)
          )
          anchors += [(CGFloat, CGFloat)](repeating: anchor, count: count)
        }
      }
    }
    return anchors
  }

  /// Replaces overlapping detections with one detection: their mean, weighted by their scores, with the highest of the
  /// scores.
  private static func suppressed(_ detections: [Detection]) -> [Detection] {
    var remaining: [Detection] = detections.sorted { $0.score > $1.score }
    var selected: [Detection] = []
    while let best = remaining.first {
      let near: [Detection] = remaining.filter { $0.overlap(with: best) > overlapLimit }
      remaining.removeAll { $0.overlap(with: best) > overlapLimit }
      guard !near.isEmpty else {
        // A box without area overlaps nothing, not even itself.
        remaining.removeFirst()
        continue
      }
      let total: CGFloat = near.reduce(0) { $0 + CGFloat($1.score) }
      func mean(_ value: (Detection) -> CGFloat) -> CGFloat {
        near.reduce(0) { $0 + value($1) * CGFloat($1.score) } / total
      }
      let (left, top) = (mean { $0.box.minX }, mean { $0.box.minY })
      selected.append(
        Detection(
          box: CGRect(
            x: left, y: top, width: mean { $0.box.maxX } - left,
            height: mean { $0.box.maxY } - top),
          points: best.points.indices.map { index in
            CGPoint(x: mean { $0.points[index].x }, y: mean { $0.points[index].y })
          }, score: best.score))
    }
    return selected
  }
}
