import Foundation
import StyleTransfer

extension MLStyleTransfer {
  /// The parameters of a style's training.
  public struct ModelParameters: CustomStringConvertible {
    /// The architecture of the network.
    public enum ModelAlgorithmType: String, CustomStringConvertible, Sendable {
      /// A network for images.
      case cnn
      /// A network for live video, smaller than `cnn`.
      case cnnLite

      /// The name of the architecture.
      public var description: String { rawValue }
    }

    /// The image for checking the training.
    public enum ValidationData {
      /// A photo that the training stylises at every checkpoint.
      case content(URL)
      /// No image.
      case none
    }

    /// The architecture of the network.
    public var algorithm: ModelAlgorithmType
    /// The image for checking the training.
    public var validation: ValidationData
    /// The maximum number of iterations.
    public var maxIterations: Int
    /// The shorter side of the painting in pixels, 64 to 1024.
    public var textelDensity: Int
    /// The strength of the style relative to the content, 1 to 10.
    public var styleStrength: Int

    /// Makes parameters.
    public init(
      algorithm: ModelAlgorithmType = .cnn, validation: ValidationData = .none,
      maxIterations: Int = MLStyleTransfer.__Defaults.maxIterations,
      textelDensity: Int = MLStyleTransfer.__Defaults.textelDensity,
      styleStrength: Int = MLStyleTransfer.__Defaults.styleStrength
    ) {
      self.algorithm = algorithm
      self.validation = validation
      self.maxIterations = maxIterations
      self.textelDensity = textelDensity
      self.styleStrength = styleStrength
    }

    /// All parameters, one per line.
    public var description: String {
      """
      algorithm: \(algorithm)
      maxIterations: \(maxIterations)
      textelDensity: \(textelDensity)
      styleStrength: \(styleStrength)
      """
    }

    /// Returns the settings of a training. The number of iterations is the smaller of `iterations` and `maxIterations`.
    func settings(iterations: Int) -> StyleTrainingSettings {
      var settings = StyleTrainingSettings(algorithm: algorithm == .cnn ? .cnn : .cnnLite)
      settings.iterations = min(maxIterations, iterations)
      settings.texelDensity = textelDensity
      settings.strength = styleStrength
      return settings
    }

    /// The photo that the training stylises at every checkpoint; nil for none.
    var validationPicture: URL? {
      if case .content(let url) = validation { return url }
      return nil
    }
  }
}
