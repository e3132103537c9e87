import Graph
import ModelFormat

/// What crosses the border of a NeuralNetwork: names, kinds and how declared shapes become the shapes
/// of the graph's arrays.
public struct NetworkInterface: Sendable {
  /// A feature at the border.
  public struct Feature: Sendable {
    /// The name in the model.
    public let name: String
    /// Pictures, arrays or single numbers.
    public let kind: Kind
    /// Whether a prediction may leave it out.
    public let isOptional: Bool
    /// The type of the elements of the graph's array.
    public let element: ElementType
    package let mapping: ArrayMapping

    /// Whether arrays have five dimensions, the first of which is a sequence.
    public var takesSequences: Bool { mapping == .rank5 }

    /// The extents of the graph's array for a picture of this size.
    public func shape(width: Int, height: Int) -> Shape {
      let channels: Int
      if case .image(let port, _, _) = kind { channels = port.channels } else { channels = 1 }
      return mapping == .rank5 ? [1, 1, channels, height, width] : [1, channels, height, width]
    }

    /// The extents of the graph's array for an array that the caller gives.
    ///
    /// In the five-dimensional mapping `[C]` is channels, `[C, H, W]` a picture-like block and five
    /// extents are as they are. **Source:** `NeuralNetworkMultiArrayShapeMapping`.
    public func shape(ofArray extents: [Int]) throws -> Shape {
      guard mapping == .rank5 else { return Shape(extents) }
      switch extents.count {
      case 1: return [1, 1, extents[0], 1, 1]
      case 2: return [extents[0], 1, extents[1], 1, 1]
      case 3: return [1, 1, extents[0], extents[1], extents[2]]
      case 4: return Shape([1] + extents)
      case 5: return Shape(extents)
      default:
        throw EngineError(
          .invalidInput,
          "Input '\(name)' has \(extents.count) dimensions (\(Shape(extents))), expected 1, 3 or 5: [C], [C, H, W] or [sequence, batch, C, H, W]."
        )
      }
    }
  }

  /// The kind of a feature.
  public enum Kind: Sendable {
    /// A picture, with its declared width and height.
    case image(Graph.ImagePort, width: Int, height: Int)
    /// An array, with its declared extents (empty when the model leaves them open).
    case array([Int])
    /// One number.
    case number
    /// Something that no neural network computes with.
    case other
  }

  /// What the network reads.
  public var inputs: [Feature]
  /// What the network writes.
  public var outputs: [Feature]

  /// A border of these features.
  package init(inputs: [Feature], outputs: [Feature]) {
    self.inputs = inputs
    self.outputs = outputs
  }

  /// The type of each input as the model declares it.
  public func declaredInputTypes() throws -> [TensorType] {
    try inputs.map { feature in
      switch feature.kind {
      case .image(_, let width, let height):
        return TensorType(feature.shape(width: width, height: height), feature.element)
      case .array(let extents):
        return TensorType(try feature.shape(ofArray: extents), feature.element)
      case .number: return TensorType(try feature.shape(ofArray: [1]), feature.element)
      case .other:
        throw EngineError(
          .invalidModel,
          "Input '\(feature.name)' is neither a picture, an array nor a number; a neural network computes with no other."
        )
      }
    }
  }
}

extension NetworkInterface.Feature {
  package init(
    _ feature: Spec.FeatureDescription, arrays: ArrayMapping, images: ArrayMapping,
    element: ElementType = .float32
  ) {
    name = feature.name
    self.element = element
    isOptional = feature.type?.isOptional ?? false
    switch feature.type?.type {
    case .imageType(let image)?:
      let order: Graph.ImagePort.ColorOrder
      switch image.colorSpace {
      case .grayscale, .grayscaleFloat16: order = .gray
      case .bgr: order = .bgr
      default: order = .rgb
      }
      kind = .image(
        Graph.ImagePort(order), width: Self.extent(image.width), height: Self.extent(image.height))
      mapping = images
    case .multiArrayType(let array)?:
      kind = .array(Self.declaredExtents(array))
      mapping = arrays
    case .int64Type?, .doubleType?:
      kind = .number
      mapping = arrays
    default:
      kind = .other
      mapping = arrays
    }
  }

  private static func extent(_ value: Int64) -> Int { Int(clamping: max(0, min(value, 1 << 31))) }

  /// The declared extents; for flexible arrays that declare none the first enumerated shape, or the
  /// smallest of the range.
  private static func declaredExtents(_ array: Spec.ArrayFeatureType) -> [Int] {
    if !array.shape.isEmpty { return array.shape.map(extent) }
    switch array.shapeFlexibility {
    case .enumeratedShapes(let shapes)?: return shapes.shapes.first?.shape.map(extent) ?? []
    case .shapeRange(let range)?:
      return range.sizeRanges.map { max(1, Int(clamping: min($0.lowerBound, 1 << 31))) }
    case nil: return []
    }
  }
}
