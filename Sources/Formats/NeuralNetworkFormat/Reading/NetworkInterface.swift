import Graph
import ModelFormat

/// The inputs and outputs of a NeuralNetwork: their names and kinds. Also maps the shapes that the model declares to
/// the shapes of the graph's tensors.
public struct NetworkInterface: Sendable {
  /// An input or output.
  public struct Feature: Sendable {
    /// The feature's name in the model.
    public let name: String
    /// Whether the feature is an image, an array or a single number.
    public let kind: Kind
    /// Whether a prediction may omit this feature.
    public let isOptional: Bool
    /// The element type of the feature's tensor in the graph.
    public let element: ElementType
    package let mapping: ArrayMapping

    /// Whether arrays have five dimensions, with the sequence first.
    public var takesSequences: Bool { mapping == .rank5 }

    /// Returns the shape of the graph's tensor for an image of this width and height in pixels.
    public func shape(width: Int, height: Int) -> Shape {
      let channels: Int
      if case .image(let port, _, _) = kind { channels = port.channels } else { channels = 1 }
      return mapping == .rank5 ? [1, 1, channels, height, width] : [1, channels, height, width]
    }

    /// Returns the shape of the graph's tensor for an array from the caller.
    ///
    /// In the five-dimensional mapping, the axes of an array are `[C]`, `[sequence, C]`, `[C, H, W]` or `[batch, C, H,
    /// W]`. The missing axes get the extent one. An array with five extents keeps its shape. **Source:**
    /// `NeuralNetworkMultiArrayShapeMapping`.
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
    /// An image, with its declared width and height in pixels.
    case image(Graph.ImagePort, width: Int, height: Int)
    /// An array with its declared extents. The list is empty if the model declares no extents.
    case array([Int])
    /// One number.
    case number
    /// A type with which no neural network computes.
    case other
  }

  /// The network's inputs.
  public var inputs: [Feature]
  /// The network's outputs.
  public var outputs: [Feature]

  /// Makes an interface with these inputs and outputs.
  package init(inputs: [Feature], outputs: [Feature]) {
    self.inputs = inputs
    self.outputs = outputs
  }

  /// Returns the types of the inputs as the model declares them.
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
          "Input '\(feature.name)' is neither a picture, an array nor a number; a neural network has no other inputs."
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

  /// Returns the declared extents. If a flexible array declares no default shape, returns its first enumerated shape,
  /// or else the smallest shape of its range.
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
