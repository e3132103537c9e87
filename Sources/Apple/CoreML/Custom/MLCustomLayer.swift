import Foundation

/// A layer written in Swift, for what no built-in layer can do.
///
/// The class is found by the class name in the model, in whatever module it lives, or because
/// ``MLCustomLayerRegistry/register(_:for:)`` names it. One instance is made when the model is
/// loaded; ``evaluate(inputs:outputs:)`` may be called from several threads at once.
///
/// Arrays are float32 with five axes: sequence, batch, channels, height, width.
public protocol MLCustomLayer: AnyObject {
  /// Makes the layer with the parameters in the model: numbers, texts and flags by name.
  init(parameters: [String: Any]) throws

  /// Takes the weights in the model, in its order. Called once, after `init`.
  func setWeightData(_ weights: [Data]) throws

  /// The shapes of the outputs for given shapes of the inputs.
  func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]]

  /// Computes the outputs, which have the promised shapes.
  func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws
}
