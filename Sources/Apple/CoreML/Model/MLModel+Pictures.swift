import Engine
import Imaging

/// What a model would paint, and what that would take, answered without computing anything. Not in
/// Apple's framework.
///
/// Every size is planned once: what is asked about before a prediction need not be planned for it again.
extension MLModel {
  /// Networks that halve sizes round them up: so many pixels more or fewer than a photo has, and above,
  /// are another size.
  private static let otherSize: Int = 16

  /// The size of the picture that the model gives for pictures of a size; nil where it does not take
  /// them, gives no picture, or is no neural network.
  public func paintedSize(width: Int, height: Int) -> MLImageSize? {
    painted(PictureSize(width: width, height: height)).map {
      MLImageSize(pixelsWide: $0.width, pixelsHigh: $0.height)
    }
  }

  /// The size at which the model paints a photo of a size: the photo's own where it takes such pictures
  /// and gives them as large, but for a few pixels; else the size that it declares. Nil for a model
  /// without a picture among its inputs.
  ///
  /// Sizes that the model's description does not allow count where the configuration's
  /// `allowsAnyInputSize` says so.
  public func paintingSize(width: Int, height: Int) -> MLImageSize? {
    let photo = PictureSize(width: width, height: height)
    let inputs = modelDescription.inputNames.compactMap {
      modelDescription.inputDescriptionsByName[$0]?.imageConstraint
    }
    guard let declared = inputs.first else { return nil }
    let isAllowed: Bool =
      configuration.allowsAnyInputSize
      || inputs.allSatisfy { $0.sizeConstraint.allows(width: width, height: height) }
    if isAllowed, let painted = painted(photo),
      abs(painted.width - width) < Self.otherSize, abs(painted.height - height) < Self.otherSize
    {
      return MLImageSize(pixelsWide: width, pixelsHigh: height)
    }
    return MLImageSize(pixelsWide: declared.pixelsWide, pixelsHigh: declared.pixelsHigh)
  }

  /// The memory that a prediction for pictures of a size takes beside the model's file, in bytes: the
  /// tensors between layers, the weights as the machine wants them, and the outputs.
  ///
  /// The answer may be more than the machine has free, or the configuration's `memoryLimit` allows: a
  /// prediction of that size throws before it begins.
  ///
  /// - Throws: ``MLModelError`` where the model does not take such pictures, where one of its tensors
  ///   alone is larger than what is free, and for models whose memory depends on values or which are no
  ///   neural networks.
  public func memoryNeeded(width: Int, height: Int) throws -> Int {
    try translatingErrors {
      let runner: NetworkRunner = try picturesRunner()
      let size = PictureSize(width: width, height: height)
      return try runner.network.memory(for: runner.inputTypes(pictures: size)).total
    }
  }

  /// Plans a prediction for pictures of a size, so that one that does not fit the memory is refused
  /// before anybody makes the pictures. Models that are no neural networks are not planned.
  ///
  /// - Parameters:
  ///   - size: of the pictures that `others` does not give; nil for the size that the model declares.
  ///   - others: values of other inputs; those that are missing count as declared.
  /// - Throws: ``MLModelError`` with the size of picture that would fit.
  package func prepare(pictures size: PictureSize?, others: (any MLFeatureProvider)? = nil) throws {
    try translatingErrors {
      guard let runner = try loaded.runner.networkRunner() else { return }
      _ = try runner.network.plan(for: runner.inputTypes(pictures: size, others: others))
    }
  }

  /// The network that computes the model, with the types of its inputs where pictures have a size; nil
  /// for models that are no neural networks, and for pipelines.
  package func network(pictures size: PictureSize?) throws -> (Network, [TensorType])? {
    try translatingErrors {
      try loaded.runner.networkRunner().map { ($0.network, try $0.inputTypes(pictures: size)) }
    }
  }

  private func painted(_ size: PictureSize) -> PictureSize? {
    guard size.width > 0, size.height > 0, let runner = try? loaded.runner.networkRunner() else {
      return nil
    }
    return runner.paintedSize(pictures: size)
  }

  private func picturesRunner() throws -> NetworkRunner {
    if let runner = try loaded.runner.networkRunner() { return runner }
    throw MLModelError(
      .generic,
      "The memory that the model takes is not known before it runs: only neural networks are planned."
    )
  }
}
