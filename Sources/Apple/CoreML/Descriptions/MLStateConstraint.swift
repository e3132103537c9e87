import Foundation

/// The shape and element type of a state's memory.
public final class MLStateConstraint: NSObject, Sendable {
  /// The length of each axis.
  public let bufferShape: [Int]

  /// The type of the elements.
  public let dataType: MLMultiArrayDataType

  init(bufferShape: [Int], dataType: MLMultiArrayDataType) {
    self.bufferShape = bufferShape
    self.dataType = dataType
  }
}
