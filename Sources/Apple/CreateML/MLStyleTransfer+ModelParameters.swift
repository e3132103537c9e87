import Foundation
import StyleTransfer

extension MLStyleTransfer {
  /// How a style is trained.
  public struct ModelParameters: CustomStringConvertible {
    /// The network.
    public enum ModelAlgorithmType: String, CustomStringConvertible, Sendable {
      /// For pictures.
      case cnn
      /// For live video.
      case cnnLite

      /// The name.
      public var description: String { rawValue }
    }

    /// What shows the training's progress.
    public enum ValidationData {
      /// A photo that checkpoints paint.
      case content(URL)
      /// Nothing.
      case none
    }

    /// The network.
    public var algorithm: ModelAlgorithmType
    /// What shows the training's progress.
    public var validation: ValidationData
    /// The most steps.
    public var maxIterations: Int
    /// The shorter side of the painting in pixels, 64 to 1024.
    public var textelDensity: Int
    /// How much of the style there is to be, 1 to 10.
    public var styleStrength: Int

    /// Parameters of a training.
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

    /// All of it, a line each.
    public var description: String {
      """
      algorithm: \(algorithm)
      maxIterations: \(maxIterations)
      textelDensity: \(textelDensity)
      styleStrength: \(styleStrength)
      """
    }

    /// The settings of a training of at most so many steps.
    func settings(iterations: Int) -> StyleTrainingSettings {
      var settings = StyleTrainingSettings(algorithm: algorithm == .cnn ? .cnn : .cnnLite)
      settings.iterations = min(maxIterations, iterations)
      settings.texelDensity = textelDensity
      settings.strength = styleStrength
      return settings
    }

    /// The photo that checkpoints paint.
    var validationPicture: URL? {
      if case .content(let url) = validation { return url }
      return nil
    }
  }
}
