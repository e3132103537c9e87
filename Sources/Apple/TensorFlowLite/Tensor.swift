import Foundation

/// An input or output of an interpreter, with a copy of its values.
public struct Tensor: Equatable, Hashable, Sendable {
  /// The type of the elements.
  public enum DataType: Equatable, Hashable, Sendable {
    /// True or false, a byte.
    case bool
    /// A whole number of 8 bits without sign.
    case uInt8
    /// A whole number of 8 bits.
    case int8
    /// A whole number of 16 bits.
    case int16
    /// A whole number of 32 bits.
    case int32
    /// A whole number of 64 bits.
    case int64
    /// A real number of half precision.
    case float16
    /// A real number of single precision.
    case float32
    /// A real number of double precision.
    case float64
  }

  /// The extents, outermost first; pictures have their channels last.
  public struct Shape: Equatable, Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The number of axes.
    public let rank: Int
    /// The extents.
    public let dimensions: [Int]

    /// The extents as TensorFlow Lite's C interface has them.
    public var int32Dimensions: [Int32] { dimensions.map { Int32(truncatingIfNeeded: $0) } }

    /// A shape of these extents.
    public init(_ dimensions: [Int]) {
      rank = dimensions.count
      self.dimensions = dimensions
    }

    /// A shape of these extents.
    public init(_ elements: Int...) { self.init(elements) }

    /// A shape written as a literal, `[1, 384, 384, 3]`.
    public init(arrayLiteral elements: Int...) { self.init(elements) }
  }

  /// The name in the model.
  public let name: String
  /// The type of the elements.
  public let dataType: DataType
  /// The extents.
  public let shape: Shape
  /// The elements side by side in row-major order, little-endian.
  public let data: Data
  /// What the whole numbers stand for; nil where they stand for themselves.
  public let quantizationParameters: QuantizationParameters?
}
