import CoreML
import Foundation

/// A set of named points, such as the joints of a hand.
open class VNRecognizedPointsObservation: VNObservation {
  private let order: [VNRecognizedPointKey]
  private let points: [VNRecognizedPointKey: VNRecognizedPoint]
  private let groups: [(key: VNRecognizedPointGroupKey, members: [VNRecognizedPointKey])]

  /// - Parameters:
  ///   - points: All points, in the order of ``keypointsMultiArray()``.
  ///   - groups: The groups, without the group of all points.
  init(
    _ points: [VNRecognizedPoint], confidence: VNConfidence,
    groups: [(key: VNRecognizedPointGroupKey, members: [VNRecognizedPointKey])]
  ) {
    order = points.map(\.identifier)
    self.points = Dictionary(points.map { ($0.identifier, $0) }) { first, _ in first }
    self.groups = groups
    super.init(confidence: confidence)
  }

  /// The keys of the points.
  open var availableKeys: [VNRecognizedPointKey] { order }

  /// The keys of the groups.
  open var availableGroupKeys: [VNRecognizedPointGroupKey] { [.all] + groups.map(\.key) }

  /// Returns the point with a key.
  ///
  /// - Throws: ``VNError`` when there is no such point.
  open func recognizedPoint(forKey pointKey: VNRecognizedPointKey) throws -> VNRecognizedPoint {
    guard let point = points[pointKey] else {
      throw VNError(
        .invalidArgument,
        "The observation has no point '\(pointKey.rawValue)'; availableKeys lists its points.")
    }
    return point
  }

  /// Returns the points of a group.
  ///
  /// - Throws: ``VNError`` when there is no such group.
  open func recognizedPoints(
    forGroupKey groupKey: VNRecognizedPointGroupKey
  ) throws -> [VNRecognizedPointKey: VNRecognizedPoint] {
    if groupKey == .all { return points }
    guard let group = groups.first(where: { $0.key == groupKey }) else {
      throw VNError(
        .invalidArgument,
        "The observation has no group '\(groupKey.rawValue)'; availableGroupKeys lists its groups.")
    }
    return points.filter { group.members.contains($0.key) }
  }

  /// Returns the points as an array `[1, 3, points]`: the horizontal coordinates, the vertical coordinates, and the
  /// confidences.
  open func keypointsMultiArray() throws -> MLMultiArray {
    let array = try MLMultiArray(
      shape: [1, 3, NSNumber(value: order.count)], dataType: .float32)
    for (index, key) in order.enumerated() {
      guard let point = points[key] else { continue }
      array[index] = NSNumber(value: Float(point.x))
      array[order.count + index] = NSNumber(value: Float(point.y))
      array[2 * order.count + index] = NSNumber(value: point.confidence)
    }
    return array
  }
}
