import Foundation

/// The element type of a feature print. Raw values are Apple's.
public enum VNElementType: UInt, Sendable {
  /// An unknown type.
  case unknown = 0
  /// 32-bit floating point.
  case float = 1
  /// 64-bit floating point.
  case double = 2
}

/// A feature print: a vector that describes the content of an image.
open class VNFeaturePrintObservation: VNObservation {
  let print: [Float]

  init(print: [Float]) {
    self.print = print
    super.init(confidence: 1)
  }

  /// The type of the elements.
  public var elementType: VNElementType { .float }

  /// The number of elements.
  public var elementCount: Int { print.count }

  /// The bytes of the elements.
  public var data: Data { print.withUnsafeBytes { Data($0) } }

  /// Computes the Euclidean distance to another feature print. The distance is 0 for equal prints and at most 2.
  ///
  /// - Throws: ``VNError`` when the prints have different numbers of elements.
  open func computeDistance(
    _ outDistance: UnsafeMutablePointer<Float>, to featurePrint: VNFeaturePrintObservation
  ) throws {
    outDistance.pointee = Float(try distance(to: featurePrint))
  }

  func distance(to other: VNFeaturePrintObservation) throws -> Double {
    guard other.print.count == print.count else {
      throw VNError(
        .invalidArgument,
        "The print has \(print.count) elements and the other \(other.print.count); compare only prints of the"
          + " same kind of request.")
    }
    return zip(print, other.print).reduce(0.0) { sum, pair in
      let difference = Double(pair.0) - Double(pair.1)
      return sum + difference * difference
    }.squareRoot()
  }
}
