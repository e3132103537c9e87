import Engine
import ModelFormat

extension ModelSummary {
  /// An input, an output or a state: in words for people, and as fields for programs.
  public struct Feature: Encodable, Sendable {
    /// The range in which an extent of a picture or an array must lie.
    public struct Range: Encodable, Sendable, Equatable {
      /// The least extent.
      public let minimum: Int
      /// The greatest extent. Nil if it is not limited.
      public let maximum: Int?
    }

    /// The size of a picture in pixels.
    public struct Size: Encodable, Sendable, Equatable {
      /// The number of pixels per row.
      public let width: Int
      /// The number of rows.
      public let height: Int
    }

    /// The name.
    public let name: String
    /// The type in words, such as `picture 320 × 320, RGB`.
    public let type: String
    /// The author's description.
    public let summary: String
    /// The type as the specification names it, without `Type`: `image`, `multiArray`, `int64`, `double`, `string`,
    /// `dictionary`, `sequence` or `state`. It is `unknown` if the file does not state it.
    public let kind: String
    /// Whether the feature is optional.
    public let isOptional: Bool

    /// The declared width of a picture in pixels. Nil for other types.
    public private(set) var width: Int?
    /// The declared height of a picture in pixels. Nil for other types.
    public private(set) var height: Int?
    /// The colour space of a picture: `rgb`, `bgr`, `grayscale` or `grayscaleFloat16`. Nil for other types.
    public private(set) var colorSpace: String?
    /// The range of the allowed widths of a picture. Nil if the file states none.
    public private(set) var widthRange: Range?
    /// The range of the allowed heights of a picture. Nil if the file states none.
    public private(set) var heightRange: Range?
    /// The allowed sizes of a picture. Nil unless the file enumerates them.
    public private(set) var sizes: [Size]?

    /// The declared extents of an array. Nil for other types, and for an array of any shape.
    public private(set) var shape: [Int]?
    /// The element type of an array, such as `float32`. Nil for other types.
    public private(set) var dataType: String?
    /// The range of the allowed extents for each axis of an array. Nil if the file states none.
    public private(set) var shapeRanges: [Range]?
    /// The allowed shapes of an array. Nil unless the file enumerates them.
    public private(set) var shapes: [[Int]]?
  }
}

extension ModelSummary.Feature {
  init(_ feature: Spec.FeatureDescription) {
    name = feature.name
    summary = feature.shortDescription
    isOptional = feature.type?.isOptional == true
    type = Self.words(feature.type?.type) + (isOptional ? ", optional" : "")
    kind = Self.kind(feature.type?.type)
    switch feature.type?.type {
    case .imageType(let image)?: add(image)
    case .multiArrayType(let array)?: add(array)
    case .stateType(let state)?:
      if case .arrayType(let array)? = state.type { add(array) }
    default: break
    }
  }

  private mutating func add(_ image: Spec.ImageFeatureType) {
    (width, height) = (Int(image.width), Int(image.height))
    colorSpace =
      switch image.colorSpace {
      case .rgb: "rgb"
      case .bgr: "bgr"
      case .grayscale: "grayscale"
      case .grayscaleFloat16: "grayscaleFloat16"
      default: nil
      }
    switch image.sizeFlexibility {
    case .imageSizeRange(let range)?:
      widthRange = range.widthRange.map(Range.init)
      heightRange = range.heightRange.map(Range.init)
    case .enumeratedSizes(let list)?:
      sizes = list.sizes.map {
        Size(width: Int(clamping: $0.width), height: Int(clamping: $0.height))
      }
    case nil: break
    }
  }

  private mutating func add(_ array: Spec.ArrayFeatureType) {
    shape = array.shape.isEmpty ? nil : array.shape.map(Int.init)
    dataType = "\(array.dataType)"
    switch array.shapeFlexibility {
    case .enumeratedShapes(let list)?: shapes = list.shapes.map { $0.shape.map(Int.init) }
    case .shapeRange(let range)?: shapeRanges = range.sizeRanges.map(Range.init)
    case nil: break
    }
  }

  private static func kind(_ type: Spec.FeatureType.OneOfType?) -> String {
    switch type {
    case .imageType?: "image"
    case .multiArrayType?: "multiArray"
    case .int64Type?: "int64"
    case .doubleType?: "double"
    case .stringType?: "string"
    case .dictionaryType?: "dictionary"
    case .sequenceType?: "sequence"
    case .stateType?: "state"
    case nil: "unknown"
    }
  }

  private static func words(_ type: Spec.FeatureType.OneOfType?) -> String {
    switch type {
    case .imageType(let image)?:
      return "picture \(size(image)), \(order(image.colorSpace))"
    case .multiArrayType(let array)?:
      return words(array)
    case .int64Type?: return "integer"
    case .doubleType?: return "number"
    case .stringType?: return "text"
    case .dictionaryType?: return "dictionary of numbers"
    case .sequenceType?: return "sequence"
    case .stateType(let state)?:
      guard case .arrayType(let array)? = state.type else { return "state" }
      return words(array)
    case nil: return "unknown"
    }
  }

  private static func words(_ array: Spec.ArrayFeatureType) -> String {
    func extents(_ shape: [Int64]) -> String {
      shape.isEmpty ? "of any shape" : "\(Shape(shape.map(Int.init)))"
    }
    let declared = "array \(extents(array.shape)) \(array.dataType)"
    switch array.shapeFlexibility {
    case .enumeratedShapes(let shapes)?:
      return "\(declared) (or \(shapes.shapes.map { extents($0.shape) }.joined(separator: ", ")))"
    case .shapeRange(let range)?:
      let axes: [String] = range.sizeRanges.map { range in
        range.upperBound == Int64(clamping: range.lowerBound)
          ? "\(range.lowerBound)" : bounds(range)
      }
      return "\(declared) (\(axes.joined(separator: " × ")))"
    case nil: return declared
    }
  }

  private static func size(_ image: Spec.ImageFeatureType) -> String {
    let declared = "\(image.width) × \(image.height)"
    switch image.sizeFlexibility {
    case .imageSizeRange(let range)?:
      return "\(declared) (width \(bounds(range.widthRange)), height \(bounds(range.heightRange)))"
    case .enumeratedSizes(let sizes)?:
      let others: [String] = sizes.sizes.map { "\($0.width) × \($0.height)" }
      return "\(declared) (or \(others.joined(separator: ", ")))"
    case nil: return declared
    }
  }

  private static func bounds(_ range: Spec.SizeRange?) -> String {
    guard let range else { return "any" }
    return range.upperBound < 0
      ? "from \(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
  }

  private static func order(_ colorSpace: Spec.ImageFeatureType.ColorSpace) -> String {
    switch colorSpace {
    case .rgb: return "RGB"
    case .bgr: return "BGR"
    case .grayscale: return "grey"
    case .grayscaleFloat16: return "float16 grey"
    default: return "unknown colours"
    }
  }
}

extension ModelSummary.Feature.Range {
  fileprivate init(_ range: Spec.SizeRange) {
    minimum = Int(clamping: range.lowerBound)
    maximum = range.upperBound < 0 ? nil : Int(range.upperBound)
  }
}
