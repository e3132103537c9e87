import CoreGraphics
import CoreML
import Foundation
import Imaging

/// A model that paints photos: the one way from a photo to a painting, for command lines, folders,
/// Create ML and measurements.
///
/// The model is opened once, and every size is planned once. A size that does not fit the memory is
/// refused before the photo is scaled to it. ``PicturePainter`` paints without a model, by optimisation.
public struct Painter {
  /// A painting, and how it came to be.
  public struct Painting {
    /// The painting, with the photo's alpha.
    public let picture: Picture
    /// The size at which the network painted.
    public let paintedSize: PictureSize
  }

  /// How the photo meets the network.
  public enum Fitting: Sendable {
    /// At the photo's own size, or scaled so that the longer side has so many pixels.
    case wholePhoto(longerSide: Int?)
    /// At the size that the model declares.
    case declared(CropAndScale)
  }

  /// The model.
  public let model: MLModel
  private let input: MLFeatureDescription
  private let constraint: MLImageConstraint
  private let output: PaintingOutput
  private let otherInputs: [String: MLFeatureValue]

  /// A painter with a model that takes one picture and gives one.
  ///
  /// - Parameters:
  ///   - model: it paints sizes that it does not declare where its configuration has
  ///     `allowsAnyInputSize`.
  ///   - inputs: the values of its other inputs, such as the style's number.
  ///   - name: what errors call it.
  public init(_ model: MLModel, inputs: [String: MLFeatureValue] = [:], name: String) throws {
    let description: MLModelDescription = model.modelDescription
    let pictures = description.inputDescriptionsByName.values.filter { $0.type == .image }
    guard pictures.count == 1, let constraint = pictures[0].imageConstraint,
      let output = PaintingOutput(of: description, model: name)
    else {
      throw StyleTransferError(
        .network,
        "Model '\(name)' does not turn a picture into a picture; `atelier inspect` shows what it"
          + " takes and gives.")
    }
    self.model = model
    self.output = output
    self.constraint = constraint
    input = pictures[0]
    otherInputs = inputs
  }

  /// A painter with the model of a file, which paints every size that its network can.
  public init(
    contentsOf location: URL, configuration: MLModelConfiguration = MLModelConfiguration()
  ) throws {
    try self.init(
      Self.model(contentsOf: location, configuration: configuration),
      name: location.lastPathComponent)
  }

  /// The model of a file, opened to paint every size that its network can.
  public static func model(
    contentsOf location: URL, configuration: MLModelConfiguration
  ) throws -> MLModel {
    try MLModel(contentsOf: location, configuration: configuration.allowingAnyInputSize())
  }

  /// The size that the model declares.
  public var declaredSize: PictureSize {
    PictureSize(width: constraint.pixelsWide, height: constraint.pixelsHigh)
  }

  /// The size at which a picture of a size is painted: its own, or the one that the model declares where
  /// the network does not paint that.
  public func paintingSize(for size: PictureSize) -> PictureSize {
    model.paintingSize(width: size.width, height: size.height).map {
      PictureSize(width: $0.pixelsWide, height: $0.pixelsHigh)
    } ?? declaredSize
  }

  /// Throws where the memory for painting at a size is not free, with the size that would fit. A plan is
  /// made where there is none yet; nothing is computed.
  public func requireMemory(forPaintingAt size: PictureSize) throws {
    // A model may claim any size, so it is asked before one is filled.
    if size == declaredSize {
      try Picture.requireMemory(forInputOf: size.width, height: size.height)
    }
    try model.prepare(
      pictures: size, others: try MLDictionaryFeatureProvider(dictionary: otherInputs))
  }

  /// Paints a photo.
  ///
  /// A network of one size paints the photo squeezed into it; the painting is stretched back.
  public func paint(
    _ photo: Picture, _ fitting: Fitting = .wholePhoto(longerSide: nil)
  ) throws -> Painting {
    let work: Work = try work(photo, fitting)
    return try work.finish(output.picture(in: model.prediction(from: work.input)))
  }

  /// Paints a photo beside the caller, as ``paint(_:_:)`` does; when the caller's task is cancelled, the
  /// prediction ends after the layer that it is in.
  ///
  /// - Parameter options: who is told how far the network is, and how long it may take.
  public func painting(
    of photo: Picture, _ fitting: Fitting = .wholePhoto(longerSide: nil),
    options: MLPredictionOptions = MLPredictionOptions()
  ) async throws -> Painting {
    let work: Work = try work(photo, fitting)
    return try work.finish(
      output.picture(in: await model.prediction(from: work.input, options: options)))
  }

  /// What goes into the network for a painting, and what is done with what comes out.
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
        "A painting of \(size) has more pixels than the \(Picture.defaultPixelLimit) that a picture"
          + " may have; choose a smaller size.")
    }
  }

  private func features(_ photo: Picture) throws -> MLDictionaryFeatureProvider {
    var values: [String: MLFeatureValue] = otherInputs
    values[input.name] = MLFeatureValue(
      pixelBuffer: try photo.pixelBuffer(format: constraint.pixelFormatType))
    return try MLDictionaryFeatureProvider(dictionary: values)
  }
}

extension MLModelConfiguration {
  /// A copy that lets a model compute every size that its network can.
  fileprivate func allowingAnyInputSize() -> MLModelConfiguration {
    let copy = (self.copy() as? MLModelConfiguration) ?? MLModelConfiguration()
    copy.allowsAnyInputSize = true
    return copy
  }
}

extension Picture {
  /// Networks that halve sizes round them up and give a few pixels more at the right and bottom,
  /// which are cut off; where they give fewer, the painting is stretched.
  fileprivate func trimmed(to size: PictureSize) throws -> Picture {
    guard width >= size.width, height >= size.height else { return try scaled(to: size) }
    return try cropped(x: 0, y: 0, width: size.width, height: size.height)
  }

  /// The picture with the other's alpha, where both are of one size; else as it is.
  fileprivate func withAlphaWhereEqual(of other: Picture) throws -> Picture {
    try other.size == size ? withAlpha(of: other) : self
  }
}
