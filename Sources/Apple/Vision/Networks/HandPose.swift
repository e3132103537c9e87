import CoreGraphics
import Imaging
import ModelTools

/// The 21 joints of a hand, in pixels of the picture with the origin at the top left.
struct HandPose {
  /// The positions: the wrist, then four joints for each finger, thumb first. The joints of a finger go from the palm
  /// outwards.
  let points: [CGPoint]
  /// The confidence that the region shows a hand, 0 to 1.
  let score: Float
  /// The probability that the hand is a right hand, in a picture that is not mirrored.
  let rightness: Float

  private static let pointCount = 21

  /// Finds at most `maximum` hands.
  static func hands(in picture: Picture, maximum: Int) throws -> [HandPose] {
    let palms: [Detection] = try AnchorDetector.palms.detections(in: picture)
    var hands: [HandPose] = []
    for palm in palms.prefix(maximum) {
      let hand = try HandPose(picture, palm)
      if hand.score > 0.5 { hands.append(hand) }
    }
    return hands
  }

  /// Finds the joints of the hand around a palm.
  private init(_ picture: Picture, _ palm: Detection) throws {
    let region = SampledRegion(
      centre: CGPoint(x: palm.box.midX, y: palm.box.midY), width: palm.box.width,
      height: palm.box.height,
      rotation: SampledRegion.rotation(from: palm.points[0], to: palm.points[2], target: .pi / 2)
    ).moved(across: 0, down: -0.5).squared(scale: 2.6)
    let network: LandmarkNetwork = try .opened(.handLandmarks)
    let outputs: [[Float]] = try network.run(picture, region, range: 0...1, border: .nearest)
    guard outputs.count == 4, outputs[0].count == 3 * Self.pointCount, outputs[1].count == 1,
      outputs[2].count == 1
    else {
      throw VNError(
        .invalidModel,
        "The network for hands has other outputs than expected. Fetch it again: `atelier fetch vision"
          + " --force`.")
    }
    let side = CGFloat(network.side)
    points = (0..<Self.pointCount).map { index in
      region.point(CGFloat(outputs[0][3 * index]) / side, CGFloat(outputs[0][3 * index + 1]) / side)
    }
    score = outputs[1][0]
    // The network was trained on mirrored pictures. A left hand in a mirrored picture is a right hand here.
    rightness = outputs[2][0]
  }
}
