import Foundation

/// The type of the numbers of a print. Raw values are Apple's.
public enum VNElementType: UInt, Sendable {
  /// Of no known type.
  case unknown = 0
  /// 32 bits.
  case float = 1
  /// 64 bits.
  case double = 2
}

/// What a picture shows, as numbers.
open class VNFeaturePrintObservation: VNObservation {
  let print: [Float]

  init(print: [Float]) {
    self.print = print
    super.init(confidence: 1)
  }

  /// The type of the numbers.
  public var elementType: VNElementType { .float }

  /// How many numbers there are.
  public var elementCount: Int { print.count }

  /// The numbers, one after another.
  public var data: Data { print.withUnsafeBytes { Data($0) } }

  /// The distance to another print, 0 for pictures that look the same to the network and at most 2: the
  /// length of the difference.
  ///
  /// - Throws: ``VNError`` where the other has another number of elements.
  open func computeDistance(
    _ outDistance: UnsafeMutablePointer<Float>, to featurePrint: VNFeaturePrintObservation
  ) throws {
    outDistance.pointee = Float(try distance(to: featurePrint))
  }

  func distance(to other: VNFeaturePrintObservation) throws -> Double {
    guard other.print.count == print.count else {
      throw VNError(
        .invalidArgument,
        "The print has \(print.count) elements and the other \(other.print.count); prints of one kind"
          + " of request can be compared.")
    }
    return zip(print, other.print).reduce(0.0) { sum, pair in
      let difference = Double(pair.0) - Double(pair.1)
      return sum + difference * difference
    }.squareRoot()
  }
}
