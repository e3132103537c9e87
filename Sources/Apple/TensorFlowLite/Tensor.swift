import Foundation

/// An input or output of an interpreter, with a copy of its values.
public struct Tensor: Equatable, Hashable, Sendable {
  /// The type of the elements.
  public enum DataType: Equatable, Hashable, Sendable {
    /// A Boolean, 1 byte.
    case bool
    /// An unsigned 8-bit integer.
    case uInt8
    /// A signed 8-bit integer.
    case int8
    /// A signed 16-bit integer.
    case int16
    /// A signed 32-bit integer.
    case int32
    /// A signed 64-bit integer.
    case int64
    /// A 16-bit floating-point number.
    case float16
    /// A 32-bit floating-point number.
    case float32
    /// A 64-bit floating-point number.
    case float64
  }

  /// The length of each axis, outermost first. In an image tensor, the channels are the last axis.
  public struct Shape: Equatable, Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The number of axes.
    public let rank: Int
    /// The length of each axis.
    public let dimensions: [Int]

    /// The lengths as `Int32`, as in TensorFlow Lite's C interface.
    public var int32Dimensions: [Int32] { dimensions.map { Int32(truncatingIfNeeded: $0) } }

    /// Makes a shape from the length of each axis.
    public init(_ dimensions: [Int]) {
      rank = dimensions.count
      self.dimensions = dimensions
    }

    /// Makes a shape from the length of each axis.
    public init(_ elements: Int...) { self.init(elements) }

    /// Makes a shape from a literal such as `[1, 384, 384, 3]`.
    public init(arrayLiteral elements: Int...) { self.init(elements) }
  }

  /// The name in the model.
  public let name: String
  /// The type of the elements.
  public let dataType: DataType
  /// The shape.
  public let shape: Shape
  /// The bytes of the elements in row-major order, little-endian.
  public let data: Data
  /// The quantisation; nil for a tensor that is not quantised.
  public let quantizationParameters: QuantizationParameters?
}
