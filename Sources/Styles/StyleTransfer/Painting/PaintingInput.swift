import CoreGraphics
import CoreML
import Imaging

/// The input of a model for the photo: a picture, or an array that holds one.
struct PaintingInput {
  private enum Kind {
    case picture(MLImageConstraint)
    case array(PictureArray)
  }

  let name: String
  /// The size that the model declares.
  let declaredSize: PictureSize
  private let kind: Kind

  /// Chooses the only picture among a model's inputs or, if there is none, the only array of a picture's shape. Nil if
  /// the model has neither.
  ///
  /// - Parameter others: The names of inputs that have a value already.
  init?(of description: MLModelDescription, except others: Set<String>) {
    let inputs = description.inputDescriptionsByName.values.filter { !others.contains($0.name) }
    let pictures = inputs.compactMap { input in input.imageConstraint.map { (input.name, $0) } }
    if pictures.count == 1 {
      let constraint: MLImageConstraint = pictures[0].1
      name = pictures[0].0
      declaredSize = PictureSize(width: constraint.pixelsWide, height: constraint.pixelsHigh)
      kind = .picture(constraint)
      return
    }
    let arrays = inputs.compactMap { input in
      input.multiArrayConstraint.flatMap { PictureArray($0) }.map { (input.name, $0) }
    }
    guard pictures.isEmpty, arrays.count == 1 else { return nil }
    name = arrays[0].0
    declaredSize = arrays[0].1.size
    kind = .array(arrays[0].1)
  }

  /// Whether the input is an array.
  var isArray: Bool { if case .array = kind { true } else { false } }

  /// Returns whether the model declares that an array may hold a picture of this size. A picture may have every size.
  func allows(_ size: PictureSize) -> Bool {
    guard case .array(let array) = kind else { return true }
    return array.allows(size)
  }

  /// Returns the value of the input for a photo.
  ///
  /// - Parameter range: The range of the numbers of an array.
  func value(of photo: Picture, range: PictureRange) throws -> MLFeatureValue {
    switch kind {
    case .picture(let constraint):
      return MLFeatureValue(pixelBuffer: try photo.pixelBuffer(format: constraint.pixelFormatType))
    case .array(let array):
      return MLFeatureValue(multiArray: try array.numbers(of: photo, range: range))
    }
  }
}

/// An input array that holds a picture of three channels.
private struct PictureArray {
  private let layout: PictureArrayLayout
  private let constraint: MLMultiArrayConstraint

  init?(_ constraint: MLMultiArrayConstraint) {
    let shape: [Int] = constraint.shape.map(\.intValue)
    guard shape.allSatisfy({ $0 > 0 }), let layout = PictureArrayLayout(shape) else { return nil }
    self.layout = layout
    self.constraint = constraint
  }

  /// The size that the model declares.
  var size: PictureSize { layout.size }

  func allows(_ other: PictureSize) -> Bool {
    let shapes = constraint.shapeConstraint
    return other == size || shapes.type != .unspecified && shapes.allows(layout.shape(for: other))
  }

  func numbers(of photo: Picture, range: PictureRange) throws -> MLMultiArray {
    let planes: [Float] = photo.planes
    let area: Int = photo.width * photo.height
    let numbers: [Double] = planes.indices.map { index in
      let plane: Int = layout.hasChannelsLast ? index % 3 * area + index / 3 : index
      return range.number(ofSample: Double(planes[plane]))
    }
    return try MLMultiArray(
      checking: numbers, shape: layout.shape(for: photo.size), dataType: constraint.dataType)
  }
}
