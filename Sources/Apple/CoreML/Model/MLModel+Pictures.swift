import Engine
import Imaging

/// Methods that compute the output size and the memory of a prediction without predicting. Not in Apple's framework.
///
/// The model plans each input size once. If one of these methods has planned an input size, a prediction with that
/// input size reuses the plan.
extension MLModel {
  /// If the output's width or height differs from the input's by this number of pixels or more, the sizes count as
  /// different. Smaller differences come from rounding in networks that halve and double sizes.
  private static let otherSize: Int = 16

  /// Returns the size in pixels of the model's output image for input images of the given size.
  ///
  /// Returns nil if the model does not take images of this size, has no image output, or is not a neural network.
  public func paintedSize(width: Int, height: Int) -> MLImageSize? {
    painted(PictureSize(width: width, height: height)).map {
      MLImageSize(pixelsWide: $0.width, pixelsHigh: $0.height)
    }
  }

  /// Returns the input size in pixels for painting a photo. This is the photo's size if the model takes that size and
  /// the output image then has about the same size. Otherwise, it is the input size that the model declares. Returns
  /// nil for a model without an image input.
  ///
  /// If the configuration's `allowsAnyInputSize` is true, the model may take sizes that its description does not allow.
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

  /// Returns the memory in bytes that a prediction with images of the given size needs. The result includes the memory
  /// of the tensors between layers, of the packed weights and of the outputs. It does not include the model's file.
  ///
  /// The result may exceed the free memory or the configuration's `memoryLimit`. A prediction with images of that size
  /// then throws before it starts.
  ///
  /// - Throws: ``MLModelError`` when the model does not take images of this size, when one tensor alone exceeds the
  ///   free memory, when the memory depends on the elements of inputs and not only on their sizes, and for models that
  ///   are not neural networks.
  public func memoryNeeded(width: Int, height: Int) throws -> Int {
    try translatingErrors {
      let runner: NetworkRunner = try picturesRunner()
      let size = PictureSize(width: width, height: height)
      return try runner.network.memory(for: runner.inputTypes(pictures: size)).total
    }
  }

  /// Plans a prediction for images of the given size. Throws if the prediction needs more memory than is free or
  /// allowed. Call this method before you make the images, so that you do not make them in vain. Does nothing for
  /// models that are not neural networks.
  ///
  /// - Parameters:
  ///   - size: The size of the input images that have no value in `others`; nil for the size that the model declares.
  ///   - others: The values of some inputs. The plan uses their shapes. For an array that has no value here, the plan
  ///     uses the declared shape.
  /// - Throws: ``MLModelError`` if the memory does not suffice. The message states the largest image size for which the
  ///   memory suffices.
  package func prepare(pictures size: PictureSize?, others: (any MLFeatureProvider)? = nil) throws {
    try translatingErrors {
      guard let runner = try loaded.runner.networkRunner() else { return }
      _ = try runner.network.plan(for: runner.inputTypes(pictures: size, others: others))
    }
  }

  /// Returns the model's network, and the types of its inputs for images of the given size. Returns nil for pipelines
  /// and for models that are not neural networks.
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
      "The memory of this model is not known before it runs: only neural networks are planned."
    )
  }
}
