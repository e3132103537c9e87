import CoreVideo
import Foundation
import ModelFormat

extension MLFeatureDescription {
  /// Makes a description from a model file's description of a feature.
  convenience init(_ description: Spec.FeatureDescription) {
    let type: Spec.FeatureType = description.type ?? Spec.FeatureType()
    let (kind, constraint) = MLFeatureDescription.constraint(of: type.type)
    self.init(
      name: description.name, type: kind, isOptional: type.isOptional,
      shortDescription: description.shortDescription, constraint: constraint)
  }

  private static func constraint(
    of type: Spec.FeatureType.OneOfType?
  ) -> (MLFeatureType, Constraint) {
    switch type {
    case nil: (.invalid, .none)
    case .int64Type: (.int64, .none)
    case .doubleType: (.double, .none)
    case .stringType: (.string, .none)
    case .imageType(let image): (.image, .image(MLImageConstraint(image)))
    case .multiArrayType(let array): (.multiArray, .multiArray(MLMultiArrayConstraint(array)))
    case .dictionaryType(let dictionary):
      (.dictionary, .dictionary(MLDictionaryConstraint(dictionary)))
    case .sequenceType(let sequence): (.sequence, .sequence(MLSequenceConstraint(sequence)))
    case .stateType(let state): (.state, .state(MLStateConstraint(state)))
    }
  }
}

extension MLImageConstraint {
  convenience init(_ image: Spec.ImageFeatureType) {
    let width = Int(image.width)
    let height = Int(image.height)
    let format: OSType
    switch image.colorSpace {
    case .grayscale: format = kCVPixelFormatType_OneComponent8
    case .grayscaleFloat16: format = kCVPixelFormatType_OneComponent16Half
    default: format = kCVPixelFormatType_32BGRA
    }
    self.init(
      pixelsWide: width, pixelsHigh: height, pixelFormatType: format,
      sizeConstraint: MLImageConstraint.sizes(image, width: width, height: height))
  }

  private static func sizes(
    _ image: Spec.ImageFeatureType, width: Int, height: Int
  ) -> MLImageSizeConstraint {
    let declared = MLImageSize(pixelsWide: width, pixelsHigh: height)
    switch image.sizeFlexibility {
    case nil:
      return MLImageSizeConstraint(
        type: .unspecified, sizes: [declared], widths: AllowedLengths(exactly: width),
        heights: AllowedLengths(exactly: height))
    case .enumeratedSizes(let list):
      var sizes: [MLImageSize] = list.sizes.map {
        MLImageSize(pixelsWide: Int(clamping: $0.width), pixelsHigh: Int(clamping: $0.height))
      }
      if !sizes.contains(declared) { sizes.insert(declared, at: 0) }
      let widths: [Int] = sizes.map(\.pixelsWide)
      let heights: [Int] = sizes.map(\.pixelsHigh)
      return MLImageSizeConstraint(
        type: .enumerated, sizes: sizes,
        widths: AllowedLengths(lowest: widths.min() ?? 0, highest: widths.max() ?? 0),
        heights: AllowedLengths(lowest: heights.min() ?? 0, highest: heights.max() ?? 0))
    case .imageSizeRange(let range):
      let wide: Spec.SizeRange = range.widthRange ?? Spec.SizeRange()
      let high: Spec.SizeRange = range.heightRange ?? Spec.SizeRange()
      return MLImageSizeConstraint(
        type: .range, sizes: [declared],
        widths: AllowedLengths(lowerBound: wide.lowerBound, upperBound: wide.upperBound),
        heights: AllowedLengths(lowerBound: high.lowerBound, upperBound: high.upperBound))
    }
  }
}

extension MLMultiArrayConstraint {
  convenience init(_ array: Spec.ArrayFeatureType) {
    let shape: [Int] = array.shape.map { Int($0) }
    self.init(
      dimensions: shape, dataType: MLMultiArrayDataType(array.dataType),
      shapeConstraint: MLMultiArrayConstraint.shapes(array, declared: shape))
  }

  private static func shapes(
    _ array: Spec.ArrayFeatureType, declared: [Int]
  ) -> MLMultiArrayShapeConstraint {
    switch array.shapeFlexibility {
    case nil:
      return MLMultiArrayShapeConstraint(
        type: .unspecified, shapes: declared.isEmpty ? [] : [declared],
        lengths: declared.map { AllowedLengths(exactly: $0) })
    case .enumeratedShapes(let list):
      var shapes: [[Int]] = list.shapes.map { $0.shape.map { Int($0) } }
      if !declared.isEmpty && !shapes.contains(declared) { shapes.insert(declared, at: 0) }
      let lengths: [AllowedLengths] = declared.indices.map { axis in
        let axisLengths: [Int] = shapes.filter { $0.count > axis }.map { $0[axis] }
        return AllowedLengths(lowest: axisLengths.min() ?? 0, highest: axisLengths.max() ?? 0)
      }
      return MLMultiArrayShapeConstraint(type: .enumerated, shapes: shapes, lengths: lengths)
    case .shapeRange(let range):
      return MLMultiArrayShapeConstraint(
        type: .range, shapes: [],
        lengths: range.sizeRanges.map {
          AllowedLengths(lowerBound: $0.lowerBound, upperBound: $0.upperBound)
        })
    }
  }
}

extension MLMultiArrayDataType {
  init(_ type: Spec.ArrayFeatureType.ArrayDataType) {
    switch type {
    case .double: self = .double
    case .int32: self = .int32
    case .int8: self = .int8
    case .float16: self = .float16
    default: self = .float32
    }
  }
}

extension MLDictionaryConstraint {
  convenience init(_ dictionary: Spec.DictionaryFeatureType) {
    if case .int64KeyType = dictionary.keyType {
      self.init(keyType: .int64)
    } else {
      self.init(keyType: .string)
    }
  }
}

extension MLSequenceConstraint {
  convenience init(_ sequence: Spec.SequenceFeatureType) {
    let range: Spec.SizeRange? = sequence.sizeRange
    let element: MLFeatureType
    if case .int64Type = sequence.type { element = .int64 } else { element = .string }
    self.init(
      valueDescription: MLFeatureDescription(name: "", type: element),
      counts: range.map {
        AllowedLengths(lowerBound: $0.lowerBound, upperBound: $0.upperBound)
      } ?? AllowedLengths(lowest: 0, highest: Int.max))
  }
}

extension MLStateConstraint {
  convenience init(_ state: Spec.StateFeatureType) {
    switch state.type {
    case .arrayType(let array):
      self.init(
        bufferShape: array.shape.map { Int($0) }, dataType: MLMultiArrayDataType(array.dataType))
    case nil: self.init(bufferShape: [], dataType: .float16)
    }
  }
}
