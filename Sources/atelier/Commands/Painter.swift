import CoreGraphics
import CoreML
import CoreVideo
import Engine
import Foundation
import Imaging
import ModelFormat
import ModelTools

/// A style network that paints photos.
struct Painter {
  /// A painting, and how it came to be.
  struct Painting {
    /// The painting, with the photo's alpha.
    let picture: Picture
    /// The size at which the network painted.
    let paintedSize: PictureSize
  }

  /// How the photo meets the network.
  enum Fitting {
    /// At the photo's own size, or scaled so that the longer side has so many pixels.
    case wholePhoto(longerSide: Int?)
    /// At the size that the model declares.
    case declared(CropAndScale)
  }

  private let model: MLModel
  private let network: InspectedNetwork?
  private let input: MLFeatureDescription
  private let constraint: MLImageConstraint
  private let outputName: String
  private let otherInputs: [String: MLFeatureValue]
  private let name: String

  /// Loads a network that takes one picture and gives one.
  ///
  /// - Parameter inputs: names and texts of its other inputs, such as the style's number.
  init(
    _ location: URL, configuration: MLModelConfiguration, inputs: [(name: String, text: String)]
  ) throws {
    name = location.lastPathComponent
    configuration.allowsAnyInputSize = true
    model = try MLModel(contentsOf: location, configuration: configuration)
    let description: MLModelDescription = model.modelDescription
    let pictures = description.inputDescriptionsByName.values.filter { $0.type == .image }
    let outputs = description.outputDescriptionsByName.values
    guard pictures.count == 1, let constraint = pictures[0].imageConstraint,
      let output = outputs.first(where: { $0.type == .image })
        ?? outputs.first(where: { $0.type == .multiArray })
    else {
      throw CommandError(
        "Model '\(name)' does not turn a picture into a picture; `atelier inspect` shows what it"
          + " takes and gives.")
    }
    input = pictures[0]
    self.constraint = constraint
    outputName = output.name
    otherInputs = try Self.values(of: inputs, description, besides: pictures[0].name)
    let file = try ModelFile.open(location)
    network = try? InspectedNetwork(file, makeCustomLayer: MLCustomLayerRegistry.engineFactory)
  }

  private static func values(
    of inputs: [(name: String, text: String)], _ description: MLModelDescription,
    besides picture: String
  ) throws -> [String: MLFeatureValue] {
    let others = description.inputDescriptionsByName.filter { $0.key != picture }
    return try PredictCommand.features(inputs, others, .scaleFill).dictionary
  }

  /// The size that the model declares.
  var declaredSize: PictureSize {
    PictureSize(width: constraint.pixelsWide, height: constraint.pixelsHigh)
  }

  /// Whether the network paints pictures of every size: it takes one of another size than it
  /// declares, and gives one that is as large, but for a few pixels.
  func paints(_ size: PictureSize) -> Bool {
    guard let painted = network?.paintedSize(for: size) else { return false }
    return abs(painted.width - size.width) < 16 && abs(painted.height - size.height) < 16
  }

  /// Paints a photo.
  ///
  /// A network of one size paints the photo squeezed into it; the painting is stretched back.
  func paint(_ photo: Picture, _ fitting: Fitting) throws -> Painting {
    switch fitting {
    case .declared(let mode):
      try Picture.requireMemory(
        forInputOf: declaredSize.width, height: declaredSize.height)
      let fitted: Picture = try photo.fitted(
        toWidth: declaredSize.width, height: declaredSize.height, mode: mode)
      return Painting(picture: try run(fitted), paintedSize: declaredSize)
    case .wholePhoto(let longerSide):
      let size: PictureSize = Self.size(of: photo, longerSide: longerSide)
      try requireRoom(for: size, enlargedFrom: photo)
      let scaled: Picture = try photo.scaled(toWidth: size.width, height: size.height)
      guard paints(size) else {
        try Picture.requireMemory(
          forInputOf: declaredSize.width, height: declaredSize.height)
        let squeezed: Picture = try photo.scaled(
          toWidth: declaredSize.width, height: declaredSize.height)
        let painted: Picture = try run(squeezed.withoutAlpha)
        return Painting(
          picture: try Self.stretch(painted, to: size).withAlpha(of: scaled),
          paintedSize: declaredSize)
      }
      let painted: Picture = try run(scaled.withoutAlpha)
      return Painting(
        picture: try Self.trim(painted, to: size).withAlpha(of: scaled), paintedSize: size)
    }
  }

  /// Refuses a size that does not fit the memory before the photo is enlarged to it.
  private func requireRoom(for size: PictureSize, enlargedFrom photo: Picture) throws {
    guard size.width > photo.width else { return }
    let (area, overflow) = size.width.multipliedReportingOverflow(by: size.height)
    guard !overflow, area <= Picture.defaultPixelLimit else {
      throw CommandError(
        "A painting of \(size) has more pixels than the \(Picture.defaultPixelLimit) that a picture"
          + " may have; choose a smaller --size.")
    }
    if let network, paints(size) {
      let execution = ExecutionOptions(model.configuration, for: network.file.model)
      _ = try network.network(execution).plan(for: network.inputTypes(pictures: size))
    }
  }

  /// The photo's size, scaled so that the longer side has so many pixels.
  static func size(of photo: Picture, longerSide: Int?) -> PictureSize {
    guard let longerSide else { return PictureSize(width: photo.width, height: photo.height) }
    let factor: Double = Double(longerSide) / Double(max(photo.width, photo.height))
    return PictureSize(
      width: max(1, Int((Double(photo.width) * factor).rounded())),
      height: max(1, Int((Double(photo.height) * factor).rounded())))
  }

  private static func stretch(_ picture: Picture, to size: PictureSize) throws -> Picture {
    try picture.scaled(toWidth: size.width, height: size.height)
  }

  /// Networks that halve sizes round them up and give a few pixels more at the right and bottom,
  /// which are cut off; where they give fewer, the painting is stretched.
  private static func trim(_ picture: Picture, to size: PictureSize) throws -> Picture {
    guard picture.width >= size.width, picture.height >= size.height else {
      return try stretch(picture, to: size)
    }
    return try picture.cropped(x: 0, y: 0, width: size.width, height: size.height)
  }

  private func run(_ photo: Picture) throws -> Picture {
    var values: [String: MLFeatureValue] = otherInputs
    values[input.name] = MLFeatureValue(
      pixelBuffer: try photo.pixelBuffer(format: constraint.pixelFormatType))
    let provider = try MLDictionaryFeatureProvider(dictionary: values)
    let result: any MLFeatureProvider = try model.prediction(from: provider)
    let value: MLFeatureValue? = result.featureValue(for: outputName)
    if let buffer = value?.imageBufferValue {
      return try Picture(buffer).withAlphaWhereEqual(of: photo)
    }
    guard let array = value?.multiArrayValue, let picture = try Picture(array) else {
      throw CommandError("Model '\(name)' gives '\(outputName)', which is no picture.")
    }
    return try picture.withAlphaWhereEqual(of: photo)
  }
}

extension Picture {
  /// The picture with the other's alpha, where both are of one size; else as it is.
  fileprivate func withAlphaWhereEqual(of other: Picture) throws -> Picture {
    guard other.width == width, other.height == height else { return self }
    return try withAlpha(of: other)
  }

  /// A picture of an array `[…, 3, height, width]` of 0…255, or nil where it has another shape.
  fileprivate init?(_ array: MLMultiArray) throws {
    let shape: [Int] = array.shape.map(\.intValue)
    guard shape.count >= 3, shape[shape.count - 3] == 3, shape.dropLast(3).allSatisfy({ $0 == 1 })
    else { return nil }
    let (height, width) = (shape[shape.count - 2], shape[shape.count - 1])
    let area: Int = width * height
    var pixels = [UInt8](repeating: 0, count: area * 3)
    for index in 0..<area * 3 {
      let value: Float = array[index].floatValue
      let sample: Float = value.isFinite ? min(255, max(0, value.rounded())) : 0
      pixels[index % area * 3 + index / area] = UInt8(sample)
    }
    try self.init(width: width, height: height, pixels: pixels)
  }
}
