import CoreGraphics
import CoreML
import Foundation
import Imaging
import NormStatistics

/// Paints photos with a style network's model. The command line, Create ML and the benchmarks all use this type.
///
/// A painter opens its model once and plans every size once. If painting needs more memory than is free, the painter
/// throws before it scales the photo. ``PicturePainter`` paints without a model, by optimisation.
public struct Painter {
  /// A painting, and the size at which it was painted.
  public struct Painting: Sendable {
    /// The painting with the alpha of the photo.
    public let picture: Picture
    /// The size at which the network painted.
    public let paintedSize: PictureSize
  }

  /// The size at which a photo is painted.
  public enum Fitting: Sendable {
    /// The photo's size, or that size scaled to the given longer side.
    case wholePhoto(longerSide: Int?)
    /// The size that the model declares. The photo is cropped and scaled to it.
    case declared(CropAndScale)
  }

  /// The model.
  public let model: MLModel
  /// The range of the numbers of a network that takes the photo as an array.
  public let arrayRange: PictureRange
  private let input: PaintingInput
  private let output: PaintingOutput
  private let otherInputs: [String: MLFeatureValue]

  /// Creates a painter with a model that has one picture as input and one as output. An array `[…, 3, height, width]`
  /// or `[…, height, width, 3]` can take the place of either.
  ///
  /// - Parameters:
  ///   - model: The model. If its configuration has `allowsAnyInputSize`, it also paints sizes that it does not
  ///     declare.
  ///   - inputs: The values of the model's other inputs, such as the number of a style.
  ///   - arrayRange: The range of the numbers of a network that takes the photo as an array. If nil, the painter predicts
  ///     once to find it out.
  ///   - name: The name of the model in error messages.
  public init(
    _ model: MLModel, inputs: [String: MLFeatureValue] = [:], arrayRange: PictureRange? = nil,
    name: String
  ) throws {
    let description: MLModelDescription = model.modelDescription
    guard let input = PaintingInput(of: description, except: Set(inputs.keys)),
      let output = PaintingOutput(of: description, model: name)
    else {
      throw StyleTransferError(
        .network,
        "Model '\(name)' does not turn a picture into a picture; `atelier inspect` shows its inputs"
          + " and outputs.")
    }
    self.model = model
    self.output = output
    self.input = input
    otherInputs = inputs
    self.arrayRange =
      try input.isArray
      ? arrayRange ?? Self.range(of: model, input, output, inputs) : .bytes
  }

  /// Finds out the range of the numbers of a network from its results for a picture of all colours.
  private static func range(
    of model: MLModel, _ input: PaintingInput, _ output: PaintingOutput,
    _ others: [String: MLFeatureValue]
  ) throws -> PictureRange {
    let (width, height) = (input.declaredSize.width, input.declaredSize.height)
    try Picture.requireMemory(forInputOf: width, height: height)
    let colors = try Picture(width: width, height: height) { pixels in
      for index in 0..<width * height {
        let (row, column) = (index / width, index % width)
        pixels[index * 3] = UInt8(row * 255 / height)
        pixels[index * 3 + 1] = UInt8(column * 255 / width)
        pixels[index * 3 + 2] = UInt8((row + column) * 255 / (width + height))
      }
    }
    var values: [String: MLFeatureValue] = others
    values[input.name] = try input.value(of: colors, range: .zeroToOne)
    let result = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: values))
    guard let array = result.featureValue(for: output.name)?.multiArrayValue else { return .bytes }
    return PictureRange(ofResults: (0..<array.count).map { array[$0].floatValue })
  }

  /// Opens the model in a file for every size that its network can paint, and creates a painter with it.
  public init(
    contentsOf location: URL, configuration: MLModelConfiguration = MLModelConfiguration()
  ) throws {
    try self.init(
      Self.model(contentsOf: location, configuration: configuration),
      name: location.lastPathComponent)
  }

  /// Opens the model in a file for every size that its network can paint.
  public static func model(
    contentsOf location: URL, configuration: MLModelConfiguration
  ) throws -> MLModel {
    try MLModel(contentsOf: location, configuration: configuration.allowingAnyInputSize())
  }

  /// The size that the model declares.
  public var declaredSize: PictureSize { input.declaredSize }

  /// Whether the network takes the photo as an array.
  public var takesArray: Bool { input.isArray }

  /// Returns the size at which the network paints a picture: the picture's size or, if the network cannot paint at that
  /// size, the declared one.
  public func paintingSize(for size: PictureSize) -> PictureSize {
    guard !input.isArray else { return input.allows(size) ? size : declaredSize }
    return model.paintingSize(width: size.width, height: size.height).map {
      PictureSize(width: $0.pixelsWide, height: $0.pixelsHigh)
    } ?? declaredSize
  }

  /// Throws if the memory for painting at the given size is not free. The error names a size that fits. Plans the
  /// network for the size if necessary, but computes nothing.
  public func requireMemory(forPaintingAt size: PictureSize) throws {
    // A model may declare any size, so the memory for its input is checked before it is allocated.
    if size == declaredSize || input.isArray {
      try Picture.requireMemory(forInputOf: size.width, height: size.height)
    }
    guard !input.isArray else {
      let blank = try Picture(width: size.width, height: size.height) { _ in }
      return try model.prepare(pictures: nil, others: features(blank))
    }
    try model.prepare(
      pictures: size, others: try MLDictionaryFeatureProvider(dictionary: otherInputs))
  }

  /// Paints a photo.
  ///
  /// If the network has a fixed size, the photo is scaled to it, and the painting is scaled back.
  ///
  /// - Parameter options: The options of the prediction, such as the progress handler and the time limit.
  public func paint(
    _ photo: Picture, _ fitting: Fitting = .wholePhoto(longerSide: nil),
    options: MLPredictionOptions = MLPredictionOptions()
  ) throws -> Painting {
    let work: Work = try work(photo, fitting)
    return try work.finish(
      output.picture(
        in: model.prediction(from: work.input, options: options), range: arrayRange))
  }

  /// Paints a photo like ``paint(_:_:)``, with statistics of the network's instance norms that several calls share.
  /// Frames of a film then do not flicker.
  ///
  /// - Parameter rate: The share of the photo's statistics that is mixed into the shared statistics before painting,
  ///   0…1.
  public func paint(
    _ photo: Picture, _ fitting: Fitting = .wholePhoto(longerSide: nil),
    statistics: NormStatistics, rate: Double
  ) throws -> Painting {
    // Plan the network first, because timing kernels while norms use the shared statistics would change them.
    let work: Work = try work(photo, fitting)
    return try work.finish(
      output.picture(
        in: statistics.following(rate: rate) { try model.prediction(from: work.input) },
        range: arrayRange))
  }

  /// Runs the network on a photo, and adds the statistics that its instance norms have in a part of the photo to the
  /// measured ones.
  ///
  /// - Parameter rows: The rows of the part. Nil for all.
  /// - Parameter columns: The columns of the part. Nil for all.
  func measure(
    _ photo: Picture, rows: Range<Int>? = nil, columns: Range<Int>? = nil,
    _ statistics: NormStatistics
  ) throws {
    let work: Work = try work(photo, .wholePhoto(longerSide: nil))
    let part = NormStatistics.Part(
      height: photo.height, width: photo.width, rows: rows ?? 0..<photo.height,
      columns: columns ?? 0..<photo.width)
    _ = try statistics.measuring(part) { try model.prediction(from: work.input) }
  }

  /// Runs the network on two small pictures, so that the statistics know which pixels of a feature map belong to which
  /// pixels of a photo.
  func survey(_ statistics: NormStatistics) throws {
    for side in [Tiling.smallestSide, 2 * Tiling.smallestSide] {
      let size = PictureSize(width: side, height: side)
      guard paintingSize(for: size) == size else { return }
      let work: Work = try work(
        Picture(width: side, height: side) { _ in }, .wholePhoto(longerSide: nil))
      _ = try statistics.surveying(height: side, width: side) {
        try model.prediction(from: work.input)
      }
    }
  }

  /// Paints a photo asynchronously, like ``paint(_:_:)``. If the caller's task is cancelled, the prediction ends after
  /// the current layer.
  ///
  /// - Parameter options: The options of the prediction, such as the progress handler and the time limit.
  public func painting(
    of photo: Picture, _ fitting: Fitting = .wholePhoto(longerSide: nil),
    options: MLPredictionOptions = MLPredictionOptions()
  ) async throws -> Painting {
    let work: Work = try work(photo, fitting)
    return try work.finish(
      output.picture(
        in: await model.prediction(from: work.input, options: options), range: arrayRange))
  }

  /// Predicts the painting of a photo as a picture of 16 bits. Nil if the model does not return an array.
  func deepPrediction(of photo: Picture) throws -> DeepPicture? {
    guard !input.isArray else { return nil }
    return try output.deepPicture(in: model.prediction(from: features(photo)), size: photo.size)
  }

  /// The input of the network for a photo, and the function that turns the network's output into the painting.
  private struct Work {
    let input: MLDictionaryFeatureProvider
    let finish: (Picture) throws -> Painting
  }

  private func work(_ photo: Picture, _ fitting: Fitting) throws -> Work {
    switch fitting {
    case .declared(let mode):
      try requireMemory(forPaintingAt: declaredSize)
      let fitted: Picture = try photo.fitted(
        toWidth: declaredSize.width, height: declaredSize.height, mode: mode)
      let painted: PictureSize = declaredSize
      return Work(input: try features(fitted)) {
        Painting(picture: try $0.withAlphaWhereEqual(of: fitted), paintedSize: painted)
      }
    case .wholePhoto(let longerSide):
      let size: PictureSize = longerSide.map { photo.size.scaled(toLongerSide: $0) } ?? photo.size
      try Self.requirePossible(size)
      let paintingSize: PictureSize = paintingSize(for: size)
      try requireMemory(forPaintingAt: paintingSize)
      let scaled: Picture = try photo.scaled(to: size)
      let input: Picture =
        try (paintingSize == size ? scaled : photo.scaled(to: paintingSize)).withoutAlpha
      return Work(input: try features(input)) { painted in
        let whole: Picture =
          try paintingSize == size ? painted.trimmed(to: size) : painted.scaled(to: size)
        return Painting(picture: try whole.withAlpha(of: scaled), paintedSize: paintingSize)
      }
    }
  }

  private static func requirePossible(_ size: PictureSize) throws {
    let (area, overflow) = size.width.multipliedReportingOverflow(by: size.height)
    guard !overflow, area <= Picture.defaultPixelLimit else {
      throw StyleTransferError(
        .input,
        "A painting of \(size) has more than \(Picture.defaultPixelLimit) pixels, which is the"
          + " limit. Choose a smaller size.")
    }
  }

  private func features(_ photo: Picture) throws -> MLDictionaryFeatureProvider {
    var values: [String: MLFeatureValue] = otherInputs
    values[input.name] = try input.value(of: photo, range: arrayRange)
    return try MLDictionaryFeatureProvider(dictionary: values)
  }
}

extension MLModelConfiguration {
  /// Returns a copy of the configuration with which a model accepts every size that its network can compute.
  fileprivate func allowingAnyInputSize() -> MLModelConfiguration {
    let copy = (self.copy() as? MLModelConfiguration) ?? MLModelConfiguration()
    copy.allowsAnyInputSize = true
    return copy
  }
}

extension Picture {
  /// Crops the picture at the right and the bottom. Networks that halve sizes round up, and so return a few pixels
  /// more. If the picture is smaller than `size`, it is stretched.
  fileprivate func trimmed(to size: PictureSize) throws -> Picture {
    guard width >= size.width, height >= size.height else { return try scaled(to: size) }
    return try cropped(x: 0, y: 0, width: size.width, height: size.height)
  }

  /// Returns the picture with the alpha of another one. If the sizes differ, returns the picture unchanged.
  fileprivate func withAlphaWhereEqual(of other: Picture) throws -> Picture {
    try other.size == size ? withAlpha(of: other) : self
  }
}
