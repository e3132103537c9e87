import Foundation

/// A layer written in Swift, for what no built-in layer can do.
///
/// The class is found by the class name in the model, in whatever module it lives, or because
/// ``MLCustomLayerRegistry/register(_:for:)`` names it. One instance is made when the model is
/// loaded, and another one when predictions run at the same time: no instance is called from two threads
/// at once. The class may predict with its own model.
///
/// Arrays are float32 with five axes: sequence, batch, channels, height, width. They lie in the
/// prediction's memory. An array that is kept after the call gets a copy; a pointer into it is valid during
/// the call only.
public protocol MLCustomLayer: AnyObject {
  /// Makes the layer with the parameters in the model: numbers, texts and flags by name.
  init(parameters: [String: Any]) throws

  /// Takes the weights in the model, in its order. Called once for each instance, after `init`.
  func setWeightData(_ weights: [Data]) throws

  /// The shapes of the outputs for given shapes of the inputs.
  func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]]

  /// Computes the outputs. The arrays have the shapes of the last call of ``outputShapes(forInputShapes:)``.
  func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws
}
