import CoreVideo

/// A picture that a model made of a picture.
open class VNPixelBufferObservation: VNObservation {
  /// The picture.
  public let pixelBuffer: CVPixelBuffer

  /// The name of the model's output.
  public let featureName: String?

  init(pixelBuffer: CVPixelBuffer, featureName: String) {
    self.pixelBuffer = pixelBuffer
    self.featureName = featureName
    super.init(confidence: 1)
  }
}
