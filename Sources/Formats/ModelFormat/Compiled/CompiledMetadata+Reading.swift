import Foundation

extension CompiledMetadata {
  /// Reads the bytes of a file `metadata.json`. Nil if the JSON does not have the form that this type describes.
  static func read(_ json: Data) -> CompiledMetadata? {
    try? JSONDecoder().decode([CompiledMetadata].self, from: json).first
  }
}

extension CompiledMetadata.Feature {
  /// The feature as a message. The message has no type if this module does not know the name of the feature's type.
  var message: Spec.FeatureDescription {
    .making {
      $0.name = name
      $0.shortDescription = shortDescription ?? ""
      $0.type = .making {
        $0.isOptional = isOptional == "1"
        $0.type = kind
      }
    }
  }

  private var kind: Spec.FeatureType.OneOfType? {
    switch type {
    case "MultiArray": .multiArrayType(array)
    case "State": .stateType(.making { $0.type = .arrayType(array) })
    case "Image": .imageType(image)
    case "Int64": .int64Type(.init())
    case "Double": .doubleType(.init())
    case "String": .stringType(.init())
    case "Dictionary":
      .dictionaryType(
        .making {
          $0.keyType = keyType == "Int64" ? .int64KeyType(.init()) : .stringKeyType(.init())
        })
    default: nil
    }
  }

  private var array: Spec.ArrayFeatureType {
    .making { array in
      array.dataType =
        CompiledMetadata.arrayTypes.first { $0.name == dataType }?.type ?? .invalidArrayDataType
      array.shape = Self.numbers(shape)
      if let ranges: [[Int64]] = Self.decoded(shapeRange) {
        array.shapeFlexibility = .shapeRange(.making { $0.sizeRanges = ranges.map(Self.range) })
      } else if let shapes: [[Int64]] = Self.decoded(enumeratedShapes) {
        array.shapeFlexibility = .enumeratedShapes(
          .making { $0.shapes = shapes.map { shape in .making { $0.shape = shape } } })
      }
    }
  }

  private var image: Spec.ImageFeatureType {
    .making { image in
      image.width = width.flatMap { Int64($0) } ?? 0
      image.height = height.flatMap { Int64($0) } ?? 0
      image.colorSpace =
        CompiledMetadata.colorSpaces.first { $0.name == colorspace }?.space ?? .invalidColorSpace
      guard let ranges: [[Int64]] = Self.decoded(sizeRange), ranges.count == 2 else { return }
      image.sizeFlexibility = .imageSizeRange(
        .making {
          $0.widthRange = Self.range(ranges[0])
          $0.heightRange = Self.range(ranges[1])
        })
    }
  }

  private static func range(_ bounds: [Int64]) -> Spec.SizeRange {
    .making {
      $0.lowerBound = UInt64(clamping: bounds.first ?? 0)
      $0.upperBound = bounds.last ?? 0
    }
  }

  private static func numbers(_ text: String?) -> [Int64] { decoded(text) ?? [] }

  /// Decodes nested lists of numbers from a string: `[[1, 4], [4, 4]]`.
  private static func decoded<Value: Decodable>(_ text: String?) -> Value? {
    text.flatMap { try? JSONDecoder().decode(Value.self, from: Data($0.utf8)) }
  }
}

extension CompiledMetadata {
  static let arrayTypes: [(name: String, type: Spec.ArrayFeatureType.ArrayDataType)] = [
    ("Float16", .float16), ("Float32", .float32), ("Double", .double), ("Int32", .int32),
    ("Int8", .int8),
  ]

  static let colorSpaces: [(name: String, space: Spec.ImageFeatureType.ColorSpace)] = [
    ("RGB", .rgb), ("BGR", .bgr), ("Grayscale", .grayscale),
    ("GrayscaleFloat16", .grayscaleFloat16),
  ]
}
